#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "archive/archive.hpp"
#include "archive/edit.hpp"
#include "base/publish.hpp"
#include "results/content.hpp"

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
  results::Content content_ = random_content(31, 5);
};

TEST_F(Publish, AnExistingFileIsNotReplaced) {
  put_bytes(path_, "precious");
  for (const auto& message : {input_error_of([&] { write(path_, content_); }),
                              input_error_of([&] { base::check_writable(path_, false); })}) {
    EXPECT_THAT(message, AllOf(HasSubstr(path_), HasSubstr("exists"), HasSubstr("--force")));
  }
  EXPECT_EQ(bytes_of(path_), "precious");
  EXPECT_EQ(folder_.count_files(), 1u);
}

TEST_F(Publish, OverwritingReplacesTheWholeFile) {
  write(path_, random_content(32, 5));
  write(path_, content_, true);
  EXPECT_EQ(difference(read(path_).content, content_), "");
  EXPECT_EQ(folder_.count_files(), 1u);
}

TEST_F(Publish, OnlyAnArchiveIsReplaced) {
  for (const std::string bytes : {"age,sex", "experiment = clustering",
                                  "fairfront archive, of mine", "\x89HDF\r\n\x1a\n and so on"}) {
    put_bytes(path_, bytes);
    EXPECT_THAT(input_error_of([&] { write(path_, content_, true); }),
                AllOf(HasSubstr(path_), HasSubstr("not a fairfront archive")));
    EXPECT_EQ(bytes_of(path_), bytes);
  }
  put_bytes(path_, "");  // as mktemp makes it
  write(path_, content_, true);
  std::filesystem::resize_file(path_, 700);  // damaged, but ours
  write(path_, content_, true);
  EXPECT_EQ(difference(read(path_).content, content_), "");
}

TEST_F(Publish, ALinkIsReplacedOnlyIfItLeadsToAnArchive) {
  for (const std::string target : {"/dev/null", "/dev/stdout", "nowhere", "rows.csv", "."}) {
    put_bytes(folder_ / "rows.csv", "age,sex");
    std::filesystem::create_symlink(target, path_);
    EXPECT_THAT(input_error_of([&] { write(path_, content_, true); }), HasSubstr(path_)) << target;
    EXPECT_TRUE(std::filesystem::is_symlink(path_)) << target;
    std::filesystem::remove(path_);
  }
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(input_error_of([&] { write(path_, content_, true); }), HasSubstr("regular file"));
}

TEST_F(Publish, WhatKilledRunsHaveLeftIsRemovedAndNothingElse) {
  const std::vector<std::string> others{"a.h5", "b.h5.12-0.part", "a.h5.part", "a.h5.mine.part",
                                        "a.h5.journal"};
  for (const std::string& name : others) put_bytes(folder_ / name, "precious");
  put_bytes(folder_ / "a.h5.12-0.part", "half");
  put_bytes(folder_ / "a.h5.4711-13.part", "half");
  base::remove_drafts(path_);
  EXPECT_EQ(folder_.count_files(), others.size());
  for (const std::string& name : others) EXPECT_EQ(bytes_of(folder_ / name), "precious");
  base::remove_drafts("/no/such/folder/a.h5");
}

TEST_F(Publish, ADanglingLinkCountsAsExisting) {
  std::filesystem::create_symlink("nowhere", path_);
  EXPECT_THAT(input_error_of([&] { write(path_, content_); }), HasSubstr("exists"));
  EXPECT_EQ(folder_.count_files(), 1u);
}

TEST_F(Publish, CheckingTouchesNothing) {
  base::check_writable(path_, false);
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
  EXPECT_THAT(input_error_of([&] { base::check_writable(path, false); }),
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
  write(path_, random_content(32, 5));
  const auto before = bytes_of(path_);
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
  EXPECT_EQ(bytes_of(path_), before);
  EXPECT_EQ(folder_.count_files(), 1u);
}

}  // namespace
}  // namespace fairfront::archive::test
