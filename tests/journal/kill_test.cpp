// Processes that are killed at random moments. The moments are drawn from fixed seeds, but where
// in the code they fall differs from run to run; what is checked holds for all of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <new>
#include <random>

#include "journal/sample.hpp"

namespace fairfront::journal::test {
namespace {

using namespace std::chrono_literals;
using testing::AnyOf;
using testing::HasSubstr;
using testing::SizeIs;

// A counter that a child and its parent share.
class SharedCounter {
 public:
  SharedCounter() {
    void* memory =
        ::mmap(nullptr, sizeof(Counter), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc{};
    counter_ = new (memory) Counter{0};
  }
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;
  ~SharedCounter() { ::munmap(counter_, sizeof(Counter)); }
  void operator++() { ++*counter_; }
  [[nodiscard]] std::uint64_t get() const { return *counter_; }

 private:
  using Counter = std::atomic<std::uint64_t>;
  Counter* counter_;
};

// Starts `work` in a child and kills it `delay` after its first count.
template <class Work>
void run_and_kill(const SharedCounter& counter, std::chrono::microseconds delay, Work work) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);  // kill(-1) would be everybody
  if (child == 0) {
    try {
      work();
    } catch (...) {
    }
    ::_exit(1);  // not reached: the work never ends
  }
  const auto patience = std::chrono::steady_clock::now() + 30s;
  while (counter.get() == 0 && std::chrono::steady_clock::now() < patience) ::usleep(50);
  ::usleep(static_cast<useconds_t>(delay.count()));
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself, with " << status;
}

TEST(JournalKill, EveryRecordWhoseAppendReturnedIsThereAndWhole) {
  std::mt19937_64 engine{2024};
  for (int round = 0; round < 40; ++round) {
    SCOPED_TRACE(round);
    const TestJournal journal;
    SharedCounter counter;
    const std::size_t size = engine() % 3 == 0 ? 200'000 : 300;
    run_and_kill(counter, std::chrono::microseconds{engine() % 8'000}, [&] {
      JournalWriter writer{journal.path(), 0, 0, {1ms, 4}};
      for (std::uint64_t i = 0;; ++i) {
        writer.append(small_record(i, size));
        ++counter;
      }
    });
    const JournalContents contents = read_journal(journal.path());
    ASSERT_THAT(contents.records, SizeIs(AnyOf(counter.get(), counter.get() + 1)));
    for (std::uint64_t i = 0; i < contents.records.size(); ++i) {
      ASSERT_EQ(bits_of(contents.records[i]), bits_of(small_record(i, size)));
    }
  }
}

TEST(JournalKill, ARunThatIsKilledAgainAndAgainLosesNothing) {
  std::mt19937_64 engine{7};
  const TestJournal journal;
  std::uint64_t reported = 0;
  for (int launch = 0; launch < 10; ++launch) {
    SharedCounter counter;
    run_and_kill(counter, std::chrono::microseconds{engine() % 3'000}, [&] {
      const JournalLock lock{journal.path()};
      const JournalContents before = read_journal(journal.path(), false);
      if (before.launches != launch) ::_exit(2);
      JournalWriter writer{journal.path(), before.launches, 0};
      for (std::uint64_t i = before.records.size();; ++i) {
        writer.append(small_record(i));
        ++counter;
      }
    });
    reported += counter.get();
    const JournalContents contents = read_journal(journal.path());
    ASSERT_GE(contents.records.size(), reported);
    reported = contents.records.size();
    EXPECT_EQ(contents.duplicates, 0);
  }
  const JournalContents contents = read_journal(journal.path());
  for (std::uint64_t i = 0; i < contents.records.size(); ++i) {
    ASSERT_EQ(bits_of(contents.records[i]), bits_of(small_record(i)));
  }
}

TEST(JournalKill, ACheckpointIsTheOldOneOrTheNewOne) {
  std::mt19937_64 engine{99};
  for (int round = 0; round < 30; ++round) {
    SCOPED_TRACE(round);
    const TestJournal journal;
    SharedCounter counter;
    run_and_kill(counter, std::chrono::microseconds{engine() % 10'000}, [&] {
      for (std::uint64_t i = 1;; ++i) {
        write_checkpoint(journal.path(), "key", std::string(1'000 * i, static_cast<char>(i)));
        ++counter;
      }
    });
    const auto found = read_checkpoint(journal.path(), "key");
    ASSERT_TRUE(found);
    const std::uint64_t number = found->size() / 1'000;
    EXPECT_THAT(number, AnyOf(counter.get(), counter.get() + 1));
    EXPECT_EQ(*found, std::string(1'000 * number, static_cast<char>(number)));
  }
}

TEST(JournalKill, ALockIsReleasedByTheSystemAndNamedItsHolderBefore) {
  const TestJournal journal;
  SharedCounter counter;
  std::string refusal;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);  // kill(-1) would be everybody
  if (child == 0) {
    const JournalLock lock{journal.path()};
    ++counter;
    for (;;) ::pause();
  }
  const auto patience = std::chrono::steady_clock::now() + 30s;
  while (counter.get() == 0 && std::chrono::steady_clock::now() < patience) ::usleep(50);
  refusal = input_error_of([&] { JournalLock{journal.path()}; });
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_THAT(refusal, HasSubstr("in use by process " + std::to_string(child) + " on host"));
  EXPECT_EQ(JournalLock{journal.path()}.warning(), "");
}

}  // namespace
}  // namespace fairfront::journal::test
