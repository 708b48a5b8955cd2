// Runs the tests on every rank; a failure on any rank fails the program on all of them.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

/// Leaves out the tests of all files but those in `files`, such as "a_test.cpp,b_test.cpp", beside
/// what the command line leaves out. False where there is none of them.
bool only_of(const std::string& files) {
  std::string others;
  bool found = false;
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  for (int i = 0; i < tests.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *tests.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      const testing::TestInfo& test = *suite.GetTestInfo(k);
      const std::string file = std::filesystem::path(test.file()).filename().string();
      if (("," + files + ",").find("," + file + ",") != std::string::npos) {
        found = true;
      } else {
        others += std::string(":") + suite.name() + "." + test.name();
      }
    }
  }
  std::string filter = GTEST_FLAG_GET(filter);
  if (filter.find('-') == std::string::npos) filter += '-';
  GTEST_FLAG_SET(filter, filter + others);
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  ::testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    ::testing::TestEventListeners& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_xml_generator());
  }
  const char* files = std::getenv("FAIRFRONT_TEST_FILES");
  int failed = files != nullptr && !only_of(files) ? 1 : RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
