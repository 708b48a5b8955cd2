#include "solvers/regression/bounded_system.hpp"

#include <gtest/gtest.h>

#include "base/stop.hpp"
#include "optimise/l1_quadratic.hpp"
#include "solvers/regression/sampled_rows.hpp"

namespace fairfront::regression {
namespace {

// Sixty groups and 99 atoms: a system of 5,900 unknowns took 12 s between two looks.
TEST(BoundedSystem, AStopIsObeyedWithinAStepHoweverManyAtomsThereAre) {
  constexpr std::int64_t groups = 6, half_atoms = 20;
  const Sampled sampled(3, 200, groups);
  const PredictedRows rows = sampled.rows();
  const ParityDual dual(rows, {half_atoms, 1}, ParityBound::atom,
                        std::vector<double>(static_cast<std::size_t>(groups), 0.01));
  const FreeTilts free = free_tilts(rows, dual.kept_groups());
  const ParityDual smooth(free.rows, {half_atoms, 1}, ParityBound::atom,
                          std::vector<double>(static_cast<std::size_t>(free.rank()), 0.0));
  BoundedSystem system(dual, free, smooth);
  const Eigen::Index atoms = dual.size() / dual.blocks();
  const std::vector<double> weights(static_cast<std::size_t>(rows.rows() * atoms), 1.0);
  const Eigen::VectorXd softness = Eigen::VectorXd::Ones(dual.size());
  std::int64_t asked = 0;
  {
    const base::StopScope scope([&] { return ++asked < 0; });
    ASSERT_TRUE(system.factorise(weights, softness));
  }
  // Every atom's decomposition, its part of the kernel, its blocks of the system.
  EXPECT_GE(asked, 3 * atoms);
  const std::int64_t all = asked;
  for (const std::int64_t wanted : {std::int64_t{1}, atoms, 2 * atoms, all}) {
    asked = 0;
    const base::StopScope scope([&] { return ++asked == wanted; });
    EXPECT_THROW((void)system.factorise(weights, softness), base::Interrupted) << wanted;
  }
}

// One step of so many unknowns: its decomposition is done beside the thread that asks.
TEST(L1Quadratic, AStopIsObeyedWithinAStepOfNewtonsMethod) {
  constexpr Eigen::Index size = 1500;
  const Eigen::MatrixXd hessian = 2 * Eigen::MatrixXd::Identity(size, size);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(size);
  int asked = 0;
  const base::StopScope scope([&] { return ++asked == 2; });
  EXPECT_THROW(
      (void)optimise::minimise_l1_quadratic(hessian, Eigen::VectorXd::Ones(size), zero, zero, 1e30),
      base::Interrupted);
}

}  // namespace
}  // namespace fairfront::regression
