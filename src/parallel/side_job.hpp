/// @file
/// Work of another rank on bytes of rank 0, beside what both do meanwhile.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>

#include "parallel/comm.hpp"

namespace fairfront::parallel {

/// Where rank 0 tells bytes of a job; kinds are numbers from 0 on, whose meaning is the job's.
class Teller {
 public:
  Teller() = default;
  Teller(const Teller&) = delete;
  Teller& operator=(const Teller&) = delete;
  virtual ~Teller() = default;

  /// @param bytes  are copied if they are few, and stay where they are until the job has ended if
  ///               they are most_copied or more.
  virtual void tell(int kind, std::span<const std::byte> bytes) = 0;
  static constexpr std::size_t most_copied = std::size_t{1} << 16;
};

/// Works on what it is told, in the order and with the kinds in which it was.
class Listener {
 public:
  Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  virtual ~Listener() = default;

  virtual void take(int kind, std::span<const std::byte> bytes) = 0;
  /// When all is told; less than 64 kB.
  [[nodiscard]] virtual std::string answer() = 0;
};

/// One job. A thread of rank 0 tells, one of rank `worker` listens; where a system gives no thread,
/// finish() does it. What was begun ends on both, whatever happens to either's other work: a job
/// may be destroyed while an exception unwinds the stack of all ranks.
class SideJob {
 public:
  using Speech = std::function<void(Teller&)>;

  /// On rank 0 and the worker; others need none. Does not communicate.
  /// @param worker    not 0.
  /// @param number    of the job among those that run at the same time, 0 .. 15.
  /// @param speech    of rank 0; must not communicate.
  /// @param listener  of the worker; must not communicate.
  SideJob(const Comm& comm, int worker, int number, Speech speech,
          std::unique_ptr<Listener> listener);
  ~SideJob();
  SideJob(const SideJob&) = delete;
  SideJob& operator=(const SideJob&) = delete;

  /// Once both ranks have made theirs.
  void begin();
  /// Waits until the job has ended.
  /// @return  on rank 0, the answer; empty if listening has failed, which the worker throws.
  /// @throws  what speech or listener of this rank has thrown.
  std::string finish();

 private:
  class Sender;
  void run() noexcept;
  void speak();
  void listen();
  void end() noexcept;

  const Comm& comm_;
  int worker_;
  int tag_;
  Speech speech_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<std::byte[]> room_;  ///< of the worker, for a part
  std::thread thread_;
  bool begun_ = false;
  double cpu_seconds_ = 0;  ///< of the thread
  std::string answer_;
  std::exception_ptr failure_;
};

}  // namespace fairfront::parallel
