#include "sweep/launch.hpp"
#include "base/system.hpp"
#include "results/content.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <map>

namespace fairfront::sweep::test {
namespace {

using testing::HasSubstr;

Environment environment_of(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional{found->second};
  };
}

bool refused(int world_size, std::map<std::string, std::string> variables) {
  return singleton_complaint(world_size, environment_of(std::move(variables))).has_value();
}

TEST(Singletons, SeveralProcessesThatAreEachAloneAreRefused) {
  EXPECT_TRUE(refused(1, {{"OMPI_COMM_WORLD_SIZE", "4"}}));
  EXPECT_TRUE(refused(1, {{"PMI_SIZE", "2"}}));
  EXPECT_TRUE(refused(1, {{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_NUM_TASKS", "3"}}));
  EXPECT_THAT(*singleton_complaint(1, environment_of({{"SLURM_STEP_NUM_TASKS", "3"}})),
              HasSubstr("started 3 processes (SLURM_STEP_NUM_TASKS)"));
}

TEST(Singletons, APlainStartInAJobOfSeveralTasksIsRefused) {
  EXPECT_TRUE(refused(1, {{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "8"}}));
  EXPECT_THAT(
      *singleton_complaint(1, environment_of({{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "8"}})),
      HasSubstr("srun -n 1"));
}

TEST(Singletons, OneRankByIntentionIsAllowed) {
  EXPECT_FALSE(refused(1, {}));
  EXPECT_FALSE(refused(1, {{"SLURM_NTASKS", "8"}})) << "left over from elsewhere";
  EXPECT_FALSE(refused(1, {{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "1"}}));
  EXPECT_FALSE(
      refused(1, {{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "8"}, {"OMPI_COMM_WORLD_SIZE", "1"}}))
      << "mpirun -n 1 in a larger job";
  EXPECT_FALSE(
      refused(1, {{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "8"}, {"SLURM_STEP_NUM_TASKS", "1"}}))
      << "srun -n 1 in a larger job";
}

TEST(Singletons, ARealWorldIsNeverRefused) {
  EXPECT_FALSE(refused(4, {{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "8"}}));
}

TEST(Launch, NamesAreFolded) {
  EXPECT_EQ(fold_names({"a", "a", "b", "a"}), "a x3, b");
  EXPECT_EQ(fold_names({}), "");
}

TEST(Launch, SlurmIdsNameJobArrayNodesAndRestarts) {
  EXPECT_EQ(slurm_ids(environment_of({})), "");
  EXPECT_EQ(slurm_ids(environment_of({{"SLURM_JOB_ID", "12"},
                                      {"SLURM_ARRAY_JOB_ID", "10"},
                                      {"SLURM_ARRAY_TASK_ID", "2"},
                                      {"SLURM_JOB_NODELIST", "n[1-2]"},
                                      {"SLURM_RESTART_COUNT", "1"}})),
            "job=12 array=10_2 nodes=n[1-2] restarts=1");
}

TEST(Launch, TimesAreUtc) {
  EXPECT_EQ(format_utc(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_utc(1769862896), "2026-01-31T12:34:56Z");
}

TEST(Launch, TheProvenanceKeepsTheBuildAndAddsTheRanks) {
  const parallel::Comm world(MPI_COMM_WORLD);
  results::LaunchFacts build;
  build.compiler = "some compiler";
  const results::LaunchFacts provenance = describe_launch(world, build);
  EXPECT_EQ(provenance.compiler, "some compiler");
  EXPECT_EQ(provenance.ranks, world.size());
  EXPECT_EQ(provenance.team_size, world.size());
  EXPECT_EQ(provenance.created.size(), 20u);
  EXPECT_EQ(provenance.hosts.empty(), !world.is_root());
  EXPECT_EQ(provenance.c_libraries.starts_with(base::c_library()), world.is_root());
  EXPECT_EQ(provenance.processors.starts_with(base::processor()), world.is_root());
}

}  // namespace
}  // namespace fairfront::sweep::test
