#include "parallel/node_shelf.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <thread>

#include "base/stop.hpp"

namespace fairfront::parallel {

/// A name that somebody makes a value for (no file), or has laid it down for.
struct NodeShelf::Slot {
  std::array<char, 64> name{};  ///< zeros: nobody's
  pid_t maker = 0;
  int file = -1;  ///< of the maker

  [[nodiscard]] bool is(std::string_view other) const {
    return std::ranges::equal(other, std::string_view{name.data(), ::strnlen(name.data(), 64)});
  }
};

/// In memory that the ranks of a node share.
struct NodeShelf::Table {
  std::atomic<int> locked{0};
  std::array<Slot, 1024> slots{};
};
static_assert(std::atomic<int>::is_always_lock_free);

/// For microseconds. A rank that dies inside takes the whole run with it.
class NodeShelf::Lock {
 public:
  explicit Lock(Table& table) : table_{table} {
    for (int tries = 0; table_.locked.exchange(1, std::memory_order_acquire) != 0; ++tries) {
      if (tries < 100) {
        sched_yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    }
  }
  ~Lock() { table_.locked.store(0, std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Table& table_;
};

namespace {

constexpr std::size_t most_own = 64;  // descriptors that a rank keeps open for others

/// A file of another process of this user.
base::Descriptor file_of(pid_t process, int number, int access) {
  const std::string path = fmt::format("/proc/{}/fd/{}", process, number);
  return base::Descriptor(::open(path.c_str(), access | O_CLOEXEC));
}

bool has_died(pid_t process) { return ::kill(process, 0) != 0 && errno == ESRCH; }

}  // namespace

NodeShelf::NodeShelf(const Comm& world) {
  const Comm node = world.split_by_node();
  if (node.size() > 1) share_table(node);
}

/// Where one rank cannot reach it, none uses it. Collective over the node.
void NodeShelf::share_table(const Comm& node) {
  const auto map = [](const base::Descriptor& file) -> void* {
    void* const address =
        ::mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    return address == MAP_FAILED ? nullptr : address;
  };
  const auto is_table = [](const base::Descriptor& file) {
    struct stat status {};
    return file.valid() && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_size == static_cast<off_t>(sizeof(Table));
  };
  base::Descriptor file(node.is_root() ? ::memfd_create("fairfront", MFD_CLOEXEC) : -1);
  void* memory = nullptr;
  if (file.valid() && ::ftruncate(file.get(), sizeof(Table)) == 0) memory = map(file);
  if (memory != nullptr) new (memory) Table;
  const std::int64_t maker = all_reduce_max(node, node.is_root() ? ::getpid() : 0);
  const std::int64_t number = all_reduce_max(node, memory != nullptr ? file.get() : -1);
  if (!node.is_root() && number >= 0) {
    const base::Descriptor others =
        file_of(static_cast<pid_t>(maker), static_cast<int>(number), O_RDWR);
    if (is_table(others)) memory = map(others);
  }
  const bool all = all_reduce_min(node, memory != nullptr ? 1 : 0) == 1;
  if (all) {
    table_ = static_cast<Table*>(memory);
  } else if (memory != nullptr) {
    ::munmap(memory, sizeof(Table));
  }
}

NodeShelf::~NodeShelf() {
  if (table_ == nullptr) return;
  while (!own_.empty()) take_back_first();
  ::munmap(table_, sizeof(Table));
}

/// Under the lock; of no name a free one. Null: there is none.
NodeShelf::Slot* NodeShelf::find(const std::string& name) const {
  const auto slot =
      std::ranges::find_if(table_->slots, [&](const Slot& other) { return other.is(name); });
  return slot == table_->slots.end() ? nullptr : &*slot;
}

std::optional<base::Descriptor> NodeShelf::take_or_claim(const std::string& name) {
  if (!is_shared()) return std::nullopt;
  using Seconds = std::chrono::duration<double>;
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    base::stop_point();
    {
      const Lock lock(*table_);
      Slot* slot = find(name);
      if (slot != nullptr && slot->file >= 0) {
        base::Descriptor value = file_of(slot->maker, slot->file, O_RDONLY);
        if (value.valid()) return value;
      }
      const bool is_made = slot != nullptr && slot->file < 0;
      if (!is_made || has_died(slot->maker)) {
        if (slot == nullptr) slot = find({});
        if (slot == nullptr) return std::nullopt;  // no room: everybody for himself
        *slot = {{}, ::getpid(), -1};
        std::ranges::copy(name.substr(0, slot->name.size()), slot->name.begin());
        return std::nullopt;
      }
    }
    const Seconds waited = std::chrono::steady_clock::now() - begin;
    std::this_thread::sleep_for(Seconds(std::clamp(waited.count() / 8, 50e-6, 5e-3)));
  }
}

void NodeShelf::lay_down(const std::string& name, base::Descriptor value) {
  if (!is_shared()) return;
  if (!value.valid()) return leave(name);
  while (own_.size() >= most_own) take_back_first();
  const Lock lock(*table_);
  Slot* const slot = find(name);
  if (slot == nullptr || slot->maker != ::getpid()) return;
  own_.emplace_back(name, std::move(value));
  slot->file = own_.back().second.get();
}

void NodeShelf::leave(const std::string& name) {
  if (!is_shared()) return;
  const Lock lock(*table_);
  free_own(name);
}

void NodeShelf::take_back(const std::string& name) {
  if (!is_shared()) return;
  {
    const Lock lock(*table_);
    free_own(name);
  }
  std::erase_if(own_, [&](const auto& value) { return value.first == name; });
}

/// Of what this rank has laid down; without memory of its own, as a rank ends that has none left.
void NodeShelf::take_back_first() {
  {
    const Lock lock(*table_);
    free_own(own_.front().first);
  }
  own_.pop_front();
}

/// Under the lock.
void NodeShelf::free_own(const std::string& name) {
  Slot* const slot = find(name);
  if (slot != nullptr && slot->maker == ::getpid()) *slot = {};
}

}  // namespace fairfront::parallel
