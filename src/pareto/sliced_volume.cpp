#include "pareto/sliced_volume.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "pareto/exclusive_volume.hpp"

namespace fairfront::pareto {
namespace {

/// What points of three objectives dominate together.
class GrowingVolume {
 public:
  explicit GrowingVolume(const Vector<4>& reference)
      : reference_{reference[0], reference[1], reference[2]} {}

  void add(const Vector<4>& point) {
    const Solid own{{point[0], point[1], point[2]}, added_++};
    const double alone = exclusive_volume(own, members_, reference_);
    if (!(alone > 0)) return;
    volume_ += alone;
    std::erase_if(members_, [&](const Solid& member) {
      return std::ranges::equal(own.point, member.point, std::less_equal{});
    });
    const auto height = [](const Solid& member) { return member.point[2]; };
    members_.insert(std::ranges::upper_bound(members_, own.point[2], {}, height), own);
  }
  [[nodiscard]] double volume() const noexcept { return volume_; }

 private:
  Vector<3> reference_;
  std::vector<Solid> members_;  ///< mutually nondominated, ascending by the third objective
  std::size_t added_ = 0;
  double volume_ = 0;
};

/// What points of four objectives dominate together.
class GrowingHypervolume {
 public:
  explicit GrowingHypervolume(const Vector<5>& reference) {
    std::copy_n(reference.begin(), reference_.size(), reference_.begin());
  }

  void add(const Vector<5>& point) {
    Vector<4> own;
    std::copy_n(point.begin(), own.size(), own.begin());
    std::vector<Vector<4>> shared;
    double box = 1;
    for (std::size_t k = 0; k < own.size(); ++k) box *= reference_[k] - own[k];
    for (const Vector<4>& member : members_) {
      Vector<4>& both = shared.emplace_back();
      std::ranges::transform(member, own, both.begin(),
                             [](double a, double b) { return std::max(a, b); });
      if (both == own) return;  // the member dominates it
    }
    volume_ += box - sliced_volume(std::move(shared), reference_);
    std::erase_if(members_, [&](const Vector<4>& member) {
      return std::ranges::equal(own, member, std::less_equal{});
    });
    members_.push_back(own);
  }
  [[nodiscard]] double volume() const noexcept { return volume_; }

 private:
  Vector<4> reference_{};
  std::vector<Vector<4>> members_;  ///< mutually nondominated
  double volume_ = 0;
};

template <class Growing, std::size_t m>
double sum_of_slices(std::vector<Vector<m>> points, const Vector<m>& reference) {
  std::ranges::sort(points, {}, [](const Vector<m>& point) {
    return std::pair{point[m - 1], point};
  });
  Growing below(reference);
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    below.add(points[i]);
    const double next = i + 1 < points.size() ? points[i + 1][m - 1] : reference[m - 1];
    sum += below.volume() * (next - points[i][m - 1]);
  }
  return sum;
}

}  // namespace

double sliced_volume(std::vector<Vector<4>> points, const Vector<4>& reference) {
  return sum_of_slices<GrowingVolume>(std::move(points), reference);
}

double sliced_volume(std::vector<Vector<5>> points, const Vector<5>& reference) {
  return sum_of_slices<GrowingHypervolume>(std::move(points), reference);
}

}  // namespace fairfront::pareto
