#include "base/file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/folder.hpp"
#include "base/text.hpp"

namespace fairfront::base {
namespace {

using testing::HasSubstr;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "fairfront-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  [[nodiscard]] Folder folder() const { return {folder_.string()}; }
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator{folder_}, {});
  }

 private:
  std::filesystem::path folder_;
};

void replace(const Folder& folder, const std::string& name, std::string_view first,
             std::string_view second) {
  const std::array pieces{std::as_bytes(std::span{first}), std::as_bytes(std::span{second})};
  replace_file(folder, name, pieces, Durability::survives_machine);
}

TEST_F(Files, AReplacedFileHasAllPiecesAndNothingIsLeftBeside) {
  replace(folder(), "state", "old", "");
  replace(folder(), "state", "one ", "two");
  EXPECT_EQ(read_file(path("state")), "one two");
  EXPECT_EQ(files(), 1);
}

TEST_F(Files, WhatCannotBeReplacedStaysAndNothingIsLeftBeside) {
  std::filesystem::create_directory(path("state"));
  try {
    replace(folder(), "state", "new", "");
    ADD_FAILURE() << "a folder was replaced";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot write '" + path("state") + "': Is a directory"));
  }
  EXPECT_TRUE(std::filesystem::is_directory(path("state")));
  EXPECT_EQ(files(), 1);
}

TEST_F(Files, APartOfAKilledRunThatCannotBeRemovedIsTheReason) {
  replace(folder(), "state", "old", "");
  std::filesystem::create_directory(path("state.part"));
  try {
    replace(folder(), "state", "new", "");
    ADD_FAILURE() << "there was no place for the part";
  } catch (const InputError& error) {  // not "File exists", which the file to be replaced does
    EXPECT_THAT(error.what(), HasSubstr("cannot write '" + path("state") + "': Is a directory"));
  }
  EXPECT_EQ(read_file(path("state")), "old");
}

TEST_F(Files, AWriteThatFailsReturnsItsReason) {
  const Descriptor reader{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  EXPECT_EQ(write_all(reader.get(), std::as_bytes(std::span{std::string_view{"x"}})), EBADF);
  EXPECT_EQ(write_all(reader.get(), {}), 0);
}

TEST_F(Files, AFolderThatIsNotThereCannotBeSynced) {
  EXPECT_NO_THROW(sync_folder(folder_of(path("x"))));
  EXPECT_THROW(sync_folder(path("nowhere")), InputError);
}

TEST(FolderOf, ANameAloneIsThisFolder) {
  EXPECT_EQ(folder_of("a.h5"), ".");
  EXPECT_EQ(folder_of("x/a.h5"), "x");
  EXPECT_EQ(folder_of("/a.h5"), "/");
}

TEST_F(Files, AnOpenFolderStaysTheSameOneWhateverTakesItsName) {
  std::filesystem::create_directory(path("shared"));
  std::filesystem::create_directory(path("victim"));
  const Folder shared(path("shared"));
  EXPECT_EQ(shared.place(), Folder::Place::same);
  std::filesystem::rename(path("shared"), path("moved"));
  EXPECT_EQ(shared.place(), Folder::Place::gone);
  EXPECT_EQ(shared.whereabouts(), std::filesystem::canonical(path("moved")).string());
  std::filesystem::create_symlink(path("victim"), path("shared"));
  EXPECT_EQ(shared.place(), Folder::Place::replaced);
  replace(shared, "state", "new", "");
  EXPECT_TRUE(std::filesystem::is_empty(path("victim")));
  EXPECT_EQ(read_file(path("moved/state")), "new");
  EXPECT_EQ(shared.names(), std::vector<std::string>{"state"});
  EXPECT_EQ(shared.renamed(path("moved")).place(), Folder::Place::same);
  std::filesystem::remove_all(path("moved"));
  EXPECT_EQ(shared.whereabouts(), "");
}

TEST_F(Files, AFolderIsNotOpenedThroughALinkNorALinkInItFollowed) {
  std::filesystem::create_directory(path("victim"));
  std::filesystem::create_directory_symlink(path("victim"), path("link"));
  try {
    const Folder folder(path("link"));
    ADD_FAILURE() << "the link was followed";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("it is a link"));
  }
  const Folder victim(path("victim"));
  std::filesystem::create_symlink(path("elsewhere"), path("victim/state"));
  EXPECT_FALSE(victim.open("state", O_WRONLY | O_CREAT).valid());
  EXPECT_FALSE(std::filesystem::exists(path("elsewhere")));
  EXPECT_TRUE(victim.has("state"));
  EXPECT_FALSE(victim.has("other"));
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace fairfront::base
