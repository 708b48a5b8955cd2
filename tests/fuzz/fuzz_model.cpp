// Any text as a model file: refused with a message, or a model that predicts a row and is written
// as it was. The digest at its end is set right, since no chance finds one.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "fuzz/require.hpp"
#include "results/model_file.hpp"

namespace {

using namespace fairfront;

std::string with_digest(std::string text) {
  text.resize(std::min(text.size(), text.rfind("\"sha256\"")));
  return text + "\"sha256\": \"" + base::sha256_of(text) + "\"\n}\n";
}

void predict_a_row(results::StoredModel& stored) {
  constexpr std::size_t most = 10'000;  // numbers: an outcome, no finding
  const std::vector<double> row(stored.shared->preparation.unset.size(), 0.5);
  const std::vector<std::int32_t> group(1, 0);
  if (row.size() > most || (stored.model->needs_group() && stored.shared->groups.empty())) return;
  const auto said = stored.model->predict(row, group);
  fuzz::require(said.size() == stored.model->outputs().size());
  fuzz::require(stored.model->distribution().size() == stored.model->atoms().size());
}

void read(const std::string& text) {
  try {
    results::ModelFile file = results::model_file_of(text, "fuzz.json");
    predict_a_row(file.stored);
    const std::string about =
        R"({"card": {}, "choice": {}, "measures": [], "provenance": {"archive_digest": "",
            "key": "", "task": 0, "point": 0}})";
    const std::string again = results::text_of(file.stored, about);
    fuzz::require(results::text_of(results::model_file_of(again, "").stored, about) == again);
  } catch (const base::InputError& error) {
    fuzz::require_message(error.what());
  } catch (const base::DamagedError& error) {
    fuzz::require_message(error.what());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  read(text);
  read(with_digest(text));
  return 0;
}
