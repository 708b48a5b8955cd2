#include "data/shared_fields.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/file.hpp"
#include "base/shared_pages.hpp"
#include "data/load_raw.hpp"

namespace fairfront::data {
namespace {

template <class T>
T copy_of(const T& value) {
  base::PageWriter writer;
  writer(value);
  const base::Descriptor file = writer.finish();
  EXPECT_TRUE(file.valid());
  base::PageReader reader(file);
  T copy;
  reader(copy);
  return copy;
}

/// What is prepared of the copy of a table is what is prepared of the table, by their digests.
TEST(SharedFields, ATableAndItsPreparedRowsAreTheSameBehindThem) {
  SupervisedOptions options;
  options.data = "syn_unequal_ds2";
  const RawTable raw = load_raw(options, {}, false);
  const RawTable same = copy_of(raw);
  EXPECT_EQ(digest_of(same), digest_of(raw));
  EXPECT_EQ(same.provenance.digest, raw.provenance.digest);
  EXPECT_EQ(same.warnings, raw.warnings);
  const SupervisedSet set = prepare_whole(raw, {});
  const SupervisedSet of_same = prepare_whole(same, {});
  EXPECT_EQ(of_same.digest(), set.digest());
  const SupervisedSet copy = copy_of(set);
  EXPECT_EQ(copy.digest(), set.digest());
  EXPECT_EQ(copy.set.features, set.set.features);
  EXPECT_EQ(copy.set.group, set.set.group);
  EXPECT_EQ(copy.set.provenance.recipe, set.set.provenance.recipe);
  EXPECT_EQ(copy.split.train, set.split.train);
  EXPECT_EQ(copy.fitted.columns.size(), set.fitted.columns.size());
}

}  // namespace
}  // namespace fairfront::data
