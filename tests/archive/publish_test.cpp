#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "archive/archive.hpp"
#include "archive/publish.hpp"
#include "archive/sample.hpp"

namespace fairfront::archive::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

template <class Action>
std::string input_error_of(Action action) {
  try {
    action();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

class Publish : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_ / "a.h5";
  Content content_ = random_content(31, 5);
};

TEST_F(Publish, AnExistingFileIsNotReplaced) {
  put_bytes(path_, "precious");
  for (const auto& message : {input_error_of([&] { write(path_, content_); }),
                              input_error_of([&] { check_writable(path_, false); })}) {
    EXPECT_THAT(message, AllOf(HasSubstr(path_), HasSubstr("exists"), HasSubstr("--force")));
  }
  EXPECT_EQ(bytes_of(path_), "precious");
  EXPECT_EQ(folder_.count_files(), 1u);
}

TEST_F(Publish, OverwritingReplacesTheWholeFile) {
  put_bytes(path_, "old");
  write(path_, content_, true);
  EXPECT_EQ(difference(read(path_).content, content_), "");
  EXPECT_EQ(folder_.count_files(), 1u);
}

TEST_F(Publish, WhatKilledRunsHaveLeftIsRemovedAndNothingElse) {
  const std::vector<std::string> others{"a.h5", "b.h5.12-0.part", "a.h5.part", "a.h5.mine.part",
                                        "a.h5.journal"};
  for (const std::string& name : others) put_bytes(folder_ / name, "precious");
  put_bytes(folder_ / "a.h5.12-0.part", "half");
  put_bytes(folder_ / "a.h5.4711-13.part", "half");
  remove_drafts(path_);
  EXPECT_EQ(folder_.count_files(), others.size());
  for (const std::string& name : others) EXPECT_EQ(bytes_of(folder_ / name), "precious");
  remove_drafts("/no/such/folder/a.h5");
}

TEST_F(Publish, ADanglingLinkCountsAsExisting) {
  std::filesystem::create_symlink("nowhere", path_);
  EXPECT_THAT(input_error_of([&] { write(path_, content_); }), HasSubstr("exists"));
  EXPECT_EQ(folder_.count_files(), 1u);
}

TEST_F(Publish, CheckingTouchesNothing) {
  check_writable(path_, false);
  EXPECT_EQ(folder_.count_files(), 0u);
}

TEST_F(Publish, ADraftThatAKilledRunLeftBehindIsNoObstacle) {
  const std::string left = path_ + "." + std::to_string(::getpid()) + "-0.part";
  put_bytes(left, "half");
  write(path_, content_);
  EXPECT_EQ(bytes_of(left), "half");
  EXPECT_EQ(difference(read(path_).content, content_), "");
}

TEST_F(Publish, TheFileHasThePermissionsThatTheUserAsksFor) {
  const mode_t before = ::umask(022);
  write(path_, content_);
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

TEST_F(Publish, AMissingFolderIsNamed) {
  const std::string path = folder_ / "none/a.h5";
  EXPECT_THAT(input_error_of([&] { check_writable(path, false); }),
              AllOf(HasSubstr(path), HasSubstr("no such folder")));
  EXPECT_THAT(input_error_of([&] { write(path, content_); }), HasSubstr("no such folder"));
}

TEST_F(Publish, AFolderThatIsAFileIsAnError) {
  put_bytes(folder_ / "file", "x");
  EXPECT_THAT(input_error_of([&] { write(folder_ / "file/a.h5", content_); }),
              HasSubstr("is not a folder"));
}

TEST_F(Publish, AFolderIsNotReplacedEvenByForce) {
  std::filesystem::create_directory(path_);
  EXPECT_THAT(input_error_of([&] { write(path_, content_, true); }), HasSubstr("it is a folder"));
  EXPECT_TRUE(std::filesystem::is_directory(path_));
}

TEST_F(Publish, ADeviceIsNotReplacedEvenByForce) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(input_error_of([&] { write(path_, content_, true); }), HasSubstr("regular file"));
  EXPECT_TRUE(std::filesystem::is_fifo(path_));
  EXPECT_THAT(input_error_of([&] { static_cast<void>(read(path_)); }), HasSubstr("regular file"));
}

// /proc refuses new files also to root, who is above the permission bits of other folders.
TEST_F(Publish, AFolderThatTakesNoFilesIsAnError) {
  EXPECT_THAT(input_error_of([&] { write("/proc/self/a.h5", content_); }),
              HasSubstr("cannot write '/proc/self/a.h5'"));
}

// Runs in a child, because the limit is the whole process's.
TEST_F(Publish, AFullDiskIsAnErrorAndLeavesNothingBehind) {
  put_bytes(path_, "precious");
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{10'000, 10'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string message = input_error_of([&] { write(path_, content_, true); });
    const bool named = message == "cannot write '" + path_ + "': File too large";
    const bool again =
        input_error_of([&] { write(folder_ / "b.h5", content_); }).starts_with("cannot write");
    std::_Exit(named && again ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(bytes_of(path_), "precious");
  EXPECT_EQ(folder_.count_files(), 1u);
}

}  // namespace
}  // namespace fairfront::archive::test
