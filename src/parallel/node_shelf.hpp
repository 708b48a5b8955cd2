/// @file
/// What the ranks of a node have made for one another: each value once a node.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <utility>

#include "base/file.hpp"
#include "parallel/comm.hpp"

namespace fairfront::parallel {

/// Values by name, as memory of base::PageWriter. Who asks first for a name makes the value while
/// the others of the node wait; then he lays it down for them.
///
/// Nobody meets for it: ranks ask when their tasks need a value, and shared windows of MPI would be
/// allocated by all at the same time. It is no list for eternity, either: a value lies there as
/// long as its maker keeps it, and the memory ends with the last process that has taken it.
class NodeShelf {
 public:
  /// Collective.
  explicit NodeShelf(const Comm& world);
  ~NodeShelf();  ///< local; takes back what this rank has laid down
  NodeShelf(const NodeShelf&) = delete;
  NodeShelf& operator=(const NodeShelf&) = delete;

  /// Several ranks of this node reach one another's memory.
  [[nodiscard]] bool is_shared() const noexcept { return table_ != nullptr; }

  /// The value of this name. Nothing: there is none, and this rank is the one to make it, who then
  /// calls lay_down() or leave(). Waits while another rank makes it. Local.
  /// @param name  at most 64 characters.
  /// @throws base::Interrupted  see base::stop_point().
  [[nodiscard]] std::optional<base::Descriptor> take_or_claim(const std::string& name);

  /// The value that this rank has claimed. Of many, the first ones are taken back. Local.
  /// @param value  not valid: as leave().
  void lay_down(const std::string& name, base::Descriptor value);

  /// It was not made: the next one who asks makes it. Local.
  void leave(const std::string& name);

  /// The value is no longer there for those who ask; those who have it keep it. Local.
  void take_back(const std::string& name);

 private:
  struct Table;
  struct Slot;
  class Lock;
  void share_table(const Comm& node);
  [[nodiscard]] Slot* find(const std::string& name) const;
  void take_back_first();
  void free_own(const std::string& name);

  Table* table_ = nullptr;
  std::list<std::pair<std::string, base::Descriptor>> own_;  ///< laid down, the first one first
};

}  // namespace fairfront::parallel
