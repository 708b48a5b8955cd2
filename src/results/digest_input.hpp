/// @file
/// What the digests are of, for who hashes it elsewhere than where the content is.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/sha256.hpp"
#include "results/content.hpp"
#include "results/digest.hpp"

namespace fairfront::results {

/// Is told what a digest is of, piece by piece.
class DigestInput {
 public:
  DigestInput() = default;
  DigestInput(const DigestInput&) = delete;
  DigestInput& operator=(const DigestInput&) = delete;
  virtual ~DigestInput() = default;

  virtual void bytes(std::span<const std::byte> some) = 0;
  /// Their bytes, with one bit pattern for every NaN: which one a processor makes is not a result.
  virtual void numbers(std::span<const double> some) = 0;
};

/// Hashes it.
class Sha256Input : public DigestInput {
 public:
  void bytes(std::span<const std::byte> some) override { hash_.add_bytes(some); }
  void numbers(std::span<const double> some) override;
  /// Ends the computation.
  [[nodiscard]] std::string digest() { return hash_.finish(); }

 private:
  base::Sha256 hash_;
};

/// What results_digest() and measures_digest() are of. Columns are told as they stand in the
/// content.
void tell_results(const Content& content, DigestInput& input);
void tell_measures(const Content& content, DigestInput& input);

/// digests_of(), where two of them are known.
[[nodiscard]] Digests digests_of(const Content& content, std::string results, std::string measures);

}  // namespace fairfront::results
