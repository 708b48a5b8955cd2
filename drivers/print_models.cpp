#include "print_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/text.hpp"
#include "models/fitted_model.hpp"

namespace fairfront::drivers {
namespace {

/// Of one method.
struct Models {
  std::string method;
  std::vector<std::string> kinds{};  ///< different ones
  std::vector<std::size_t> tasks{};
  bool randomised = false;  ///< there is a randomised classifier beside
};

std::vector<Models> models_of(const results::Content& content) {
  std::vector<Models> all;
  for (std::size_t task = 0; task < content.tasks.model.size(); ++task) {
    if (content.tasks.model[task].empty()) continue;
    const auto model = models::ModelText::parse(content.tasks.model[task]);
    const std::string& method = content.tasks.method[task];
    auto found = std::ranges::find(all, method, &Models::method);
    if (found == all.end()) found = all.insert(all.end(), {method});
    found->tasks.push_back(task);
    found->randomised |= model.has("members");
    if (std::ranges::find(found->kinds, model.kind) == found->kinds.end()) {
      found->kinds.push_back(model.kind);
    }
  }
  return all;
}

/// "0 .. 3, 7".
std::string text_of(const std::vector<std::size_t>& numbers) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    ranges.push_back(last == i ? std::to_string(numbers[i])
                               : fmt::format("{} .. {}", numbers[i], numbers[last]));
    i = last + 1;
  }
  return base::join(ranges, ", ");
}

}  // namespace

std::string models_text(const results::Content& content, const std::string& path) {
  std::string text;
  for (const Models& models : models_of(content)) {
    text += fmt::format("  [{}] {}: task{} {}{}\n", models.method, base::join(models.kinds, ", "),
                        models.tasks.size() == 1 ? "" : "s", text_of(models.tasks),
                        models.randomised ? "; with --randomised the randomised classifier" : "");
  }
  if (text.empty()) return text;
  return fmt::format(
      "\nmodels\n{}  fairfront predict {} --task K --rows FILE --csv FILE\n"
      "  fairfront choose {} --model FILE\n",
      text, path, path);
}

}  // namespace fairfront::drivers
