// Runs whose rows a team shares have the bits of one rank alone, end together, and fail together.
#include "solvers/training/row_team.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "parallel/agree.hpp"
#include "solvers/training/aimed.hpp"
#include "solvers/training/full_data.hpp"
#include "solvers/training/last_layer.hpp"
#include "solvers/training/pass.hpp"
#include "solvers/training/row_pieces.hpp"
#include "solvers/training/sgd.hpp"
#include "solvers/training/support.hpp"

namespace fairfront::training {
namespace {

using solvers::Request;
using test::Data;

constexpr int many_rows = 70'000;
const Address team_address{.seed = 1, .task_key = "test"};
const RateBound positive_rates{RateKind::demographic_parity, RateOf::decisions, 0.5};

/// Two groups and one of some ten rows.
const Data& many() {
  static const Data data = [] {
    Data made(3, many_rows, 3, 2);
    for (std::size_t i = 0; i < 70'000; i += 7'000) made.groups[i] = 2;
    return made;
  }();
  return data;
}

struct Shared {
  Problem problem;
  std::string name;
};
std::vector<Shared> shared_problems() {
  return {{many().problem({}), "linear"},
          {many().problem({6}), "network"},
          {many().problem({}, positive_rates), "rates"},
          {many().problem({6}, positive_rates), "rates of a network"}};
}

std::vector<double> first_weights(const Problem& problem) {
  return initial_weights(problem.model, models::Initialisation::fan_in, 1);
}

Problem shared_by(RowTeam& team, Problem problem) {
  problem.team = &team;
  return problem;
}

TEST(RowPieces, HaveEveryRowOnceAndNoneOfTwoSlots) {
  const std::vector<std::int64_t> slots{5, 0, 12, 1, 30};
  const RowPieces pieces(nullptr, slots, 7);
  std::int64_t next = 0;
  std::vector<std::int64_t> rows(slots.size(), 0);
  for (const Piece& piece : pieces.all()) {
    EXPECT_EQ(piece.first, next);
    EXPECT_GE(piece.count, 1);
    EXPECT_LE(piece.count, 7);
    next += piece.count;
    rows[piece.slot] += piece.count;
  }
  EXPECT_EQ(rows, slots);
}

TEST(RowPieces, AreSharedOutWhole) {
  const parallel::Comm world(MPI_COMM_WORLD);
  RowTeam team(world, test::no_control);
  for (const std::int64_t count : {0, 1, 2, 3, 50, 64}) {
    RowPieces pieces(&team, {&count, 1}, 1);
    const auto seen = pieces.compute(1, [&](const Piece& piece, std::span<double> out) {
      out[0] = static_cast<double>(piece.first + 1);
    });
    ASSERT_EQ(std::ssize(seen), count);
    for (std::int64_t p = 0; p < count; ++p) {
      EXPECT_EQ(seen[static_cast<std::size_t>(p)], static_cast<double>(p + 1));
    }
    // A sum of many sizes hangs on the order of its terms.
    const auto size = [](const Piece& piece, std::span<double> out) {
      out[0] = 1 / (1 + 3.7 * static_cast<double>(piece.first));
    };
    RowPieces alone(nullptr, {&count, 1}, 1);
    std::vector<double> expected{0.25}, found{0.25};
    alone.add(expected, size);
    pieces.add(found, size);
    EXPECT_EQ(found, expected);
    double naive = 0.25;
    for (std::int64_t p = 0; p < count; ++p) naive += 1 / (1 + 3.7 * static_cast<double>(p));
    EXPECT_NEAR(found[0], naive, 1e-14);
    const auto own = parallel::all_reduce_sum(world, pieces.rows());
    EXPECT_EQ(own, count);
    // Nobody has much more than a fair share.
    EXPECT_LE(pieces.rows() * world.size(), count + 2 * world.size());
  }
}

TEST(RowPieces, OfFewRowsAreOneAndDoNotHangOnTheTeam) {
  EXPECT_FALSE(are_shared_rows(65'535));
  EXPECT_TRUE(are_shared_rows(65'536));
  EXPECT_FALSE(is_shared_batch(511, 1'000'000));
  EXPECT_TRUE(is_shared_batch(512, 1'000'000));
  EXPECT_FALSE(is_shared_batch(512, 100));
  for (const std::int64_t rows : {65'536, 100'000, 1'400'000}) {
    EXPECT_EQ(rows_a_piece(rows, 64) % 128, 0);
    EXPECT_LE((rows + rows_a_piece(rows, 64) - 1) / rows_a_piece(rows, 64), 64);
  }
}

/// By one row after the other.
PartLosses counted_losses(const Problem& problem, std::span<const double> w) {
  FullData full(problem, test::no_control);
  const auto& part = problem.train;
  std::vector<double> cells(part.of_cell.size(), 0.0);
  double loss = 0;
  Pass pass(problem);
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    loss += pass.forward(w, {&part.rows[i], 1})[0];
    const auto k = static_cast<std::size_t>(part.cell[i]);
    cells[k] += pass.cell_values()[0] / static_cast<double>(part.of_cell[k].size());
  }
  return {loss / static_cast<double>(part.rows.size()), {}, cells};
}

TEST(FullData, OfManyRowsIsWhatSingleRowsSay) {
  for (const auto& [problem, name] : shared_problems()) {
    const std::vector<double> w = first_weights(problem);
    const PartLosses expected = counted_losses(problem, w);
    FullData full(problem, test::no_control);
    const PartLosses found = full.losses(problem.train, w);
    EXPECT_NEAR(found.loss, expected.loss, 1e-12) << name;
    for (std::size_t k = 0; k < found.cells.size(); ++k) {
      EXPECT_NEAR(found.cells[k], expected.cells[k], 1e-12) << name;
    }
  }
}

TEST(RowTeam, HasTheBitsOfOneRankOnAllRows) {
  const parallel::Comm world(MPI_COMM_WORLD);
  RowTeam team(world, test::no_control);
  for (const auto& [problem, name] : shared_problems()) {
    const Problem shared = shared_by(team, problem);
    const std::vector<double> w = first_weights(problem);
    FullData alone(problem, test::no_control), together(shared, test::no_control);
    const Derivatives expected = alone.derivatives(w), found = together.derivatives(w);
    EXPECT_EQ(found.values.loss, expected.values.loss) << name;
    EXPECT_EQ(found.values.cells, expected.values.cells) << name;
    EXPECT_EQ(found.gradient, expected.gradient) << name;
    EXPECT_EQ(found.jacobian, expected.jacobian) << name;
    EXPECT_EQ(together.losses(problem.train, w).cells, alone.losses(problem.train, w).cells);
    EXPECT_EQ(together.scores(problem.train, w), alone.scores(problem.train, w)) << name;
  }
}

TEST(RowTeam, HasTheBitsOfOneRankInLargeBatches) {
  const parallel::Comm world(MPI_COMM_WORLD);
  RowTeam team(world, test::no_control);
  const Problem problem = many().problem({128, 128});
  const Problem shared = shared_by(team, problem);
  const std::vector<double> w = first_weights(problem);
  Pass alone(problem), together(shared);
  for (const std::int64_t count : {512, 1, 1000, 511, 513, 2000, 0, 700}) {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), 17);
    const auto losses = alone.forward(w, rows);
    const std::vector<double> expected(losses.begin(), losses.end());
    const auto found = together.forward(w, rows);
    EXPECT_EQ(std::vector<double>(found.begin(), found.end()), expected);
    std::vector<double> one(w.size(), 0.25), all = one, factors(rows.size(), 0.5);
    alone.backward(w, factors, one);
    together.backward(w, factors, all);
    EXPECT_EQ(all, one) << count;
  }
}

/// All that a last layer says along a way of some steps.
std::vector<double> walk_of_layer(LastLayer& layer, bool counts) {
  std::vector<double> said;
  const auto say = [&](const LastLayerPoint& point) {
    said.push_back(point.loss);
    said.insert(said.end(), point.cells.begin(), point.cells.end());
    said.insert(said.end(), point.gaps.begin(), point.gaps.end());
    said.insert(said.end(), point.decided.begin(), point.decided.end());
    said.push_back(point.is_certain ? 1 : 0);
  };
  std::vector<double> v(layer.size());
  for (std::size_t j = 0; j < v.size(); ++j) v[j] = 0.3 - 0.2 * static_cast<double>(j);
  say(layer.at(v));
  const std::vector<double> multipliers(layer.constraints().cells().size(), 0.4);
  LastLayer::Vector of_loss;
  LastLayer::Matrix of_cells, curvature;
  const auto look_around = [&] {
    layer.gradients(of_loss, of_cells);
    layer.curvature(multipliers, curvature);
    for (const auto* matrix : {&of_cells, &curvature}) {
      said.insert(said.end(), matrix->data(), matrix->data() + matrix->size());
    }
    said.insert(said.end(), of_loss.data(), of_loss.data() + of_loss.size());
    said.push_back(layer.root_mean_square());
    said.push_back(layer.best_size());
  };
  look_around();
  if (!counts) return said;
  layer.begin_line();
  for (double& weight : v) weight = -0.5 * weight + 0.1;
  say(layer.at(v));
  layer.end_line();
  for (const auto& gaps : layer.gaps_on_line(1, 64)) {
    said.insert(said.end(), gaps.begin(), gaps.end());
  }
  say(layer.on_line(0.3));
  const auto band = layer.decision_band(0.2).cells();
  said.insert(said.end(), band.begin(), band.end());
  layer.line_of_thresholds(0.5);
  for (const auto& gaps : layer.gaps_on_line(1, 16)) {
    said.insert(said.end(), gaps.begin(), gaps.end());
  }
  const auto shifts = layer.shifts_within(
      [](const std::vector<double>& cells) { return *std::ranges::max_element(cells) < 0.3; });
  said.insert(said.end(), shifts.begin(), shifts.end());
  say(layer.with_other_scores(0.2, 1.5));
  layer.smooth_decisions(v, 0.3);
  say(layer.at(v));
  look_around();
  return said;
}

TEST(RowTeam, HasTheBitsOfOneRankInALastLayer) {
  const parallel::Comm world(MPI_COMM_WORLD);
  RowTeam team(world, test::no_control);
  for (const auto& [problem, name] : shared_problems()) {
    const Problem shared = shared_by(team, problem);
    const std::vector<double> w = first_weights(problem);
    for (const double share : {1.0, 0.95, 0.1}) {
      LastLayer alone(problem, w, share), together(shared, w, share);
      const bool counts = problem.constraints.rate().has_value();
      EXPECT_EQ(walk_of_layer(together, counts), walk_of_layer(alone, counts))
          << name << ' ' << share;
    }
  }
}

TEST(LastLayer, OfManyRowsIsWhatAllRowsSay) {
  for (const auto& [problem, name] : shared_problems()) {
    const std::vector<double> w = first_weights(problem);
    LastLayer layer(problem, w);
    const auto last =
        std::span(w).subspan(static_cast<std::size_t>(problem.model.layers().back().weights));
    const LastLayerPoint found = layer.at({last.begin(), last.end()});
    const PartLosses expected = counted_losses(problem, w);
    EXPECT_NEAR(found.loss, expected.loss, 1e-12) << name;
    for (std::size_t k = 0; k < found.cells.size(); ++k) {
      EXPECT_NEAR(found.cells[k], expected.cells[k], 1e-12) << name;
    }
    LastLayer::Vector of_loss;
    LastLayer::Matrix of_cells;
    layer.gradients(of_loss, of_cells);
    const std::vector<double> gradient =
        FullData(problem, test::no_control).derivatives(w).gradient;
    for (std::size_t j = 0; j < layer.size(); ++j) {
      EXPECT_NEAR(of_loss[static_cast<Eigen::Index>(j)],
                  gradient[gradient.size() - layer.size() + j], 1e-12);
    }
  }
}

/// Wide enough for shared batches of this many rows, and no wider: whole runs take their time, most
/// of all with wide layers.
const std::vector<std::int64_t> wide{40, 40};
constexpr std::int64_t large_batch = 4'608;

/// Of every kind of run whose steps a team can share.
struct Kind {
  std::string name;
  std::function<TrainingResult(const Problem&, const solvers::Control&)> run;
};
std::vector<Kind> kinds_of_run() {
  const auto aimed = [](CertifiedOptions options, std::int64_t budget) {
    return [=](const Problem& problem, const solvers::Control& control) {
      return aimed_training(problem, options, team_address, first_weights(problem),
                            {.budget = budget, .trace_points = 2}, control)
          .result;
    };
  };
  return {{"last layer", aimed({.delta = 0.02}, 8 * many_rows)},
          {"batches and last layer", aimed({.delta = 0.02, .batch = large_batch}, 5 * many_rows)},
          {"folds", aimed({.delta = 0.02, .batch = large_batch, .shift = Shift::folds, .folds = 2},
                          4 * many_rows)},
          {"sgd", [](const Problem& problem, const solvers::Control& control) {
             Sgd sgd(problem, {.batch = large_batch + 50}, team_address);
             return train(problem, sgd, first_weights(problem),
                          {.budget = 2 * many_rows, .trace_points = 2}, control);
           }}};
}

std::string bits_of(const TrainingResult& result) {
  std::string bits = std::to_string(result.evaluations) + ':';
  const auto append = [&](const std::vector<double>& values) {
    bits.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  };
  append(result.w);
  for (const std::vector<double>& series : result.trace.values) append(series);
  return bits;
}

/// On every rank, though one alone makes the run, and once: together they would take as long as all
/// after each other.
const std::string& bits_of_one_rank(const parallel::Comm& world, const Kind& kind,
                                    const Shared& of) {
  static std::map<std::string, std::string> known;
  const auto [found, is_new] = known.try_emplace(of.name + ", " + kind.name);
  if (is_new) {
    found->second = parallel::broadcast(
        world, 0, world.is_root() ? bits_of(kind.run(of.problem, {})) : std::string());
  }
  return found->second;
}

Shared wide_network() { return {many().problem(wide), "network"}; }

TEST(RowTeam, HasTheBitsOfOneRankInWholeRuns) {
  const parallel::Comm world(MPI_COMM_WORLD);
  RowTeam team(world, test::no_control);
  const std::vector<Shared> two{wide_network(), {many().problem({}, positive_rates), "rates"}};
  for (const Shared& of : two) {
    const Problem shared = shared_by(team, of.problem);
    for (const Kind& kind : kinds_of_run()) {
      EXPECT_TRUE(bits_of(kind.run(shared, team.control())) == bits_of_one_rank(world, kind, of))
          << of.name << ", " << kind.name;
    }
  }
  EXPECT_TRUE(is_shared_batch(large_batch, two[0].problem.model.parameters()));
}

TEST(RowTeam, HasTheBitsOfOneRankInADraw) {
  const parallel::Comm world(MPI_COMM_WORLD);
  RowTeam team(world, test::no_control);
  const CertifiedOptions options{.delta = 0.02,
                                 .last_layer_evaluations = 4,
                                 .classifier = Classifier::randomised,
                                 .draw_evaluations = 12};
  for (const std::vector<std::int64_t>& hidden : {std::vector<std::int64_t>{}, {8}}) {
    const Problem problem = many().problem(hidden, positive_rates);
    const Problem shared = shared_by(team, problem);
    const auto draw_of = [&](const Problem& of, const solvers::Control& control) {
      return aimed_training(of, options, team_address, first_weights(of),
                            {.budget = 9 * many_rows, .trace_points = 0}, control)
          .draw;
    };
    const RandomisedClassifier expected = draw_of(problem, {});
    const RandomisedClassifier found = draw_of(shared, team.control());
    EXPECT_GT(expected.members.size(), 1U);
    EXPECT_EQ(found.members, expected.members);
    EXPECT_EQ(found.shares, expected.shares);
    EXPECT_EQ(found.error, expected.error);
  }
}

/// Of the last rank, after so many questions.
solvers::Control stopped_by_last(const parallel::Comm& world, std::int64_t after) {
  const bool is_last = world.rank() + 1 == world.size();
  return {.request = [is_last, left = after]() mutable {
    return is_last && --left < 0 ? Request::stop : Request::go_on;
  }};
}

TEST(RowTeam, EndsTogetherWhereOneRankIsStoppedAndGoesOnWithTheSameBits) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const Shared network = wide_network();
  for (const Kind& kind : kinds_of_run()) {
    const std::string& expected = bits_of_one_rank(world, kind, network);
    std::optional<std::string> state;
    bool done = false;
    int stops = 0;
    while (!done) {
      // What has no state within, such as a last layer, ends only where it is left alone.
      constexpr int enough = 5;
      solvers::Control control;
      if (stops < enough) control = stopped_by_last(world, 1 + stops % 3);
      if (world.is_root()) {
        control.save = [&](const std::string& saved) { state = saved; };
        control.resume = state;
      }
      RowTeam team(world, control);
      const Problem shared = shared_by(team, network.problem);
      try {
        EXPECT_TRUE(bits_of(kind.run(shared, team.control())) == expected) << kind.name;
        done = true;
      } catch (const solvers::Interrupted&) {
        ++stops;
      }
      ASSERT_EQ(parallel::all_reduce_sum(world, done ? 1 : 0), done ? world.size() : 0);
    }
    EXPECT_GT(stops, 0) << kind.name;
  }
}

TEST(RowTeam, FailsTogetherWithTheWordsOfOneRank) {
  const parallel::Comm world(MPI_COMM_WORLD);
  RowTeam team(world, test::no_control);
  const Problem problem = many().problem({6}), shared = shared_by(team, problem);
  std::vector<double> w = first_weights(problem);
  for (double& weight : w) weight *= 1e6;
  const auto words_of = [&](const Problem& of) -> std::string {
    try {
      (void)FullData(of, test::no_control).losses(of.train, w);
    } catch (const std::domain_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(words_of(problem), "");
  EXPECT_EQ(words_of(shared), words_of(problem));
}

TEST(RowTeam, FailsTogetherWhereOneRankDoes) {
  const parallel::Comm world(MPI_COMM_WORLD);
  RowTeam team(world, test::no_control);
  const std::int64_t rows = 64;
  RowPieces pieces(&team, {&rows, 1}, 1);
  const auto fail_at_last = [](const Piece& piece, std::span<double>) {
    if (piece.first == 63) throw base::InputError("no such row");
  };
  EXPECT_THROW((void)pieces.compute(1, fail_at_last), parallel::CollectiveError);
  // Afterwards they work again.
  const auto sums = pieces.compute(1, [](const Piece&, std::span<double> out) { out[0] = 1; });
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0.0), 64.0);
}

TEST(RowTeam, DoesOnRankZeroAloneWhatIsNotShared) {
  const parallel::Comm world(MPI_COMM_WORLD);
  RowTeam team(world, test::no_control);
  int calls = 0;
  team.on_root([&] { ++calls; });
  EXPECT_EQ(parallel::all_reduce_sum(world, calls), 1);
  EXPECT_THROW(team.on_root([] { throw solvers::Interrupted(); }), solvers::Interrupted);
  EXPECT_THROW(team.on_root([] { throw base::InputError("no"); }), parallel::CollectiveError);
}

}  // namespace
}  // namespace fairfront::training
