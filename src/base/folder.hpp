/// @file
/// A folder by its descriptor: the same one whatever becomes of its name.
#pragma once

#include <sys/types.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"

namespace fairfront::base {

/// An open folder. Whoever may rename where it stands can put a link, or a folder of their own, in
/// the place of its path between a check and the next use; what is done here is done in the folder
/// that was opened. A copy is the same open folder.
class Folder {
 public:
  /// A path stands for the folder that is there now. A link is not followed.
  /// @throws InputError  no folder there, or it cannot be opened.
  Folder(const std::string& path);                         // NOLINT(google-explicit-constructor)
  Folder(const char* path) : Folder(std::string{path}) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] const std::string& path() const noexcept { return path_; }  ///< as it was opened
  /// The same folder under the path that it has got.
  [[nodiscard]] Folder renamed(std::string path) const;
  [[nodiscard]] int get() const noexcept { return descriptor_->get(); }
  /// "<path>/<name>", for messages.
  [[nodiscard]] std::string file(std::string_view name) const;
  /// @throws InputError  the system does not tell it.
  [[nodiscard]] uid_t owner() const;

  enum class Place {
    same,      ///< its path leads to it, as far as can be known
    gone,      ///< nothing is at its path
    replaced,  ///< something else is
  };
  [[nodiscard]] Place place() const noexcept;
  /// Where it is now, if it has been moved; empty where nobody knows, or if it has been removed.
  [[nodiscard]] std::string whereabouts() const;

  /// A file in it; links are not followed (ELOOP). Invalid on failure, with the reason in errno.
  /// @param flags  of open(2); created files get the permissions of the process's mask.
  [[nodiscard]] Descriptor open(const std::string& name, int flags) const noexcept;
  /// The names in it, in no order. @throws InputError
  [[nodiscard]] std::vector<std::string> names() const;
  /// Also a link that leads nowhere. False on failure, with the reason in errno.
  [[nodiscard]] bool has(const std::string& name) const noexcept;
  /// Whether `file` is what the name leads to; on failure, with the reason in errno, false.
  [[nodiscard]] bool holds(const std::string& name, const Descriptor& file) const noexcept;
  /// Does not fail.
  void remove(const std::string& name) const noexcept;
  /// Makes new, renamed and removed names in it safe. @throws InputError
  void sync() const;

 private:
  std::string path_;
  std::shared_ptr<const Descriptor> descriptor_;
};

/// Puts the pieces, one behind another, into "<name>.part" and renames it to `name`: a reader
/// finds the old bytes or the new ones. One process at a time may do this for a name; where
/// several may, or nothing may be replaced, see publish().
/// @throws InputError  with path and reason; the old file is untouched, no part is left.
void replace_file(const Folder& folder, const std::string& name,
                  std::span<const std::span<const std::byte>> pieces, Durability durability);

}  // namespace fairfront::base
