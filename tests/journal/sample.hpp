/// @file
/// Records, journals and failing system calls for the journal's tests.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "journal/journal.hpp"
#include "results/sweep_identity.hpp"
#include "results/task_record.hpp"
#include "support/temporary_folder.hpp"

namespace fairfront::journal::test {

using fairfront::test::bytes_of;
using fairfront::test::put_bytes;
using fairfront::test::TemporaryFolder;

/// Done or failed, every part filled at random, doubles of any bits, empty texts and arrays. The
/// same seed gives the same record; different seeds give different keys.
[[nodiscard]] results::TaskRecord random_record(std::uint64_t seed);

/// A done record of about `bytes` bytes.
[[nodiscard]] results::TaskRecord small_record(std::uint64_t number, std::size_t bytes = 100);

/// Every field and every bit of the record as text: equal if and only if the records are.
[[nodiscard]] std::string bits_of(const results::TaskRecord& record);
[[nodiscard]] std::vector<std::string> bits_of(const std::vector<results::TaskRecord>& records);

[[nodiscard]] results::SweepIdentity sample_header();

/// A journal in a folder of its own.
class TestJournal {
 public:
  TestJournal() { create_journal(path_, sample_header()); }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string log(int launch = 0, int rank = 0) const;
  void write(const std::vector<results::TaskRecord>& records, int launch = 0, int rank = 0) const;

 private:
  TemporaryFolder folder_;
  std::string path_ = folder_ / "a.h5.journal";
};

/// The message of the base::InputError that `action` throws.
template <class Action>
std::string input_error_of(Action action) {
  try {
    action();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// What the next system calls of this test program do; see journal_faults.cpp.
struct Faults {
  std::atomic<int> sync_error{0};             ///< errno of fdatasync
  std::atomic<int> syncs{0};                  ///< calls of fdatasync
  std::atomic<int> lock_error{0};             ///< errno of flock
  std::atomic<std::size_t> longest_write{0};  ///< bytes that one write takes; 0: all
  std::atomic<int> interruptions{0};          ///< so many writes fail with EINTR
};
extern Faults faults;

/// Ends all faults when the test ends.
struct FaultsEnd {
  ~FaultsEnd();
};

}  // namespace fairfront::journal::test
