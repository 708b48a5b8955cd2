/// The products of matrices that are larger than a block of rows.
#include "models/kernels.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.hpp"
#include "base/stop.hpp"

namespace fairfront::models {
namespace {

using Numbers = std::vector<double>;

constexpr std::int64_t side = 1024;  // columns of both factors: 16 rows make a block
constexpr std::int64_t rows = 41;

Numbers normal(std::int64_t size, std::uint64_t index) {
  base::Stream stream(base::StreamKey(1, "kernels", "test"), index);
  Numbers values(static_cast<std::size_t>(size));
  for (double& value : values) value = stream.normal();
  return values;
}

class ManyBlocks : public testing::Test {
 protected:
  Numbers x = normal(rows * side, 1);
  Numbers delta = normal(rows * side, 2);
  Numbers w = normal(side * side, 3);
  Numbers bias = normal(side, 4);
};

TEST_F(ManyBlocks, GiveBitForBitWhatTheirRowsGiveOneByOne) {
  Numbers out(x.size());
  Numbers back(x.size());
  Numbers gradient(w.size(), 0.5);
  affine(rows, side, side, x.data(), w.data(), bias.data(), out.data());
  multiply_transposed(rows, side, side, delta.data(), w.data(), back.data());
  add_outer_products(rows, side, side, x.data(), delta.data(), gradient.data());
  Numbers own_out(x.size());
  Numbers own_back(x.size());
  Numbers own_gradient(w.size(), 0.5);
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t at = i * side;
    affine(1, side, side, x.data() + at, w.data(), bias.data(), own_out.data() + at);
    multiply_transposed(1, side, side, delta.data() + at, w.data(), own_back.data() + at);
    add_outer_products(1, side, side, x.data() + at, delta.data() + at, own_gradient.data());
  }
  EXPECT_EQ(out, own_out);
  EXPECT_EQ(back, own_back);
  EXPECT_EQ(gradient, own_gradient);
}

TEST_F(ManyBlocks, AreLeftBetweenThemWhenAStopIsWanted) {
  Numbers out(x.size());
  Numbers gradient(w.size());
  const base::StopScope scope([] { return true; });
  EXPECT_THROW(affine(rows, side, side, x.data(), w.data(), bias.data(), out.data()),
               base::Interrupted);
  EXPECT_THROW(multiply_transposed(rows, side, side, delta.data(), w.data(), out.data()),
               base::Interrupted);
  EXPECT_THROW(add_outer_products(rows, side, side, x.data(), delta.data(), gradient.data()),
               base::Interrupted);
  EXPECT_NO_THROW(affine(16, side, side, x.data(), w.data(), bias.data(), out.data()));
}

}  // namespace
}  // namespace fairfront::models
