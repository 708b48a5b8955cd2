#include "data/catalogue/catalogue_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/ini_text.hpp"
#include "base/plain_text.hpp"
#include "base/printable.hpp"
#include "base/quotation.hpp"
#include "base/text.hpp"

namespace fairfront::data {
namespace {

using base::fail;

/// Of a file; what is not here is for the program that downloads it.
base::OptionTable options_of(CatalogueFile& file) {
  base::OptionTable table("file");
  table.add("sha256", file.sha256, "of the uncompressed content")
      .add("rows", file.rows, base::at_least<std::int64_t>(0), "rows", "without the header")
      .add("address", file.address, "of the download")
      .add("member", file.member, "of the archive there that is the file")
      .add("other_address", file.other_address, "of a second place")
      .add("other_member", file.other_member, "of the archive there")
      .add("derived_by", file.derived_by,
           "script of jobs/, with options, that makes the file from what is at address")
      .add("origin", file.origin, "who has the file, where no address is known")
      .add("stored_sha256", file.stored_sha256, "of our own .gz");
  return table;
}

base::OptionTable options_of(CatalogueEntry& set) {
  base::OptionTable table("set");
  table.add("title", set.title, "one line")
      .add("source", set.source, "an address or a citation")
      .add("licence", set.licence, "of the data")
      .add("sensitive_choices", set.sensitive_choices, "columns that are attributes of people");
  return table;
}

/// What a task may say beside the words of [data] and [preparation].
base::OptionTable own_options_of(SupervisedTask& task) {
  base::OptionTable table("task");
  table.add("recipe", task.recipe, "one sentence: which rows, in which order")
      .add("comment", task.comment, "csv: begins lines that are skipped")
      .add("names", task.names, "csv without a header: of all columns")
      .add("required", task.required, "columns of no use whose missing cells drop their rows")
      .add("descending", task.descending, "features by which rows are sorted")
      .add("blocks", task.blocks, "column by whose levels rows are arranged");
  return table;
}

/// Words of [data] and [preparation] that are for a config alone.
constexpr std::array<std::string_view, 9> for_configs{
    "task",           "state",          "split",          "subsample",
    "subsample_rule", "subsample_seed", "generator_seed", "scale_indicators",
    "label_scaling"};

void set(const std::vector<base::OptionTable>& tables, const base::IniEntry& entry) {
  std::vector<std::string> names;
  for (base::OptionTable table : tables) {
    for (const base::OptionInfo& info : table.infos()) {
      if (std::ranges::find(for_configs, info.name) != for_configs.end()) continue;
      names.push_back(info.name);
      if (info.name != entry.key) continue;
      try {
        return table.set(entry.key, entry.value);
      } catch (const base::InputError& broken) {
        fail(entry.where, broken.what());
      }
    }
  }
  fail(entry.where, fmt::format("there is no '{}' here{}", base::excerpt(entry.key),
                                base::name_hint(entry.key, names)));
}

std::vector<std::string> items_of(const base::IniEntry& entry) {
  try {
    return base::parse_list(entry.value);
  } catch (const std::invalid_argument& broken) {
    fail(entry.where, fmt::format("{}: {}", base::excerpt(entry.key), broken.what()));
  }
}

/// "levels.sex = 1:male, 2:female": levels in their order and what they are called, if they are.
LevelOrder level_order(const base::IniEntry& entry) {
  LevelOrder order{.column = entry.key.substr(entry.key.find('.') + 1), .levels = {}, .names = {}};
  for (const std::string& item : items_of(entry)) {
    auto pair = base::parse_pair(item);
    if (pair) order.names.push_back(std::move(pair->second));
    order.levels.push_back(pair ? std::move(pair->first) : item);
  }
  if (order.column.empty() || order.levels.empty() ||
      (!order.names.empty() && order.names.size() != order.levels.size())) {
    fail(entry.where,
         fmt::format("{} must be levels, such as a, b, or all with names, such as 1:male, 2:female",
                     base::excerpt(entry.key)));
  }
  return order;
}

void replace(std::vector<LevelOrder>& orders, LevelOrder order) {
  std::erase_if(orders, [&](const LevelOrder& old) { return old.column == order.column; });
  orders.push_back(std::move(order));
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file, std::span<const CatalogueEntry> known)
      : ini_{base::scan_ini(text, file)}, known_{known} {}

  std::vector<CatalogueEntry> read() {
    if (!ini_.entries.empty() && ini_.entries.front().section.empty()) {
      fail(ini_.entries.front().where, "an entry above the first section");
    }
    // Files first: a task may stand above those that it names.
    for (const base::IniSection& section : ini_.sections) {
      if (kind_of(section) == "file") add_file(section);
    }
    for (const base::IniSection& section : ini_.sections) {
      const std::string kind = kind_of(section);
      if (kind == "set") add_set(section);
      if (kind == "task") add_task(section);
    }
    for (const CatalogueEntry& set : sets_) {
      if (set.tasks.empty()) {
        fail(ini_.file, fmt::format("set '{0}' has no task: add a section [task {0} NAME]",
                                    base::excerpt(set.name)));
      }
    }
    return std::move(sets_);
  }

 private:
  static std::string kind_of(const base::IniSection& section) {
    std::string kind = section.name.substr(0, section.name.find(' '));
    if (section.name.size() > kind.size() && (kind == "file" || kind == "set" || kind == "task")) {
      return kind;
    }
    fail(section.where, fmt::format("[{}] must be [file PATH], [set NAME] or [task SET NAME]",
                                    base::excerpt(section.name)));
  }

  /// What stands behind the kind.
  static std::string rest_of(const base::IniSection& section) {
    return std::string{base::trim(std::string_view{section.name}.substr(section.name.find(' ')))};
  }

  /// The scan knows sections of equal text; these differ in blanks alone.
  [[noreturn]] static void fail_of_second(const base::IniSection& section, std::string_view kind,
                                          const std::string& rest) {
    fail(section.where, fmt::format("[{} {}] occurs twice", kind, base::excerpt(rest)));
  }

  [[nodiscard]] std::vector<base::IniEntry> entries_of(const base::IniSection& section) const {
    std::vector<base::IniEntry> entries;
    std::ranges::copy_if(ini_.entries, std::back_inserter(entries),
                         [&](const auto& entry) { return entry.section == section.name; });
    return entries;
  }

  void add_file(const base::IniSection& section) {
    CatalogueFile file;
    file.path = rest_of(section);
    for (const base::IniEntry& entry : entries_of(section)) set({options_of(file)}, entry);
    if (!is_sha256(file.sha256)) {
      fail(section.where, fmt::format("[{}] needs sha256, the 64 digits that `sha256sum` prints of "
                                      "its uncompressed content",
                                      base::excerpt(section.name)));
    }
    const std::string path = file.path;
    if (!files_.emplace(path, std::move(file)).second) fail_of_second(section, "file", path);
  }

  void add_set(const base::IniSection& section) {
    CatalogueEntry set_of_data;
    set_of_data.name = set_of_data.title = rest_of(section);
    const std::string& name = set_of_data.name;
    const auto has_name = [&](const CatalogueEntry& other) { return other.name == name; };
    if (name.find(' ') != name.npos || name == "csv" || name == "arff" || name == "libsvm" ||
        std::ranges::any_of(known_, has_name)) {
      fail(section.where, fmt::format("'{}' must be one word, and no name that the program has "
                                      "itself (fairfront list datasets)",
                                      base::excerpt(name)));
    }
    if (std::ranges::any_of(sets_, has_name)) fail_of_second(section, "set", name);
    for (const base::IniEntry& entry : entries_of(section)) set({options_of(set_of_data)}, entry);
    sets_.push_back(std::move(set_of_data));
  }

  void add_task(const base::IniSection& section) {
    const std::string words = rest_of(section);
    const std::size_t blank = words.find(' ');
    const auto set_of_data =
        std::ranges::find(sets_, words.substr(0, blank), &CatalogueEntry::name);
    if (blank == words.npos || set_of_data == sets_.end()) {
      fail(section.where, fmt::format("[{}] must be [task SET NAME] below the section [set SET]",
                                      base::excerpt(section.name)));
    }
    const std::vector<base::IniEntry> entries = entries_of(section);
    SupervisedTask task;
    const auto like = std::ranges::find(entries, "like", &base::IniEntry::key);
    if (like != entries.end()) task = task_like(*like, set_of_data->name);
    task.name = base::trim(words.substr(blank));
    if (std::ranges::find(set_of_data->tasks, task.name, &SupervisedTask::name) !=
        set_of_data->tasks.end()) {
      fail_of_second(section, "task", words);
    }
    for (const base::IniEntry& entry : entries) set_in_task(task, entry);
    finish(task, section);
    set_of_data->tasks.push_back(std::move(task));
  }

  [[nodiscard]] SupervisedTask task_like(const base::IniEntry& entry,
                                         const std::string& set_name) const {
    const std::size_t blank = entry.value.find(' ');
    const bool same = blank == entry.value.npos;
    const std::string of = same ? set_name : entry.value.substr(0, blank);
    const std::string name = same ? entry.value : entry.value.substr(blank + 1);
    for (const std::span<const CatalogueEntry> sets : {std::span{sets_}, known_}) {
      for (const CatalogueEntry& other : sets) {
        const auto found = std::ranges::find(other.tasks, name, &SupervisedTask::name);
        if (other.name == of && found != other.tasks.end()) return *found;
      }
    }
    fail(entry.where,
         fmt::format("like = {}: there is no such task above, neither NAME of this set "
                     "nor SET NAME of another",
                     base::excerpt(entry.value)));
  }

  static void set_in_task(SupervisedTask& task, const base::IniEntry& entry) {
    if (entry.key == "like") return;
    if (entry.key.starts_with("levels.")) return replace(task.level_orders, level_order(entry));
    if (entry.key.starts_with("ordinal.")) return replace(task.ordinals, level_order(entry));
    set({own_options_of(task), data::options_of(static_cast<SupervisedOptions&>(task)),
         data::options_of(task.paper)},
        entry);
  }

  void finish(SupervisedTask& task, const base::IniSection& section) const {
    const auto require = [&](bool holds, std::string_view rule) {
      if (!holds) fail(section.where, fmt::format("[{}] {}", base::excerpt(section.name), rule));
    };
    require(task.data == "csv" || task.data == "arff" || task.data == "libsvm",
            "must have data = csv, arff or libsvm");
    require(!task.sensitive.empty(), "needs sensitive: what makes the groups");
    require(task.data == "libsvm" || !task.features.empty(), "needs features: columns, or *");
    require(!task.file.empty(), "needs file: the PATH of a section [file PATH]");
    const auto file = [&](const std::string& path) {
      const auto found = files_.find(path);
      require(found != files_.end(),
              fmt::format("names the file '{}', which has no section [file {}]",
                          base::excerpt(path), base::excerpt(path)));
      return found->second;
    };
    // Of a task that is like one of another catalogue, the file may be that one's.
    if (task.published_file.path != task.file) task.published_file = file(task.file);
    if (task.test_file.empty()) {
      task.published_test_file.reset();
    } else if (!task.published_test_file || task.published_test_file->path != task.test_file) {
      task.published_test_file = file(task.test_file);
    }
  }

  base::IniText ini_;
  std::span<const CatalogueEntry> known_;
  std::map<std::string, CatalogueFile> files_;
  std::vector<CatalogueEntry> sets_;
};

}  // namespace

std::vector<CatalogueEntry> read_catalogue(std::string_view text, const std::string& file,
                                           std::span<const CatalogueEntry> known) {
  return Reader(text, file, known).read();
}

OwnSets read_own_catalogue(const std::string& path) {
  auto sets = read_catalogue(base::read_file(path), path, catalogue());
  for (CatalogueEntry& entry : sets) {
    for (SupervisedTask& task : entry.tasks) {
      task.published_file.beside = base::folder_of(path);
      if (task.published_test_file) task.published_test_file->beside = base::folder_of(path);
    }
  }
  return std::make_shared<const std::vector<CatalogueEntry>>(std::move(sets));
}

}  // namespace fairfront::data
