#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "base/condition.hpp"
#include "base/text.hpp"
#include "pareto/hypervolume.hpp"
#include "solvers/clustering/safairkm_front.hpp"

namespace fairfront::clustering {
namespace {

Effort parse_pair(std::string_view text) {
  constexpr std::string_view rule = "pairs (n_a, n_b) of integers >= 0, not both 0";
  if (!text.starts_with('(') || !text.ends_with(')')) throw std::invalid_argument(rule.data());
  const auto parts = base::split_outside_parentheses(text.substr(1, text.size() - 2));
  if (parts.size() != 2) throw std::invalid_argument(rule.data());
  const auto kmeans = base::parse_int64(parts[0]);
  const auto swaps = base::parse_int64(parts[1]);
  if (!kmeans || !swaps || *kmeans < 0 || *swaps < 0 || (*kmeans == 0 && *swaps == 0)) {
    throw std::invalid_argument(rule.data());
  }
  return {*kmeans, *swaps};
}

/// "(25,0) (20,4)": blanks between pairs, commas are welcome.
std::vector<Effort> parse_pairs(std::string_view text) {
  std::vector<Effort> pairs;
  while (!(text = base::trim(text)).empty()) {
    const std::size_t end = std::min(text.find(')'), text.size() - 1) + 1;
    pairs.push_back(parse_pair(text.substr(0, end)));
    text = base::trim(text.substr(end));
    if (text.starts_with(',')) text.remove_prefix(1);
  }
  if (pairs.empty()) throw std::invalid_argument("at least one pair (n_a, n_b)");
  return pairs;
}

std::string format_pairs(const std::vector<Effort>& pairs) {
  std::string text;
  for (const Effort& pair : pairs) {
    text += fmt::format("{}({},{})", text.empty() ? "" : " ", pair.kmeans, pair.swaps);
  }
  return text;
}

void check_many_objectives(const Problem& problem, const SafairFrontOptions& options) {
  if (!pareto::has_thinning(static_cast<std::size_t>(problem.objectives()))) {
    throw std::invalid_argument(fmt::format("safairkm_front: {} attributes, must be at most 2",
                                            problem.attributes().count()));
  }
  if (options.list_budget < problem.objectives()) {
    throw std::invalid_argument(
        fmt::format("safairkm_front.list_budget = {}, must be >= {}, the number of objectives",
                    options.list_budget, problem.objectives()));
  }
  if (options.filter == ListFilter::authors || options.thinning == ListThinning::authors) {
    throw std::invalid_argument(
        "safairkm_front: the authors' filter and thinning are for two objectives");
  }
}

}  // namespace

base::OptionTable options_of(SafairFrontOptions& options) {
  base::OptionTable table("safairkm_front");
  auto check_pairs = [&options] {
    const bool good =
        !options.pairs.empty() && std::ranges::all_of(options.pairs, [](const Effort& pair) {
          return pair.kmeans >= 0 && pair.swaps >= 0 && (pair.kmeans > 0 || pair.swaps > 0);
        });
    return good ? std::string{} : std::string{"pairs (n_a, n_b) >= 0, not both 0"};
  };
  table
      .add("iterations", options.iterations, base::between<std::int64_t>(1, 2'000'000'000), "",
           "The run makes this many outer iterations; each advances every entry once per pair and "
           "replica.")
      .add("starts", options.starts, base::between<std::int64_t>(1, 1'000'000), "",
           "The start list has this many entries: half have random labels, half those of "
           "k-means++; where none of them has a balance above 0, balanced ones are added.")
      .add_choice(
          "random_start", options.random_start,
          {{"softmax", RandomStart::softmax}, {"by_group", RandomStart::by_group}},
          "Random labels come from one softmax of normals for all points, or from one uniform "
          "distribution per group.")
      .add_parsed(
          {"pairs", "pairs", "n_a, n_b >= 0, not both 0", "",
           "Each (n_a,n_b) is the points of the k-means mini-batch and the swaps of one step.",
           true},
          [&options](std::string_view text) { options.pairs = parse_pairs(text); },
          [&options] { return format_pairs(options.pairs); }, check_pairs)
      .add("replicas", options.replicas, base::between<std::int64_t>(1, 1000), "",
           "Each entry takes so many independent steps per pair.")
      .add("list_budget", options.list_budget, base::between<std::int64_t>(2, 100'000), "entries",
           "The list is thinned beyond this length.")
      .add("stop_at_budget", options.stop_at_budget,
           "The run ends when the list reaches its budget, as in the paper, instead of thinning.")
      .add_choice(
          "filter", options.filter,
          {{"strict", ListFilter::strict}, {"authors", ListFilter::authors}},
          "Entries are compared by strict Pareto dominance, or by the rule of the public program.")
      .add_choice(
          "thinning", options.thinning,
          {{"hypervolume", ListThinning::hypervolume}, {"authors", ListThinning::authors}},
          "The list is thinned by hypervolume contribution beyond the budget, or by the public "
          "program's removal of dense regions in every iteration.")
      .add("dense_threshold", options.dense_threshold, base::above(0.0), "share of the range",
           "Up to this gap thinning = authors calls a region dense.");
  describe(table, options.step);
  table.only_if({"dense_threshold"}, base::is("thinning", {"authors"}),
                "only thinning = authors uses it");
  table.only_if({"list_budget"},
                base::is_not("thinning", {"authors"}) || base::is("stop_at_budget", {"true"}),
                "thinning = authors has no budget, and stop_at_budget = false does not end there");
  table.only_if({"random_start"}, base::above("starts", 1), "starts = 1 has no random labels");
  const auto some_pair = [](bool (*holds)(const Effort&), const char* phrase) {
    return base::where(
        {"pairs"},
        [holds](auto values) { return std::ranges::any_of(parse_pairs(values.front()), holds); },
        phrase);
  };
  add_conditions(
      table,
      some_pair([](const Effort& pair) { return pair.swaps > 0; }, "some of {} have n_b > 0"),
      some_pair([](const Effort& pair) { return pair.swaps > 0 && pair.kmeans > 0; },
                "some of {} have both n_a > 0 and n_b > 0"));
  return table;
}

void validate_for(const Problem& problem, const SafairFrontOptions& options) {
  base::validate(options);
  for (const Effort& pair : options.pairs) {
    if (pair.kmeans <= problem.points()) continue;
    throw std::invalid_argument(fmt::format("safairkm_front.pairs: n_a = {} exceeds the {} points",
                                            pair.kmeans, problem.points()));
  }
  if (problem.objectives() > 2) check_many_objectives(problem, options);
  const auto steps = static_cast<double>(options.list_budget) *
                     static_cast<double>(options.replicas) *
                     static_cast<double>(options.pairs.size());
  if (steps >= 0x1p32) {  // a candidate's number has 32 bits
    throw std::invalid_argument(
        fmt::format("safairkm_front: list_budget * replicas * pairs = {}, must be < 2^32", steps));
  }
  if (options.filter == ListFilter::authors && options.thinning != ListThinning::authors) {
    throw std::invalid_argument(
        "safairkm_front: filter = authors keeps dominated points, which thinning = hypervolume "
        "cannot rank; use thinning = authors");
  }
}

}  // namespace fairfront::clustering
