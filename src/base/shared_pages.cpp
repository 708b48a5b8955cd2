#include "base/shared_pages.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace fairfront::base {
namespace {

/// A long array of its own pages begins behind the head that the allocator puts in front of it; and
/// so it does in the file, since a page is mapped as a whole.
constexpr std::size_t head = 16;

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t place_in_page(const std::byte* address) {
  return reinterpret_cast<std::uintptr_t>(address) % page_size();
}

/// Where an array of so many bytes begins that is laid down at `place` or behind it.
std::size_t begin_of_array(std::size_t place, std::size_t size) {
  if (size < least_shared_bytes) {
    constexpr std::size_t alignment = 16;
    return (place + alignment - 1) / alignment * alignment;
  }
  const std::size_t page = page_size();
  return (place + page - 1 - head) / page * page + head;
}

/// Pages that lie in [begin, end) of an array as a whole are mapped to the file.
/// @param offset  of the array in the file.
/// @return  the end of what is mapped, in the array.
std::size_t map_whole_pages(int file, std::span<const std::byte> array, std::size_t begin,
                            std::size_t end, std::size_t offset) {
  const std::size_t page = page_size();
  if (place_in_page(array.data()) != head || offset % page != head) return begin;
  const std::size_t first = (begin + head + page - 1) / page * page - head;
  const std::size_t last = (end + head) / page * page;
  if (last < head || last - head <= first) return begin;
  const std::size_t length = last - head - first;
  // Elsewhere first, and moved here then: where the system has no memory to promise for it, the
  // array keeps the pages that it has, which a mapping right here would have taken away before it
  // failed.
  void* const elsewhere = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE, file,
                                 static_cast<off_t>(offset + first));
  if (elsewhere == MAP_FAILED) return first + length;
  void* const here = const_cast<std::byte*>(array.data()) + first;
  if (::mremap(elsewhere, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, here) == MAP_FAILED) {
    ::munmap(elsewhere, length);
  }
  return first + length;
}

int living_own_pages = 0;

void set_least_of_own_pages([[maybe_unused]] std::size_t bytes) {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, static_cast<int>(bytes));
  ::mallopt(M_TRIM_THRESHOLD, static_cast<int>(2 * bytes));
#endif
}

constexpr int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK;

}  // namespace

OwnPages::OwnPages() {
  if (living_own_pages++ == 0) set_least_of_own_pages(least_shared_bytes);
}

OwnPages::~OwnPages() {
  constexpr std::size_t usual = std::size_t{32} << 20;  // to where the allocator's own rule rises
  if (--living_own_pages == 0) set_least_of_own_pages(usual);
}

void give_back_freed_pages() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

PageWriter::PageWriter()
    : file_{::memfd_create("fairfront", MFD_CLOEXEC | MFD_ALLOW_SEALING)},
      failed_{!file_.valid()} {}

void PageWriter::put(std::span<const std::byte> bytes) {
  if (failed_) return;
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  if (buffer_.size() >= least_shared_bytes) flush();
}

void PageWriter::flush() {
  if (failed_) return;
  failed_ = write_all(file_.get(), buffer_) != 0;
  written_ += buffer_.size();
  buffer_.clear();
}

void PageWriter::put_array(std::span<const std::byte> bytes) {
  if (failed_) return;
  const std::size_t offset = begin_of_array(written_ + buffer_.size(), bytes.size());
  buffer_.resize(offset - written_);
  if (bytes.size() < least_shared_bytes) return put(bytes);
  flush();
  std::size_t mapped = 0;
  for (std::size_t begin = 0; begin < bytes.size() && !failed_; begin += least_shared_bytes) {
    const auto part = bytes.subspan(begin, std::min(least_shared_bytes, bytes.size() - begin));
    failed_ = write_all(file_.get(), part) != 0;
    written_ += part.size();
    if (!failed_) {
      mapped = map_whole_pages(file_.get(), bytes, mapped, begin + part.size(), offset);
    }
  }
}

Descriptor PageWriter::finish() {
  flush();
  if (failed_ || ::fcntl(file_.get(), F_ADD_SEALS, seals) != 0) return Descriptor(-1);
  return std::move(file_);
}

PageReader::PageReader(const Descriptor& file) : file_{file.get()} {
  struct stat status {};
  const bool is_sealed = ::fcntl(file_, F_GET_SEALS) == seals;
  if (!is_sealed || ::fstat(file_, &status) != 0 || status.st_size == 0) {
    throw PagesError("memory of another process that nobody has laid down");
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file_, 0);
  if (address == MAP_FAILED) {
    throw PagesError("memory of another process cannot be mapped");
  }
  all_ = {static_cast<const std::byte*>(address), size};
}

PageReader::~PageReader() { ::munmap(const_cast<std::byte*>(all_.data()), all_.size()); }

std::size_t PageReader::count(std::size_t bytes_each) {
  std::uint64_t number = 0;
  field(number);
  if (number > all_.size() / std::max<std::size_t>(bytes_each, 1)) {
    throw PagesError("memory of another process ends too soon");
  }
  return number;
}

void PageReader::get(std::span<std::byte> bytes) {
  if (bytes.size() > all_.size() - place_) {
    throw PagesError("memory of another process ends too soon");
  }
  if (!bytes.empty()) std::memcpy(bytes.data(), all_.data() + place_, bytes.size());
  place_ += bytes.size();
}

std::span<const std::byte> PageReader::begin_array(std::size_t size) {
  const std::size_t begin = begin_of_array(place_, size);
  if (begin > all_.size() || size > all_.size() - begin) {
    throw PagesError("memory of another process ends too soon");
  }
  place_ = begin + size;
  return all_.subspan(begin, size);
}

void PageReader::map_pages(std::span<const std::byte> array, std::size_t begin,
                           std::span<const std::byte> laid_down) const {
  const auto offset = static_cast<std::size_t>(laid_down.data() - all_.data());
  // The page that the last elements have begun is whole by now.
  const std::size_t page = page_size();
  const std::size_t from = (begin + head) / page * page;
  (void)map_whole_pages(file_, array, from > head ? from - head : 0, array.size(), offset);
}

}  // namespace fairfront::base
