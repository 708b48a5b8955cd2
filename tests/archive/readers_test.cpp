#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "archive/archive.hpp"
#include "archive/edit.hpp"
#include "results/content.hpp"

namespace fairfront::archive::test {
namespace {

results::Content front_of_two_points() {
  const results::Quantity error{"error", "share of wrong labels", "1", results::Direction::minimise,
                                "eq. 1"};
  const results::Quantity balance{"balance", "least share", "1", results::Direction::maximise,
                                  "eq. 2"};
  results::Content content;
  content.experiment = "clustering";
  content.config = {{"method", "seed", "1, 2"}, {"method", "name", "β"}};
  content.tasks = {
      {std::string(64, 'a')},  {"method"}, {0}, {0}, {0}, {}, {results::TaskStatus::done}, {""},
      {"score weights=labels"}};
  content.timing = {.started = {1e9}, .seconds = {0.5}, .rank = {0}, .attempt = {1}};
  content.solutions = {{error, {0}, {0, 3}, std::vector<std::uint8_t>{2, 0, 1}}};
  content.solutions[0].what.name = "labels";
  results::FrontGroup front;
  front.name = "method";
  front.objectives = {error, balance};
  front.offsets = {0, 2};
  front.points = {0.25, 0.5, 0.5, 0.75};
  front.task = {0, 0};
  front.solution = {0, -1};
  front.solutions_name = "labels";
  front.reference = {1, 0};
  front.hypervolume = {0.75 * 0.5 + 0.5 * 0.25};
  content.fronts = {front};
  return content;
}

int run_python(const TemporaryFolder& folder, const std::string& program) {
  put_bytes(folder / "program.py", program);
  return std::system(("/usr/bin/python3 " + (folder / "program.py")).c_str());
}

TEST(OtherReaders, H5pyReadsAFrontLabelsAndAttributesWithoutOurCode) {
  const TemporaryFolder folder;
  if (run_python(folder, "try:\n import h5py\nexcept ImportError:\n raise SystemExit(1)\n") != 0) {
    GTEST_SKIP() << "h5py is not installed for /usr/bin/python3";
  }
  write(folder / "a.h5", front_of_two_points());
  EXPECT_EQ(0, run_python(
                   folder,
                   "import h5py, pathlib\n"
                   "f = h5py.File(pathlib.Path(__file__).parent / 'a.h5', 'r')\n"
                   "front = f['fronts/method']\n"
                   "points = front['points'][...].tolist()\n"
                   "assert points == [[0.25, 0.5], [0.5, 0.75]]\n"
                   "assert front.attrs['objectives'].astype(str).tolist() == ['error', 'balance']\n"
                   "assert front.attrs['directions'].astype(str)[1] == 'maximise'\n"
                   "assert f['solutions/labels/values'][...].tolist() == [2, 0, 1]\n"
                   "assert f['solutions/labels/values'].fletcher32\n"
                   "assert f.attrs['experiment'] == b'clustering'\n"
                   "assert f.attrs['format_version'] == 1\n"
                   "assert f['config/value'].asstr()[1] == 'β'\n"
                   "assert f['provenance/ranks'][0] == 0\n"
                   "assert f['timing/seconds'].attrs['dimensions'].tolist() == [b'task']\n"
                   "assert front['points'].attrs['dimensions'].astype(str).tolist() == "
                   "['point', 'objective']\n"
                   "names = f['tasks/status'].attrs['names']\n"
                   "assert names[f['tasks/status'][0]] == b'done'\n"));
}

TEST(OtherReaders, EveryDataSetHasAChecksum) {
  const TemporaryFolder folder;
  write(folder / "a.h5", random_content(41, 5));
  const File file{H5Fopen((folder / "a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "H5Fopen", ""};
  const auto check = [](hid_t root, const char* name, const H5O_info_t* info, void*) -> herr_t {
    if (info->type != H5O_TYPE_DATASET) return 0;
    const Object node{H5Oopen(root, name, H5P_DEFAULT), "H5Oopen", name};
    const PropertyList list{H5Dget_create_plist(node.get()), "H5Dget_create_plist", name};
    unsigned flags = 0;
    std::size_t values = 0;
    EXPECT_GE(H5Pget_filter_by_id2(list.get(), H5Z_FILTER_FLETCHER32, &flags, &values, nullptr, 0,
                                   nullptr, nullptr),
              0)
        << name;
    return 0;
  };
  EXPECT_EQ(H5Ovisit2(file.get(), H5_INDEX_NAME, H5_ITER_INC, check, nullptr, H5O_INFO_BASIC), 0);
}

int count_objects(const std::string& path) {
  const File file{H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "H5Fopen", path};
  int count = 0;
  const auto add = [](hid_t, const char*, const H5O_info_t*, void* data) -> herr_t {
    ++*static_cast<int*>(data);
    return 0;
  };
  H5Ovisit2(file.get(), H5_INDEX_NAME, H5_ITER_INC, add, &count, H5O_INFO_BASIC);
  return count;
}

// The same columns for any number of tasks.
results::Content columns_of(std::size_t tasks) {
  const results::Quantity what{"error", "d", "1", results::Direction::minimise, "s"};
  results::Content content;
  content.axes = {{"method.seed", base::Role::replicate, {"1"}}};
  content.tasks = {std::vector(tasks, std::string(64, '0')),
                   std::vector<std::string>(tasks, "m"),
                   std::vector<std::int32_t>(tasks),
                   std::vector<std::int32_t>(tasks),
                   std::vector<std::int32_t>(tasks),
                   {std::vector<std::int32_t>(tasks)},
                   std::vector(tasks, results::TaskStatus::done),
                   std::vector<std::string>(tasks),
                   std::vector<std::string>(tasks)};
  content.timing = {std::vector<double>(tasks), std::vector<double>(tasks),
                    std::vector<std::int32_t>(tasks), std::vector<std::int32_t>(tasks)};
  content.metrics = {{what, std::vector<double>(tasks)}};
  content.series = {{what, "iteration", std::vector<std::int64_t>(tasks + 1), {}, {}, {}}};
  return content;
}

TEST(OtherReaders, TheNumberOfObjectsDoesNotGrowWithTheNumberOfTasks) {
  const TemporaryFolder folder;
  write(folder / "one.h5", columns_of(1));
  write(folder / "many.h5", columns_of(100'000));
  EXPECT_EQ(count_objects(folder / "many.h5"), count_objects(folder / "one.h5"));
  EXPECT_EQ(read(folder / "many.h5").content.tasks.key.size(), 100'000u);
}

TEST(OtherReaders, H5pyUnpacksLargeColumnsByHdf5sOwnFilters) {
  const TemporaryFolder folder;
  if (run_python(folder, "try:\n import h5py\nexcept ImportError:\n raise SystemExit(1)\n") != 0) {
    GTEST_SKIP() << "h5py is not installed for /usr/bin/python3";
  }
  results::Content content = front_of_two_points();
  std::vector<std::uint16_t> labels(1'500'000);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::uint16_t>(i * i);
  content.solutions[0].offsets[1] = std::ssize(labels);
  content.solutions[0].values = std::move(labels);
  write(folder / "a.h5", content);
  EXPECT_EQ(0, run_python(folder,
                          "import h5py, numpy, pathlib\n"
                          "f = h5py.File(pathlib.Path(__file__).parent / 'a.h5', 'r')\n"
                          "values = f['solutions/labels/values']\n"
                          "assert values.chunks[0] < values.shape[0]\n"
                          "assert values.compression == 'gzip'\n"
                          "assert values.shuffle and values.fletcher32\n"
                          "assert values.id.get_storage_size() < 3_000_000\n"
                          "i = numpy.arange(1_500_000, dtype=numpy.uint64)\n"
                          "assert (values[...] == (i * i).astype(numpy.uint16)).all()\n"));
}

}  // namespace
}  // namespace fairfront::archive::test
