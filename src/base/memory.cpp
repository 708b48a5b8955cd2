#include "base/memory.hpp"

#include <sys/resource.h>

#include <fstream>
#include <string>

namespace fairfront::base {

MemoryInUse memory_in_use() {
  MemoryInUse memory;
  std::ifstream status("/proc/self/status");
  for (std::string name; status >> name;) {
    double kilobytes = 0;
    if (name == "VmHWM:" && status >> kilobytes) memory.peak = 1024 * kilobytes;
    if (name == "RssFile:" && status >> kilobytes) memory.of_files = 1024 * kilobytes;
    if ((name == "RssAnon:" || name == "RssShmem:") && status >> kilobytes) {
      memory.own += 1024 * kilobytes;
    }
  }
  rusage usage{};
  if (memory.peak == 0 && getrusage(RUSAGE_SELF, &usage) == 0) {
    memory.peak = 1024 * static_cast<double>(usage.ru_maxrss);
  }
  return memory;
}

void forget_peak_memory() {
  std::ofstream("/proc/self/clear_refs") << "5\n";  // proc(5)
}

}  // namespace fairfront::base
