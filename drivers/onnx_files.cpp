#include "onnx_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/publish.hpp"
#include "base/text.hpp"

namespace fairfront::drivers {
namespace {

namespace fs = std::filesystem;

constexpr const char* library = "fairfront_archive";
constexpr char first_byte =
    8;  // the number of the first field of an ONNX model, as protobuf has it

/// A folder of its own; gone with this object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code failed;
    std::string name = (fs::temp_directory_path(failed) / "fairfront-XXXXXX").string();
    if (failed || ::mkdtemp(name.data()) == nullptr) {
      base::throw_system_error("make the temporary folder", name, failed ? failed.value() : errno);
    }
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

/// The folder of the Python library that belongs to this program; empty where there is none.
std::string library_folder() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return "";
  for (const char* beside : {"../share/fairfront/analysis", "../../analysis"}) {
    const fs::path folder = (program.parent_path() / beside).lexically_normal();
    if (fs::exists(folder / library / "__init__.py", failed)) return folder.string();
  }
  return "";
}

/// Of this process, with the library's folder in front of PYTHONPATH.
std::vector<std::string> environment() {
  constexpr std::string_view name = "PYTHONPATH=";
  std::vector<std::string> variables;
  std::string path = library_folder();
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view{*variable}.starts_with(name)) {
      variables.emplace_back(*variable);
      continue;
    }
    if (!path.empty()) path += ":";
    path += std::string_view{*variable}.substr(name.size());
  }
  if (!path.empty()) variables.push_back(std::string{name} + path);
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> found;
  for (std::string& text : texts) found.push_back(text.data());
  found.push_back(nullptr);
  return found;
}

struct Finished {
  bool well = false;  ///< it has ended with 0
  std::string said;   ///< on both of its standard streams
};

std::string read_to_the_end(const base::Descriptor& from) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t count = ::read(from.get(), buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) return text;
  }
}

/// Runs a program that is looked for on PATH, without input.
/// @throws base::InputError  it cannot be started.
Finished run(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) base::throw_system_error("open", "a pipe", errno);
  const base::Descriptor out(ends[0]);
  base::Descriptor in(ends[1]);
  posix_spawn_file_actions_t actions{};
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, in.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, in.get(), STDERR_FILENO);
  std::vector<std::string> variables = environment();
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, words.front().c_str(), &actions, nullptr,
                                   pointers(words).data(), pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) base::throw_system_error("start", words.front(), error);
  static_cast<void>(in.close());  // so that the end is seen when the child has closed its own
  Finished finished{false, read_to_the_end(out)};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  finished.well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return finished;
}

/// The system's, which has the system's packages, whichever else is first on the path.
std::string interpreter() {
  const char* named = std::getenv("FAIRFRONT_PYTHON");
  if (named != nullptr && *named != '\0') return named;
  constexpr const char* system = "/usr/bin/python3";
  return ::access(system, X_OK) == 0 ? system : "python3";
}

std::string last_line(const std::string& text) {
  const std::string_view trimmed = base::trim(text);
  return std::string{trimmed.substr(trimmed.rfind('\n') + 1)};  // npos + 1 is 0
}

}  // namespace

void check_onnx_path(const std::string& path, bool overwrite) {
  base::check_writable(path, overwrite);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return;
  const bool is_file = fs::is_regular_file(path, ignored);
  std::ifstream file(path, std::ios::binary);
  const int first = is_file ? file.get() : first_byte;  // publishing refuses what is no file
  if (first == first_byte || first == std::ifstream::traits_type::eof()) return;
  throw base::InputError(
      fmt::format("cannot write '{}': choose another name: what is there is no ONNX file, and "
                  "--force replaces nothing else",
                  path));
}

void write_onnx_file(const std::string& path, const std::string& model_text, bool overwrite) {
  const TemporaryFolder folder;
  const std::string model = folder.file("model.json");
  const std::string onnx = folder.file("model.onnx");
  base::publish(model, std::as_bytes(std::span{model_text}), false);
  const std::string python = interpreter();
  const Finished finished = [&] {
    try {
      return run({python, "-m", library, model, onnx});
    } catch (const base::Error& error) {
      throw base::InputError(fmt::format("no ONNX file '{}' was written: {}", path, error.what()));
    }
  }();
  if (!finished.well) {
    const std::string said = last_line(finished.said);
    if (said.starts_with("ONNX ")) {  // it could be asked, and this is the model's own
      throw base::InputError(fmt::format("no ONNX file '{}' was written: {}", path, said));
    }
    throw base::InputError(
        fmt::format("no ONNX file '{}' was written: {} -m {} needs numpy, pandas, h5py and onnx, "
                    "and says: {}",
                    path, python, library, said));
  }
  const std::string bytes = base::read_file(onnx);
  base::publish(path, std::as_bytes(std::span{bytes}), overwrite);
}

}  // namespace fairfront::drivers
