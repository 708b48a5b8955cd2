// Uses the installed libraries: reads an archive and measures the front of each task again.
#include <exception>
#include <iostream>
#include <span>
#include <vector>

#include <fairfront/archive/archive.hpp>
#include <fairfront/pareto/front.hpp>
#include <fairfront/pareto/hypervolume.hpp>
#include <fairfront/results/merged_fronts.hpp>

int main(int argc, char** argv) try {
  using namespace fairfront;
  if (argc != 2) return 2;
  const results::Content content = archive::read(argv[1]).content;
  std::cout.precision(17);
  for (const results::FrontGroup& group : content.fronts) {
    for (std::size_t task = 0; task < content.tasks.key.size(); ++task) {
      const pareto::Front front(results::task_points(group, task));
      if (front.empty()) continue;
      const std::vector<double> reference = results::reference_of(group, task);
      std::cout << group.name << ' ' << task << ' ' << front.size() << ' '
                << pareto::hypervolume(front, std::span{reference}) << '\n';
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
