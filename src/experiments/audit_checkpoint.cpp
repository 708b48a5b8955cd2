#include "experiments/audit_checkpoint.hpp"

#include <cstdint>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "solvers/common/packing.hpp"

namespace fairfront::experiments {
namespace {

using metrics::Resamples;

constexpr std::string_view magic = "measures 1\n";

void pack_resamples(solvers::Packer& packer, const Resamples& all) {
  packer.number(all.done);
  packer.number(static_cast<std::uint64_t>(all.values.size()));
  for (std::size_t m = 0; m < all.values.size(); ++m) {
    packer.array(std::span<const double>(all.values[m]));
    packer.array(std::span<const char>(all.undefined[m]));
  }
}

Resamples unpack_resamples(solvers::Unpacker& unpacker) {
  Resamples all;
  all.done = unpacker.number<std::int64_t>();
  for (auto left = unpacker.number<std::uint64_t>(); left > 0; --left) {
    all.values.push_back(unpacker.array<std::vector<double>>());
    all.undefined.push_back(unpacker.array<std::string>());
  }
  return all;
}

}  // namespace

AuditCheckpoint::AuditCheckpoint(const solvers::Control& control)
    : control_{control}, heart_{control} {
  if (control.resume) unpack(*control.resume);
}

Resamples AuditCheckpoint::earlier(std::size_t part) const {
  return part < parts_.size() ? parts_[part] : Resamples{};
}

void AuditCheckpoint::look(std::size_t part, const Resamples& now, bool last) {
  const solvers::Request wanted = heart_.ask();
  if (wanted == solvers::Request::go_on && !last) return;
  parts_.resize(part + 1);
  parts_[part] = now;
  if (wanted == solvers::Request::go_on) return;
  if (control_.save) control_.save(pack());
  if (wanted == solvers::Request::stop) throw solvers::Interrupted();
}

std::string AuditCheckpoint::pack() const {
  solvers::Packer packer;
  packer.raw(magic);
  packer.number(static_cast<std::uint64_t>(parts_.size()));
  for (const Resamples& part : parts_) pack_resamples(packer, part);
  return packer.take();
}

void AuditCheckpoint::unpack(const std::string& bytes) {
  solvers::Unpacker unpacker(bytes);
  if (unpacker.raw(magic.size()) != magic) {
    throw base::CheckpointError("a checkpoint is not of an audit");
  }
  for (auto left = unpacker.number<std::uint64_t>(); left > 0; --left) {
    parts_.push_back(unpack_resamples(unpacker));
  }
  if (!unpacker.at_end()) throw base::CheckpointError("a checkpoint goes on after its end");
}

}  // namespace fairfront::experiments
