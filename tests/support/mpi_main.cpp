// Runs the tests on every rank; a failure on any rank fails the program on all of them.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#define FAIRFRONT_FINDS_LEAKS
#endif
#endif

namespace {

/// What Open MPI takes at its start and never gives back is no leak of ours.
void start_mpi(int& argc, char**& argv) {
#ifdef FAIRFRONT_FINDS_LEAKS
  const __lsan::ScopedDisabler disabler;
#endif
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
}

/// While Open MPI is whole, as its libraries are gone after its end and what they hold has no name.
bool leaks() {
#ifdef FAIRFRONT_FINDS_LEAKS
  return __lsan_do_recoverable_leak_check() != 0;
#else
  return false;
#endif
}

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
  start_mpi(argc, argv);
  ::testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    ::testing::TestEventListeners& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_xml_generator());
  }
  const char* files = std::getenv("FAIRFRONT_TEST_FILES");
  int failed = files != nullptr && !only_of(files) ? 1 : RUN_ALL_TESTS();
  if (leaks()) failed = 1;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
