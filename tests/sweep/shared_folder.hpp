/// @file
/// A folder for the journals of a test on several ranks.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "parallel/agree.hpp"
#include "sweep/run.hpp"

namespace fairfront::sweep::test {

/// A folder of its own, the same on every rank of the communicator; gone with this object.
class SharedFolder {
 public:
  explicit SharedFolder(const parallel::Comm& world) : world_{world} {
    std::string made;
    if (world.is_root()) {
      std::string name = (std::filesystem::temp_directory_path() / "fairfront-run-XXXXXX").string();
      made = mkdtemp(name.data());
    }
    path_ = parallel::broadcast(world, 0, made);
  }
  ~SharedFolder() {
    (void)parallel::all_reduce_sum(world_, 0);  // nobody writes there any more
    std::error_code ignored;
    if (world_.is_root()) std::filesystem::remove_all(path_, ignored);
  }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;

  [[nodiscard]] std::string journal(const std::string& name = "a") const {
    return archive(name) + ".journal";
  }
  [[nodiscard]] std::string archive(const std::string& name = "a") const {
    return path_ + "/" + name + ".h5";
  }
  /// Of a run with that journal.
  [[nodiscard]] RunSettings settings(const std::string& name = "a") const {
    RunSettings settings;
    settings.journal = journal(name);
    return settings;
  }

 private:
  const parallel::Comm& world_;
  std::string path_;
};

}  // namespace fairfront::sweep::test
