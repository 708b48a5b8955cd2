#include "metrics/ordered_sample.hpp"

#include <utility>

namespace fairfront::metrics {
namespace {

/// Of many groups there are more pairs than what is asked of them twice.
constexpr std::size_t kept_estimates = 1000;

template <class T>
bool are_same(std::span<const T> a, std::span<const T> b) noexcept {
  return a.data() == b.data() && a.size() == b.size();
}

}  // namespace

Scored OrderedSample::sample() const noexcept {
  Scored sample = scored_;
  sample.ordered = this;
  return sample;
}

bool OrderedSample::is_of(const Scored& scored) const noexcept {
  return are_same(scored.score, scored_.score) && are_same(scored.label, scored_.label) &&
         are_same(scored.group, scored_.group) && scored.groups == scored_.groups;
}

const CellsInOrder* OrderedSample::in_order() const noexcept {
  return rows_ != nullptr ? &rows_->in_order() : nullptr;
}

void OrderedSample::take_order(std::vector<std::uint32_t> order) {
  rows_ = std::make_unique<const RowsInOrder>(scored_, CellsInOrder(scored_, std::move(order)));
}

void OrderedSample::put_in_order() const {
  if (rows_ == nullptr) rows_ = std::make_unique<const RowsInOrder>(scored_);
}

const SortedCells& OrderedSample::cells() const {
  if (cells_ != nullptr) return *cells_;
  if (expects_estimates_) put_in_order();
  cells_ = std::make_unique<const SortedCells>(scored_, rows_.get());
  return *cells_;
}

OrderedSample::Key OrderedSample::key_of(const AucSum& sum) const {
  Key key{{sum.constant}, {}};
  for (const AucTerm& term : sum.terms) {
    key.first.push_back(term.sign);
    for (const RowSet* set : {&term.above, &term.below}) {
      const std::vector<bool> cells = rows_->cells_of(*set);
      key.second.insert(key.second.end(), cells.begin(), cells.end());
    }
  }
  return key;
}

EstimatedSum OrderedSample::estimate(const AucSum& sum) const {
  put_in_order();
  Key key = key_of(sum);
  const auto known = estimates_.find(key);
  if (known != estimates_.end()) return known->second;
  EstimatedSum found = estimated(*rows_, sum);
  // Why there is none is said by the names of the sets, which others of the same rows have not.
  const bool keep = found.missing.empty() && estimates_.size() < kept_estimates;
  if (keep) estimates_.emplace(std::move(key), found);
  return found;
}

std::shared_ptr<const OrderedSample> ordered(const Scored& scored) {
  if (scored.ordered != nullptr && scored.ordered->is_of(scored)) {
    return {std::shared_ptr<const OrderedSample>{}, scored.ordered};  // owned by who made it
  }
  return std::make_shared<const OrderedSample>(scored);
}

}  // namespace fairfront::metrics
