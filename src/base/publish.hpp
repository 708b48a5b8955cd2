/// @file
/// Puts finished bytes under their final name, all or nothing.
#pragma once

#include <fcntl.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "base/file.hpp"
#include "base/folder.hpp"

namespace fairfront::base {

/// What a user can do about a file that is there: not every command has --force.
enum class WayOut { another_name_or_force, another_name };

/// Throws if `path` exists (unless `overwrite`) or its folder cannot be written. Touches nothing.
/// @throws base::InputError
void check_writable(const std::string& path, bool overwrite,
                    WayOut way_out = WayOut::another_name_or_force);

/// Removes what runs that were killed while writing `path` have left beside it. Only for the run
/// that alone may write there. Does not fail.
void remove_drafts(const std::string& path) noexcept;

/// A new file beside `target`, "<target>.<process>-<attempt>.part"; gone with this object unless
/// it was published. All members throw base::InputError with path and the system's reason.
class Draft {
 public:
  explicit Draft(std::string target);
  /// Of a file of an open folder.
  Draft(Folder folder, const std::string& name);
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft();

  void write(std::span<const std::byte> bytes);
  /// In the place of its first bytes, which have been written.
  void write_first(std::span<const std::byte> bytes);
  /// Syncs the file, gives it its final name, syncs the folder. Without `overwrite`, a file that
  /// appears at the target meanwhile is not replaced.
  void publish(bool overwrite);
  /// Where it is until then; relative to the open folder, if it is of one.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  [[nodiscard]] Descriptor create();
  void become_target();
  void link_to_target();

  /// What the names below are relative to.
  [[nodiscard]] int base() const noexcept { return folder_ ? folder_->get() : AT_FDCWD; }
  void sync_names() const;

  std::optional<Folder> folder_;
  std::string target_;
  std::string path_;  ///< of the target, for messages
  std::string name_;
  Descriptor file_;
  bool renamed_ = false;
};

/// Writes to a new file beside `path`, syncs it, renames it, syncs the folder. On failure the new
/// file is removed and what was at `path` is untouched. Without `overwrite`, a file that appears
/// at `path` meanwhile is not replaced.
/// @throws base::InputError  with path and the system's reason.
void publish(const std::string& path, std::span<const std::byte> bytes, bool overwrite);
/// The same in an open folder.
void publish(const Folder& folder, const std::string& name, std::span<const std::byte> bytes,
             bool overwrite);

}  // namespace fairfront::base
