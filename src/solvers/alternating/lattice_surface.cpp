#include "solvers/alternating/lattice_surface.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "pareto/indicators.hpp"
#include "solvers/alternating/efforts.hpp"

namespace fairfront::alternating {
namespace {

using Triple = std::array<double, 3>;

Triple minus(const Triple& a, const Triple& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Triple& a, const Triple& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// Squared, of `p` to the segment from the origin to `end`.
double square_to_segment(const Triple& p, const Triple& end) {
  const double length = dot(end, end);
  const double share = length > 0 ? std::clamp(dot(p, end) / length, 0.0, 1.0) : 0.0;
  const Triple rest{p[0] - share * end[0], p[1] - share * end[1], p[2] - share * end[2]};
  return dot(rest, rest);
}

/// Squared, of `p` to the triangle of the origin, a and b.
double square_to_triangle(const Triple& p, const Triple& a, const Triple& b) {
  const double aa = dot(a, a), ab = dot(a, b), bb = dot(b, b);
  const double pa = dot(p, a), pb = dot(p, b);
  const double area = aa * bb - ab * ab;
  if (area > 0) {  // the foot on the plane is u a + v b
    const double u = (pa * bb - pb * ab) / area;
    const double v = (pb * aa - pa * ab) / area;
    if (u >= 0 && v >= 0 && u + v <= 1) {
      const Triple rest{p[0] - u * a[0] - v * b[0], p[1] - u * a[1] - v * b[1],
                        p[2] - u * a[2] - v * b[2]};
      return dot(rest, rest);
    }
  }
  return std::min({square_to_segment(p, a), square_to_segment(p, b),
                   square_to_segment(minus(p, a), minus(b, a))});
}

/// A sample's place: steps of the first two objectives.
struct LatticePlace {
  std::int64_t first, second;
};

class Surface {
 public:
  Surface(std::span<const double> point, const pareto::Points& samples, std::int64_t total)
      : point_{point[0], point[1], point[2]}, samples_{samples}, total_{total} {}

  [[nodiscard]] double distance() const {
    LatticePlace at = nearest_sample();
    double square = square_around(at);
    for (bool nearer = true; nearer;) {
      nearer = false;
      for (const LatticePlace& next : neighbours(at)) {
        if (!is_inside(next)) continue;
        const double other = square_around(next);
        if (other >= square) continue;
        square = other;
        at = next;
        nearer = true;
        break;
      }
    }
    return std::sqrt(square);
  }

 private:
  static std::array<LatticePlace, 6> neighbours(const LatticePlace& at) {
    const auto [i, j] = at;
    return {{{i + 1, j}, {i, j + 1}, {i - 1, j + 1}, {i - 1, j}, {i, j - 1}, {i + 1, j - 1}}};
  }
  [[nodiscard]] bool is_inside(const LatticePlace& at) const {
    return at.first >= 0 && at.second >= 0 && at.first + at.second <= total_;
  }
  [[nodiscard]] Triple sample(const LatticePlace& at) const {
    // Before those of `first` steps stand all with fewer: total + 1, total, ... of them.
    const std::int64_t before = at.first * (total_ + 1) - at.first * (at.first - 1) / 2;
    const auto values = samples_[static_cast<std::size_t>(before + at.second)];
    return {values[0], values[1], values[2]};
  }
  [[nodiscard]] LatticePlace nearest_sample() const {
    LatticePlace nearest{0, 0};
    double least = std::numeric_limits<double>::infinity();
    for (LatticePlace at{0, 0}; at.first <= total_; ++at.first) {
      for (at.second = 0; at.first + at.second <= total_; ++at.second) {
        const Triple apart = minus(point_, sample(at));
        if (const double square = dot(apart, apart); square < least) {
          least = square;
          nearest = at;
        }
      }
    }
    return nearest;
  }
  /// To the triangles that have a corner there.
  [[nodiscard]] double square_around(const LatticePlace& at) const {
    const Triple corner = sample(at);
    const Triple apart = minus(point_, corner);
    double least = dot(apart, apart);
    const std::array<LatticePlace, 6> ring = neighbours(at);
    for (std::size_t k = 0; k < ring.size(); ++k) {
      const LatticePlace& next = ring[(k + 1) % ring.size()];
      if (!is_inside(ring[k]) || !is_inside(next)) continue;
      least = std::min(least, square_to_triangle(apart, minus(sample(ring[k]), corner),
                                                 minus(sample(next), corner)));
    }
    return least;
  }

  Triple point_;
  const pareto::Points& samples_;
  std::int64_t total_;
};

/// Of the lattice with so many points; nothing where there is none.
std::optional<std::int64_t> total_of(std::size_t samples) {
  const auto count = static_cast<std::int64_t>(samples);
  std::int64_t total = 0;
  while (lattice_size(total, 3) < count) ++total;
  if (lattice_size(total, 3) != count) return std::nullopt;
  return total;
}

}  // namespace

double distance_to_surface(std::span<const double> point, const pareto::Points& samples) {
  const std::optional<std::int64_t> total = total_of(samples.size());
  if (!total) return pareto::distance_to(point, samples);
  return Surface(point, samples, *total).distance();
}

}  // namespace fairfront::alternating
