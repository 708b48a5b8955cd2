#include "solvers/training/row_team.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "parallel/agree.hpp"

namespace fairfront::training {
namespace {

using solvers::Request;

/// What a rank has to say where it meets the others; the largest counts.
enum class Word : std::int64_t { nothing, stop, diverged, failed };

Word word_of(const std::exception_ptr& failure) {
  if (!failure) return Word::nothing;
  try {
    std::rethrow_exception(failure);
  } catch (const std::domain_error&) {
    return Word::diverged;
  } catch (...) {
    return Word::failed;
  }
}

}  // namespace

RowTeam::RowTeam(const parallel::Comm& ranks, const solvers::Control& control)
    : ranks_{ranks}, control_{control}, shared_{control}, heart_{control} {
  const bool resumes = parallel::all_reduce_max(ranks, control.resume ? 1 : 0) != 0;
  if (resumes) shared_.resume = parallel::broadcast(ranks, 0, control.resume.value_or(""));
  shared_.request = [this] {
    const bool wished = std::exchange(has_wished_checkpoint_, false);
    return wished || control_.wanted() == Request::checkpoint ? Request::checkpoint
                                                              : Request::go_on;
  };
}

void RowTeam::exchange(std::span<double> values, std::span<const std::int64_t> lengths,
                       std::exception_ptr failure) {
  Word mine = word_of(failure);
  const Request wanted = heart_.ask();
  if (wanted == Request::checkpoint) has_wished_checkpoint_ = true;
  if (wanted == Request::stop) mine = std::max(mine, Word::stop);
  const auto words = parallel::all_gather(ranks_, values, lengths, static_cast<std::int64_t>(mine));
  work_ = 0;
  const auto worst = std::ranges::max_element(words);
  switch (static_cast<Word>(*worst)) {
    case Word::nothing:
      return;
    case Word::stop:
      stop_is_agreed_ = true;
      return;
    case Word::diverged:
      // The first rank has the first pieces: what it says is what one rank alone would say.
      throw std::domain_error(parallel::broadcast(ranks_, static_cast<int>(worst - words.begin()),
                                                  failure ? base::message_of(failure) : ""));
    case Word::failed:
      parallel::agree(ranks_, "", [&] {
        if (mine == Word::failed) std::rethrow_exception(failure);
      });
  }
}

void RowTeam::meet_after(double work) {
  constexpr double often_enough = 2e8;  // products: a tenth of a second or less
  work_ += work;
  if (work_ < often_enough) return;
  const std::vector<std::int64_t> nothing(static_cast<std::size_t>(size()), 0);
  exchange({}, nothing, nullptr);
}

void RowTeam::stop_point() const {
  if (stop_is_agreed_) throw solvers::Interrupted();
}

void RowTeam::on_root(const std::function<void()>& work) const {
  bool interrupted = false;
  parallel::agree(ranks_, "", [&] {
    if (!is_root()) return;
    const base::StopScope scope([this] { return control_.wanted() == Request::stop; });
    try {
      work();
    } catch (const solvers::Interrupted&) {
      interrupted = true;
    }
  });
  if (parallel::all_reduce_max(ranks_, interrupted ? 1 : 0) != 0) throw solvers::Interrupted();
}

}  // namespace fairfront::training
