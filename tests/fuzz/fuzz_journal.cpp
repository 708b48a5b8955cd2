// Any bytes in the files of a journal. The first byte says which file; for most of them the frames
// around the bytes are made right, so that what is behind the checksums is met.
#include <fstream>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "fuzz/require.hpp"
#include "journal/file.hpp"
#include "journal/frame.hpp"
#include "journal/journal.hpp"
#include "journal/record.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace fairfront;
using journal::Bytes;
using journal::ByteView;

const std::string& folder() {
  static const test::TemporaryFolder parent;
  static const std::string path = parent / "";
  return path;
}

void put(const std::string& name, std::string_view bytes) {
  std::ofstream{journal::journal_file(folder(), name), std::ios::binary} << bytes;
}

void seal(const std::string& name, const std::string& kind, ByteView payload) {
  journal::replace_sealed(folder(), name, kind, payload, base::Durability::survives_process);
}

std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

// What is read from a record is written and read as the same record.
void try_record(ByteView payload) {
  results::TaskRecord record = journal::read_record_head(payload);
  if (record.status == results::TaskStatus::done) {
    record.result = journal::read_record_result(payload);
  }
  Bytes frame;
  journal::write_record_frame(record, frame);
  const ByteView again = ByteView{frame}.subspan(journal::frame_header_bytes);
  fuzz::require(journal::read_record_head(again).key == record.key);
}

void try_log(std::string_view log) {
  results::SweepIdentity header;
  header.experiment = "fuzz";
  journal::rewrite_header(folder(), header);
  put("0000-000000.log", log);
  for (const bool with_results : {false, true}) {
    for (const std::string& warning : journal::read_journal(folder(), with_results).warnings) {
      fuzz::require_message(warning);
    }
  }
}

void try_bytes(std::uint8_t what, ByteView bytes) {
  const std::string text{bytes.begin(), bytes.end()};
  switch (what % 7) {
    case 0:
      return try_record(bytes);
    case 1:
      return try_log(text);
    case 2: {
      const auto frame = journal::frame_header_of(bytes);
      return try_log(text_of(journal::kind_frame("log")) + std::string{frame.begin(), frame.end()} +
                     text);
    }
    case 3:
      seal("header", "header", bytes);
      static_cast<void>(journal::read_journal_header(folder()));
      return;
    case 4:
      seal("heartbeat", "heartbeat", bytes);
      static_cast<void>(journal::read_heartbeat(folder()));
      return;
    case 5:
      put("header", text);
      static_cast<void>(journal::read_journal_header(folder()));
      return;
    default:
      put("key.checkpoint", text);
      static_cast<void>(journal::read_checkpoint(folder(), "key"));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  try {
    try_bytes(data[0], ByteView{data + 1, size - 1});
  } catch (const base::Error& error) {
    fuzz::require_message(error.what());
  }
  return 0;
}
