/// @file
/// Mutually nondominated corners of the plane, in blocks that lie in the cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <vector>

namespace fairfront::pareto {

/// Corners whose x ascends while y descends, as a Staircase, for questions and corners in great
/// numbers: neighbours lie side by side, and a search ends in one block. O(log n) for a question;
/// O(log n) and a move within a block for a corner, amortised.
class CornerBlocks {
 public:
  /// Takes a corner unless some corner is no worse in both; those that are no better in both give
  /// way.
  /// @return  whether it was taken.
  bool offer(double x, double y) {
    if (blocks_.empty()) {
      insert_block(0, x, y);
      return true;
    }
    const auto after = std::upper_bound(first_.begin(), first_.end(), x);
    if (after == first_.begin()) {
      add(0, 0, x, y);
      return true;
    }
    const auto number = static_cast<std::size_t>(after - first_.begin()) - 1;
    const Block& block = *blocks_[number];
    const auto begin = block.x.begin();
    const auto right = std::upper_bound(begin, begin + block.size, x);
    auto place = static_cast<std::size_t>(right - begin);
    if (block.y[place - 1] <= y) return false;
    if (block.x[place - 1] == x) --place;
    add(number, place, x, y);
    return true;
  }

 private:
  static constexpr std::size_t most = 128;
  struct Block {
    std::ptrdiff_t size = 0;
    std::array<double, most> x;
    std::array<double, most> y;

    void erase(std::ptrdiff_t begin, std::ptrdiff_t end) {
      std::copy(x.begin() + end, x.begin() + size, x.begin() + begin);
      std::copy(y.begin() + end, y.begin() + size, y.begin() + begin);
      size -= end - begin;
    }
    void insert(std::ptrdiff_t place, double new_x, double new_y) {
      std::copy_backward(x.begin() + place, x.begin() + size, x.begin() + size + 1);
      std::copy_backward(y.begin() + place, y.begin() + size, y.begin() + size + 1);
      x[static_cast<std::size_t>(place)] = new_x;
      y[static_cast<std::size_t>(place)] = new_y;
      ++size;
    }
    /// The first at or behind `place` whose y is less.
    [[nodiscard]] std::ptrdiff_t first_below(std::ptrdiff_t place, double bound) const {
      while (place < size && y[static_cast<std::size_t>(place)] >= bound) ++place;
      return place;
    }
  };

  void insert_block(std::size_t number, double x, double y) {
    auto block = std::make_unique<Block>();
    block->insert(0, x, y);
    blocks_.insert(std::next(blocks_.begin(), offset(number)), std::move(block));
    first_.insert(std::next(first_.begin(), offset(number)), x);
  }

  /// @param place  in the block, before which the corner belongs.
  void add(std::size_t number, std::size_t place, double x, double y) {
    Block& block = *blocks_[number];
    const std::ptrdiff_t here = offset(place);
    const std::ptrdiff_t end = block.first_below(here, y);
    if (end == block.size) clear_behind(number, y);
    block.erase(here, end);
    if (block.size == offset(most)) {
      split(number);
      Block& left = *blocks_[number];
      if (here > left.size) {
        blocks_[number + 1]->insert(here - left.size, x, y);
        return;
      }
      left.insert(here, x, y);
    } else {
      block.insert(here, x, y);
    }
    if (place == 0) first_[number] = x;
  }

  /// Those of the blocks behind this one whose y is no less.
  void clear_behind(std::size_t number, double y) {
    std::size_t next = number + 1;
    while (next < blocks_.size() && last_height(*blocks_[next]) >= y) ++next;
    const auto drop = [&](auto& of) {
      of.erase(std::next(of.begin(), offset(number + 1)), std::next(of.begin(), offset(next)));
    };
    drop(blocks_);
    drop(first_);
    if (number + 1 == blocks_.size()) return;
    Block& block = *blocks_[number + 1];
    block.erase(0, block.first_below(0, y));
    first_[number + 1] = block.x[0];
  }

  void split(std::size_t number) {
    Block& block = *blocks_[number];
    auto right = std::make_unique<Block>();
    constexpr std::ptrdiff_t half = most / 2;
    std::copy(block.x.begin() + half, block.x.begin() + block.size, right->x.begin());
    std::copy(block.y.begin() + half, block.y.begin() + block.size, right->y.begin());
    right->size = block.size - half;
    block.size = half;
    first_.insert(std::next(first_.begin(), offset(number + 1)), right->x[0]);
    blocks_.insert(std::next(blocks_.begin(), offset(number + 1)), std::move(right));
  }

  [[nodiscard]] static double last_height(const Block& block) {
    return block.y[static_cast<std::size_t>(block.size - 1)];
  }
  [[nodiscard]] static std::ptrdiff_t offset(std::size_t place) {
    return static_cast<std::ptrdiff_t>(place);
  }

  std::vector<std::unique_ptr<Block>> blocks_;  ///< none is empty
  std::vector<double> first_;                   ///< x of the first corner of each
};

}  // namespace fairfront::pareto
