#include "models/base_models.hpp"

#include "base/elementary.hpp"
#include "models/linear_model.hpp"
#include "models/logistic.hpp"
#include "models/rows.hpp"

namespace fairfront::models {

void BaseModels::predict(std::span<const double> features, std::span<double> of_target,
                         std::span<double> of_groups) const {
  const Rows rows(features, columns);
  const LinearModel model(columns);
  LinearModel::Scratch scratch;
  model.scores(eta, rows, scratch, of_target);
  if (groups > 2) {
    multinomial_probabilities(rows, tau, groups, Intercept::first, of_groups);
    return;
  }
  const auto scores = of_groups.first(of_target.size());
  model.scores(tau, rows, scratch, scores);
  for (std::size_t i = scores.size(); i-- > 0;) {  // from behind: scores lie in front of them
    const double score = scores[i];
    of_groups[2 * i] = base::sigmoid(-score);
    of_groups[2 * i + 1] = base::sigmoid(score);
  }
}

}  // namespace fairfront::models
