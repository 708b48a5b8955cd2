/* Faults on demand, for the tests alone: preloaded into the ranks (LD_PRELOAD), it watches their
 * system calls and at the one that the environment names it kills, fails or waits.
 *
 *   FAULT_CALL    write, sync (fsync and fdatasync), open, rename, remove, lock, close
 *   FAULT_PATH    the call counts if its path matches this pattern; '*' also matches a '/'
 *   FAULT_COUNT   the call that is hit, from 1 on; default 1
 *   FAULT_RANK    the rank that is hit; default: every rank counts for itself
 *   FAULT_ACTION  kill     SIGKILL to the process before the call
 *                 half     a write of the first half only, then SIGKILL: a torn record
 *                 stop     SIGSTOP before the call, until somebody sends SIGCONT
 *                 memory   the call is made; then two allocations of its thread fail
 *                 N        the call fails with errno N, and so do all that match after it
 *   FAULT_CLOCK   N: once the process is a second old, the time of day is N seconds further on;
 *                 clocks that only measure are right. Independent of the rest.
 *   FAULT_APART   any value: no rank has memory for others, as if each had a node of its own.
 *                 Independent of the rest.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Thread_local int failing_allocations = 0;

static const char* setting(const char* name, const char* otherwise) {
  const char* value = getenv(name);
  return value != NULL ? value : otherwise;
}

static int is_here(void) {
  const char* wanted = setting("FAULT_RANK", "");
  return *wanted == '\0' || strcmp(wanted, setting("OMPI_COMM_WORLD_RANK", "0")) == 0;
}

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* 0: the call goes on; else the errno with which it fails. */
static int fault_at(const char* call, const char* path) {
  static atomic_int count = 0;
  if (strcmp(call, setting("FAULT_CALL", "")) != 0 || !is_here()) return 0;
  if (fnmatch(setting("FAULT_PATH", "*"), path, 0) != 0) return 0;
  const int number = ++count;
  const int wanted = atoi(setting("FAULT_COUNT", "1"));
  if (number < wanted) return 0;
  const char* action = setting("FAULT_ACTION", "kill");
  if (atoi(action) != 0) return atoi(action);
  if (number > wanted) return 0;
  if (strcmp(action, "kill") == 0) die();
  if (strcmp(action, "stop") == 0) kill(getpid(), SIGSTOP);
  if (strcmp(action, "memory") == 0) failing_allocations = 2;
  return strcmp(action, "half") == 0 ? -1 : 0;
}

static int fault_at_descriptor(const char* call, int descriptor) {
  if (strcmp(call, setting("FAULT_CALL", "")) != 0) return 0;
  char link[64];
  char path[PATH_MAX] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  if (readlink(link, path, sizeof path - 1) < 0) return 0;
  return fault_at(call, path);
}

static int fail_with(int error) {
  errno = error;
  return -1;
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  const int fault = fault_at_descriptor("write", descriptor);
  if (fault > 0) return fail_with(fault);
  if (fault < 0) {
    syscall(SYS_write, descriptor, bytes, count / 2);
    die();
  }
  return syscall(SYS_write, descriptor, bytes, count);
}

int fsync(int descriptor) {
  const int fault = fault_at_descriptor("sync", descriptor);
  return fault != 0 ? fail_with(fault) : (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
  const int fault = fault_at_descriptor("sync", descriptor);
  return fault != 0 ? fail_with(fault) : (int)syscall(SYS_fdatasync, descriptor);
}

int close(int descriptor) {
  const int fault = fault_at_descriptor("close", descriptor);
  const int result = (int)syscall(SYS_close, descriptor);
  return fault != 0 ? fail_with(fault) : result;
}

int flock(int descriptor, int operation) {
  const int fault = fault_at_descriptor("lock", descriptor);
  return fault != 0 ? fail_with(fault) : (int)syscall(SYS_flock, descriptor, operation);
}

int memfd_create(const char* name, unsigned flags) {
  if (*setting("FAULT_APART", "") != '\0') return fail_with(ENOSYS);
  return (int)syscall(SYS_memfd_create, name, flags);
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  const int fault = fault_at("open", path);
  return fault != 0 ? fail_with(fault) : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static FILE* open_stream(const char* name, const char* path, const char* mode) {
  const int fault = fault_at("open", path);
  if (fault != 0) {
    errno = fault;
    return NULL;
  }
  FILE* (*real)(const char*, const char*) = NULL;
  *(void**)&real = dlsym(RTLD_NEXT, name);
  return real(path, mode);
}

/* Both: which of them std::ifstream calls depends on the library. */
FILE* fopen(const char* path, const char* mode) { return open_stream("fopen", path, mode); }
FILE* fopen64(const char* path, const char* mode) { return open_stream("fopen64", path, mode); }

/* Relative to an open folder: with its name before it, so that patterns see the whole path. */
static const char* path_in(int folder, const char* path, char* whole) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  const ssize_t length = readlink(link, whole, PATH_MAX - 1);
  if (*path == '/' || folder == AT_FDCWD || length < 0) return path;
  snprintf(whole + length, (size_t)(PATH_MAX - length), "/%s", path);
  return whole;
}

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  char whole[PATH_MAX] = "";
  const int fault = fault_at("open", path_in(folder, path, whole));
  return fault != 0 ? fail_with(fault) : (int)syscall(SYS_openat, folder, path, flags, mode);
}

int unlinkat(int folder, const char* path, int flags) {
  char whole[PATH_MAX] = "";
  const int fault = fault_at("remove", path_in(folder, path, whole));
  return fault != 0 ? fail_with(fault) : (int)syscall(SYS_unlinkat, folder, path, flags);
}

int rmdir(const char* path) {
  const int fault = fault_at("remove", path);
  return fault != 0 ? fail_with(fault) : (int)syscall(SYS_rmdir, path);
}

int renameat(int old_folder, const char* old_path, int new_folder, const char* new_path) {
  char whole[PATH_MAX] = "";
  const int fault = fault_at("rename", path_in(new_folder, new_path, whole));
  if (fault != 0) return fail_with(fault);
  return (int)syscall(SYS_renameat2, old_folder, old_path, new_folder, new_path, 0);
}

int rename(const char* old_path, const char* new_path) {
  const int fault = fault_at("rename", new_path);
  return fault != 0 ? fail_with(fault) : (int)syscall(SYS_rename, old_path, new_path);
}

int renameat2(int old_folder, const char* old_path, int new_folder, const char* new_path,
              unsigned int flags) {
  char whole[PATH_MAX] = "";
  const int fault = fault_at("rename", path_in(new_folder, new_path, whole));
  if (fault != 0) return fail_with(fault);
  return (int)syscall(SYS_renameat2, old_folder, old_path, new_folder, new_path, flags);
}

int remove(const char* path) {
  const int fault = fault_at("remove", path);
  if (fault != 0) return fail_with(fault);
  if (syscall(SYS_unlink, path) == 0) return 0;
  return errno == EISDIR || errno == EPERM ? (int)syscall(SYS_rmdir, path) : -1;
}

/* C++'s operator new: its own failure, of a size that cannot be had, throws std::bad_alloc. */
void* _Znwm(size_t size) {
  static void* (*real)(size_t) = NULL;
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "_Znwm");
  if (failing_allocations == 0) return real(size);
  --failing_allocations;
  return real(SIZE_MAX / 2);
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  const int result = (int)syscall(SYS_clock_gettime, clock, time);
  static long step = LONG_MIN;
  if (step == LONG_MIN) step = atol(setting("FAULT_CLOCK", "0"));
  if (step == 0 || result != 0 || clock != CLOCK_REALTIME) return result;
  static atomic_llong begin = 0; /* of the process, by the clock that is right */
  struct timespec right;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &right);
  const long long now = right.tv_sec * 1000LL + right.tv_nsec / 1000000;
  if (begin == 0) begin = now;
  if (now - begin >= 1000) time->tv_sec += step;
  return result;
}
