/// @file
/// Reads a catalogue of data sets: that of the program, or a user's.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/catalogue/catalogue.hpp"

namespace fairfront::data {

/// The catalogue that is in the program: the text of catalogue.ini.
[[nodiscard]] std::string_view catalogue_text();

/// Reads sections [file PATH], [set NAME] and [task SET NAME]; what they hold stands at the begin
/// of catalogue.ini, and in doc/data.md.
/// @param file   named in messages.
/// @param known  sets that there are already: their names are taken, and `like` may name their
/// tasks.
/// @throws base::InputError  "<file>:<line>: ..." for whatever breaks a rule.
[[nodiscard]] std::vector<CatalogueEntry> read_catalogue(std::string_view text,
                                                         const std::string& file,
                                                         std::span<const CatalogueEntry> known);

/// The sets of a user's file; their data files are below the data directory, or beside it.
/// @throws base::InputError  as read_catalogue(), or the file cannot be read.
[[nodiscard]] OwnSets read_own_catalogue(const std::string& path);

}  // namespace fairfront::data
