/// @file
/// The columns of an archive as CSV tables (RFC 4180, with line ends of one character).
#pragma once

#include <string>
#include <vector>

#include "results/content.hpp"

namespace fairfront::drivers {

/// Writes the tables into `folder`, which is made if it is not there.
/// @param solutions  also the solutions, one per row.
/// @return  the names of the files written.
/// @throws base::InputError  a file is there already, or cannot be written.
std::vector<std::string> export_csv(const results::Content& content, const std::string& folder,
                                    bool solutions);

}  // namespace fairfront::drivers
