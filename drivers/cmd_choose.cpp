#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/program_options/value_semantic.hpp>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "archive_work.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "build_info.hpp"
#include "commands.hpp"
#include "load_sweep.hpp"
#include "metrics/common_names.hpp"
#include "model_files.hpp"
#include "onnx_files.hpp"
#include "output.hpp"
#include "print_choice.hpp"
#include "problem_name.hpp"
#include "read_stored.hpp"
#include "results/choice.hpp"
#include "results/digest.hpp"
#include "results/model_card.hpp"
#include "results/model_file.hpp"
#include "run_support.hpp"
#include "sweep/measure_points.hpp"

namespace fairfront::drivers {
namespace {

using Json = nlohmann::ordered_json;
using results::Choice;
using results::Content;

constexpr std::size_t points_shown = 4;

/// A file to make of the chosen point's model.
struct ModelOption {
  const char* name;
  const char* what;
  void (*check)(const std::string& path, bool overwrite);
  void (*write)(const std::string& path, const std::string& model_text, bool overwrite);
};
constexpr std::array model_options{
    // First what may fail: a refused command leaves neither.
    ModelOption{"onnx", "ONNX file", check_onnx_path, write_onnx_file},
    ModelOption{"model", "model file", check_model_path, write_model_file}};

std::vector<std::string> texts_of(const Call& call, const char* option) {
  if (call.values.count(option) == 0) return {};
  return call.values[option].as<std::vector<std::string>>();
}

/// What the randomised classifiers are chosen by is what is known of them.
void make_randomised(results::Wish& wish) {
  if (wish.knee || wish.confidence) {
    throw base::InputError(fmt::format(
        "choose: leave --{} or --randomised out: of randomised classifiers measures are known, "
        "such as randomised_error, without intervals",
        wish.knee ? "knee" : "confidence"));
  }
  if (wish.best.empty()) wish.best = "randomised_error";
  wish.randomised = true;
}

results::Wish wish_of(const Call& call) {
  results::Wish wish;
  for (const std::string& text : texts_of(call, "bound")) {
    wish.bounds.push_back(results::parse_bound(text));
    wish.bounds.back().name = metrics::measure_called(wish.bounds.back().name);
  }
  wish.methods = texts_of(call, "method");
  if (call.values.count("best") > 0) {
    wish.best = metrics::measure_called(call.values["best"].as<std::string>());
  }
  wish.knee = call.values.count("knee") > 0;
  if (wish.knee && !wish.best.empty()) {
    throw base::InputError(
        "choose: leave --knee or --best out: each of them names one point of the front");
  }
  if (call.values.count("confidence") > 0) {
    wish.confidence = call.values["confidence"].as<double>();
  }
  if (call.values.count("randomised") > 0) make_randomised(wish);
  return wish;
}

/// What the command line asks of the archive that this has not is told with its name.
template <class Work>
auto naming_archive(const Call& call, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const base::InputError& error) {
    throw base::InputError(fmt::format(
        "choose: '{}': {}", base::excerpt(call.values["ARCHIVE"].as<std::string>()), error.what()));
  }
}

/// Of the archive's intervals: the option of that name which all methods share, or 0.95, which the
/// families without the option have.
double interval_confidence_of(const Content& content) {
  double least = 1;
  for (const results::ConfigEntry& entry : content.config) {
    const bool of_method = std::ranges::any_of(content.revisions, [&](const std::string& revision) {
      return revision.starts_with(entry.section + "=");
    });
    if (entry.key != "confidence" || of_method) continue;
    for (const std::string& value : base::split_outside_parentheses(entry.value)) {
      least = std::min(least, base::parse_double(value).value_or(1));
    }
  }
  return least < 1 ? least : 0.95;
}

/// Whether the task's method makes none, such as an audit; one that has failed might have.
bool has_no_front(const Content& content, std::size_t task) {
  return content.tasks.status[task] == results::TaskStatus::done &&
         std::ranges::none_of(content.fronts, [&](const results::FrontGroup& group) {
           return group.offsets[task + 1] > group.offsets[task];
         });
}

void require_methods(const Content& content, const std::vector<std::string>& wanted) {
  std::set<std::string> with_front, without;
  for (std::size_t task = 0; task < content.tasks.method.size(); ++task) {
    (has_no_front(content, task) ? without : with_front).insert(content.tasks.method[task]);
  }
  const std::vector<std::string> names(with_front.begin(), with_front.end());
  for (const std::string& method : wanted) {
    if (with_front.contains(method) || names.empty()) continue;
    if (without.contains(method)) {
      throw base::InputError(
          fmt::format("the method '{}' makes no fronts, and so no point to choose; these do: {}",
                      method, base::list_some(names)));
    }
    throw base::InputError(
        fmt::format("no task of the method '{}'{}", method, base::name_hint(method, names)));
  }
}

/// Tasks of one problem, by what a person calls it.
using Problems = std::vector<std::pair<std::string, std::vector<std::size_t>>>;

/// The tasks of each problem that may have fronts, in the order of the first one.
Problems problems_of(const Content& content) {
  Problems problems;
  std::map<std::string, std::size_t> places;
  for (std::size_t task = 0; task < content.tasks.key.size(); ++task) {
    if (has_no_front(content, task)) continue;
    const std::string name = problem_name(content, task);
    const auto [place, is_new] = places.try_emplace(name, problems.size());
    if (is_new) problems.emplace_back(name, std::vector<std::size_t>{});
    problems[place->second].second.push_back(task);
  }
  return problems;
}

/// All that the wanted methods have tasks of, or the one that is named.
Problems wanted_problems(const Call& call, const Content& content, const results::Wish& wish) {
  Problems problems = problems_of(content);
  std::erase_if(problems, [&](const auto& problem) {
    return std::ranges::none_of(problem.second, [&](std::size_t task) {
      return wish.methods.empty() ||
             std::ranges::count(wish.methods, content.tasks.method[task]) > 0;
    });
  });
  if (problems.empty()) {
    throw base::InputError(fmt::format(
        "choose: '{}' holds no fronts, and so no point to choose; run a method that has "
        "one (`fairfront list solvers`), and see measures by `fairfront show`",
        call.values["ARCHIVE"].as<std::string>()));
  }
  if (call.values.count("problem") == 0) return problems;
  const auto wanted = call.values["problem"].as<std::string>();
  std::vector<std::string> names;
  for (const auto& problem : problems) names.push_back(problem.first);
  if (std::ranges::find(names, wanted) == names.end()) {
    throw base::InputError(fmt::format("choose: '{}': no problem '{}'{}",
                                       base::excerpt(call.values["ARCHIVE"].as<std::string>()),
                                       wanted, base::name_hint(wanted, names)));
  }
  std::erase_if(problems, [&](const auto& problem) { return problem.first != wanted; });
  return problems;
}

/// Of --model and --onnx, before anything is computed.
void check_model_options(const Call& call, const Problems& problems) {
  if (call.values.count("model") > 0 && call.values.count("onnx") > 0 &&
      std::filesystem::path(call.values["model"].as<std::string>()).lexically_normal() ==
          std::filesystem::path(call.values["onnx"].as<std::string>()).lexically_normal()) {
    throw base::InputError(
        "choose: give one of the two another name: --model and --onnx name the same file");
  }
  for (const ModelOption& option : model_options) {
    if (call.values.count(option.name) == 0) continue;
    const auto path = call.values[option.name].as<std::string>();
    if (path == "-") {
      throw base::InputError(
          fmt::format("choose: --{} takes the name of a file: the standard output has the choice "
                      "itself",
                      option.name));
    }
    if (problems.size() != 1) {
      throw base::InputError(
          fmt::format("choose: name one problem by --problem, as this command prints them: a model "
                      "file holds the point of one, and there are {}",
                      problems.size()));
    }
    option.check(path, call.values.count("force") > 0);
  }
}

results::Form form_of(const Call& call) {
  return call.values.count("randomised") > 0 ? results::Form::randomised : results::Form::single;
}

void write_model(const Call& call, const results::ChosenFrom& from) {
  const results::Candidate& chosen = from.choice.candidates[*from.choice.chosen];
  const results::StoredModel stored =
      stored_model_of(from.content, call.values["ARCHIVE"].as<std::string>(),
                      static_cast<std::int64_t>(chosen.task),
                      static_cast<std::int64_t>(chosen.point), form_of(call));
  const results::LaunchFacts program = build_provenance();
  const std::string about = results::model_card(
      from, stored, fmt::format("fairfront {} {}", program.program_version, program.git_revision));
  const std::string text = results::text_of(stored, about);
  for (const ModelOption& option : model_options) {
    if (call.values.count(option.name) == 0) continue;
    const auto path = call.values[option.name].as<std::string>();
    option.write(path, text, call.values.count("force") > 0);
    log("{} '{}'\n", option.what, path);
  }
}

bool wants_model(const Call& call) {
  return std::ranges::any_of(
      model_options, [&](const ModelOption& option) { return call.values.count(option.name) > 0; });
}

/// Points that the archive says nothing of are measured here, by their models on the data that it
/// names.
results::PointMeasures measure(const Call& call, const ArchiveWork& work, const Content& content,
                               const std::vector<sweep::PlaceOfPoint>& points) {
  return sweep::measure_points(call.world, work.sweep.plan, work.sweep.experiment, content, points,
                               work.context);
}

ArchiveWork work_of(const Call& call, const Content& content) {
  return work_on_archive(call, content, call.values["ARCHIVE"].as<std::string>(),
                         "points are measured");
}

/// What the wish asks of points that the archive says nothing of. Empty where it asks nothing.
results::PointMeasures points_of(const Call& call, const Content& content, const Problems& problems,
                                 const results::Wish& wish) {
  std::vector<std::size_t> tasks;
  for (const auto& problem : problems) {
    const auto mine = results::tasks_to_choose_from(content, problem.second, wish);
    tasks.insert(tasks.end(), mine.begin(), mine.end());
  }
  if (!results::wants_points(content, tasks, wish)) return {};
  const base::StopScope scope = stop_at_signals();
  const ArchiveWork work = work_of(call, content);
  if (work.sweep.experiment.measures_of_points().empty() && !wish.confidence) return {};
  return measure(call, work, content, sweep::all_points(content, tasks));
}

/// The chosen point, of which the archive has objectives alone; nothing: it has what is known of
/// it.
std::optional<sweep::PlaceOfPoint> chosen_unmeasured(const Content& content, const Choice& choice) {
  if (!choice.chosen) return {};
  const results::Candidate& chosen = choice.candidates[*choice.chosen];
  if (!results::points_need_measures(content, chosen.task)) return {};
  return sweep::PlaceOfPoint{chosen.task, chosen.point};
}

/// What --intervals wants: measures of the chosen points, of which the archive has objectives
/// alone.
results::PointMeasures points_of_intervals(const Call& call, const Content& content,
                                           const std::vector<Choice>& choices) {
  std::vector<sweep::PlaceOfPoint> places;
  for (const Choice& choice : choices) {
    if (const auto place = chosen_unmeasured(content, choice)) places.push_back(*place);
  }
  if (places.empty()) return {};
  const base::StopScope scope = stop_at_signals();
  const ArchiveWork work = work_of(call, content);
  if (work.sweep.experiment.measures_of_points().empty()) return {};
  return measure(call, work, content, places);
}

/// For the card of its model: what the choice has looked at, else the one point. Without the data
/// the card has no measures, and that is said.
results::PointMeasures points_of_card(const Call& call, const Content& content,
                                      const Choice& choice, const results::PointMeasures& points) {
  const auto place = chosen_unmeasured(content, choice);
  if (!place || !points.empty()) return points;
  const base::StopScope scope = stop_at_signals();
  try {
    const ArchiveWork work = work_of(call, content);
    if (work.sweep.experiment.measures_of_points().empty()) return {};
    return measure(call, work, content, {*place});
  } catch (const base::InputError& error) {
    log("warning: the model's card has no measures: {}\n", error.what());
    return {};
  }
}

base::ExitCode execute_choose(const Call& call) {
  const auto path = call.values["ARCHIVE"].as<std::string>();
  const bool as_json = call.values.count("json") > 0;
  const std::size_t most =
      call.values.count("all") > 0 ? std::numeric_limits<std::size_t>::max() : points_shown;
  const results::Wish asked = wish_of(call);
  const archive::Stored stored = read_stored(path, call.values.count("partial") > 0);
  const Content& content = stored.content;
  const results::Wish wish = naming_archive(call, [&] {
    require_methods(content, asked.methods);
    return results::with_full_names(content, asked);
  });
  const Problems problems = wanted_problems(call, content, wish);
  check_model_options(call, problems);
  results::PointMeasures points = points_of(call, content, problems, wish);
  const bool measured_all = !points.empty();
  Json list = Json::array();
  bool all = true;
  std::vector<std::vector<std::size_t>> tasks;
  for (const auto& problem : problems) tasks.push_back(problem.second);
  std::vector<Choice> choices = naming_archive(call, [&] {
    return results::choose_each(content, tasks, wish, interval_confidence_of(content), points);
  });
  // What is known of randomised classifiers are measures without intervals, and no objectives.
  if (call.values.count("intervals") > 0 && !measured_all && !wish.randomised) {
    points = points_of_intervals(call, content, choices);
    for (Choice& choice : choices) {
      if (chosen_unmeasured(content, choice) && !points.empty()) {
        results::add_intervals(content, choice, points);
      }
    }
  }
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const std::string& problem = problems[i].first;
    const Choice& choice = choices[i];
    all = all && choice.chosen;
    if (as_json) {
      list.push_back(choice_json(content, problem, choice, wish, most));
      list.back()["measured"] = measured_all;
    }
    if (!as_json) print("{}", choice_text(content, problem, choice, wish, most));
    if (!choice.chosen || !wants_model(call)) continue;
    const results::PointMeasures measured = points_of_card(call, content, choice, points);
    write_model(
        call, {content, choice, wish, measured, problem,
               std::filesystem::path(path).filename().string(), results::results_digest(content)});
  }
  if (as_json) print("{}\n", list.dump(2, ' ', true, Json::error_handler_t::replace));
  return all ? base::ExitCode::done : base::ExitCode::some_tasks_failed;
}

}  // namespace

Command choose_command() {
  Command command;
  command.name = "choose";
  command.summary = "Choose one point of the fronts: the best one within bounds.";
  command.arguments = {{"ARCHIVE"}};
  command.details =
      "NAME is an objective or a measure. What decides is the part that decides on the fronts, "
      "such\n"
      "as validation; what is reported beside it, such as test, never does. One point is chosen "
      "for\n"
      "every problem: data set and split. The archive has the measures of one model a task; "
      "points\n"
      "with other models are measured here, on the data, which must then be there. With "
      "--confidence the bounds hold for the population: points are tested on\n"
      "the part of split.choice, or without one on the reported part, in the order of the part "
      "that\n"
      "decides, until the first that fails. Limits are those of the archive's intervals, of\n"
      "confidence 0.95 unless its config says another: a smaller confidence is tested with these, "
      "too,\n"
      "and a greater one is refused. Limits of rates are on the safe side, those of their gaps\n"
      "nearly so where groups have few rows, and those of means without a bound, such as a log\n"
      "loss, and of AUCs are approximations. Several bounds are compared in units of how far the\n"
      "points lie apart in each. It ends with 1 where nothing can be chosen. --model writes a\n"
      "file that `fairfront predict` takes in place of an archive. --onnx writes the same model\n"
      "for other programs, by the Python library that comes with this program ($FAIRFRONT_PYTHON,\n"
      "else /usr/bin/python3, with numpy, pandas, h5py and onnx).\n"
      "\nExamples:\n"
      "  fairfront choose adult.h5 --bound 'gap<=0.05' --best log_loss --model model.json\n"
      "  fairfront choose adult.h5 --bound 'gap<=0.1' --confidence 0.95 --json\n"
      "  fairfront choose clusters.h5 --knee --method balance_ladder\n";
  command.execute = execute_choose;
  command.numbers = {{"confidence", "a number above 0.5 and below 1", false, 0.5, 1, false}};
  using boost::program_options::value;
  command.options.add_options()(
      "bound", value<std::vector<std::string>>()->value_name("'NAME<=X'"),
      "The point must keep this bound, or 'NAME>=X'; it may be given several times.")(
      "best", value<std::string>()->value_name("NAME"),
      "This is to be best; without it the first objective is.")(
      "knee",
      "In place of --best, the corner of a front of two objectives is chosen; with bounds, that of "
      "the points within them.")(
      "method", value<std::vector<std::string>>()->value_name("NAME"),
      "Only points of this method are looked at; it may be given several times.")(
      "confidence", value<double>()->value_name("C"),
      "The bounds hold for the population, with this confidence.")(
      "json", "The answer is printed as JSON, for programs.");
  command.options.add_options()("problem", value<std::string>()->value_name("NAME"),
                                "Only this problem is looked at, named as it is printed.")(
      "model", value<std::string>()->value_name("FILE"),
      "The model of the chosen point is written to this file as JSON, with a card that says what "
      "it is.")("onnx", value<std::string>()->value_name("FILE"),
                "That model is written to this file as ONNX, with the card in it.")(
      "randomised",
      "Of [reductions], and of [certified_training] with classifier = randomised, one of the "
      "randomised classifiers is chosen, by randomised_error, randomised_independence_gap and the "
      "like, and such a one is the model.")(
      "intervals",
      "A chosen point that the archive has no measures of, such as one of several of a front, is "
      "measured on the data, which must be there, so that what is reported of it has intervals.")(
      "force", "A model file or an ONNX file that is there is replaced.")(
      "all", "Every point is listed, the best ones first, in place of the four best.");
  add_partial_option(command.options);
  add_data_options(command.options);
  return command;
}

}  // namespace fairfront::drivers
