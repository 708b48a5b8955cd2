#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "results/sweep_identity.hpp"

namespace fairfront::results {
namespace {

using Difference = std::optional<std::string>;
using Options = std::map<std::pair<std::string, std::string>, std::string>;

// The order of options says nothing, so that of the header is not that of the file.
Options options_of(const SweepIdentity& header) {
  Options options;
  for (const auto& entry : header.config) options[{entry.section, entry.key}] = entry.value;
  return options;
}

void add_texts(base::Sha256& hash, std::span<const std::string> texts) {
  hash.add_text(std::to_string(texts.size()));
  for (const std::string& text : texts) hash.add_text(text);
}

void add_dataset(base::Sha256& hash, const data::Provenance& dataset) {
  hash.add_text(dataset.name);
  add_texts(hash, dataset.sha256);
  hash.add_text(dataset.digest);
}

// About 64 characters around the first place where `text` is not `other`: an axis may have
// thousands of values.
std::string excerpt(const std::string& text, const std::string& other) {
  constexpr std::size_t longest = 64;  // a SHA-256 fits
  constexpr std::size_t before = 20;
  if (text.size() <= longest) return text.empty() ? "''" : text;
  const auto [mine, theirs] = std::ranges::mismatch(text, other);
  const auto place = static_cast<std::size_t>(mine - text.begin());
  const std::size_t begin = place > before ? place - before : 0;
  const std::string middle = text.substr(begin, longest);
  const bool reaches_end = begin + middle.size() == text.size();
  return fmt::format("{}{}{}", begin > 0 ? "..." : "", middle, reaches_end ? "" : "...");
}

Difference differ(std::string_view what, const std::string& there, const std::string& here) {
  if (there == here) return std::nullopt;
  return fmt::format("{}: {} there, {} here", what, excerpt(there, here), excerpt(here, there));
}

Difference differ_in_options(const Options& there, const Options& here) {
  Options all = there;
  all.insert(here.begin(), here.end());
  for (const auto& [option, unused] : all) {
    const std::string name =
        option.first.empty() ? option.second : option.first + "." + option.second;
    const auto old_value = there.find(option);
    const auto new_value = here.find(option);
    if (old_value == there.end())
      return fmt::format("{}: not set there, {} here", name, excerpt(new_value->second, ""));
    if (new_value == here.end())
      return fmt::format("{}: {} there, not set here", name, excerpt(old_value->second, ""));
    if (auto found = differ(name, old_value->second, new_value->second)) return found;
  }
  return std::nullopt;
}

// The first place where two lists differ; `what` names a place by its number.
template <class Name>
Difference differ_in_lists(const std::string& all, std::span<const std::string> there,
                           std::span<const std::string> here, Name what) {
  for (std::size_t i = 0; i < std::min(there.size(), here.size()); ++i) {
    if (auto found = differ(what(i), there[i], here[i])) return found;
  }
  return differ("number of " + all, std::to_string(there.size()), std::to_string(here.size()));
}

Difference differ_in_axes(std::span<const Axis> there, std::span<const Axis> here) {
  std::vector<std::string> names_there;
  std::vector<std::string> names_here;
  for (const Axis& axis : there) names_there.push_back(axis.name);
  for (const Axis& axis : here) names_here.push_back(axis.name);
  auto found = differ_in_lists("axes", names_there, names_here,
                               [](std::size_t i) { return fmt::format("axis {}", i + 1); });
  for (std::size_t a = 0; !found && a < there.size(); ++a) {
    const std::string& name = there[a].name;
    found = differ_in_lists(
        "values of axis " + name, there[a].values, here[a].values,
        [&](std::size_t i) { return fmt::format("value {} of axis {}", i + 1, name); });
  }
  return found;
}

Difference differ_in_dataset(const data::Provenance& there, const data::Provenance& here) {
  const std::string prefix = fmt::format("data set {}: ", there.name);
  // What explains a changed digest comes before it.
  if (auto found = differ("data set", there.name, here.name)) return found;
  auto numbered = [&](const std::string& what) {
    return [&prefix, what](std::size_t i) { return fmt::format("{}{} {}", prefix, what, i + 1); };
  };
  if (auto found =
          differ_in_lists("files", there.sha256, here.sha256, numbered("SHA-256 of file"))) {
    return found;
  }
  // Prose is no identity, but it may say why the digests differ: other columns, another scaling.
  if (there.digest != here.digest) {
    if (auto found = differ(prefix + "recipe", there.recipe, here.recipe)) return found;
  }
  return differ(prefix + "digest", there.digest, here.digest);
}

Difference differ_in_datasets(std::span<const data::Provenance> there,
                              std::span<const data::Provenance> here) {
  for (std::size_t i = 0; i < std::min(there.size(), here.size()); ++i) {
    if (auto found = differ_in_dataset(there[i], here[i])) return found;
  }
  return differ("number of data sets", std::to_string(there.size()), std::to_string(here.size()));
}

}  // namespace

std::string sweep_digest_of(const SweepIdentity& header) {
  base::Sha256 hash;
  hash.add_text("fairfront sweep 1");
  hash.add_text(header.experiment);
  const Options options = options_of(header);
  hash.add_text(std::to_string(options.size()));
  for (const auto& [option, value] : options) {
    for (const auto* text : {&option.first, &option.second, &value}) hash.add_text(*text);
  }
  hash.add_text(std::to_string(header.axes.size()));
  for (const Axis& axis : header.axes) {
    hash.add_text(axis.name);
    add_texts(hash, axis.values);
  }
  hash.add_text(std::to_string(header.datasets.size()));
  for (const auto& dataset : header.datasets) add_dataset(hash, dataset);
  add_texts(hash, header.revisions);
  hash.add_text(std::to_string(header.tasks));
  return hash.finish();
}

Difference first_difference(const SweepIdentity& there, const SweepIdentity& here) {
  if (auto found = differ("experiment", there.experiment, here.experiment)) return found;
  if (auto found = differ_in_options(options_of(there), options_of(here))) return found;
  if (auto found = differ_in_axes(there.axes, here.axes)) return found;
  if (auto found = differ_in_datasets(there.datasets, here.datasets)) return found;
  if (auto found = differ_in_lists("revisions", there.revisions, here.revisions,
                                   [](std::size_t) { return "solver revision"; })) {
    return found;
  }
  return differ("number of tasks", std::to_string(there.tasks), std::to_string(here.tasks));
}

}  // namespace fairfront::results
