/// @file
/// An archive, or what the journal beside it holds so far.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <string>

#include "archive/archive.hpp"

namespace fairfront::drivers {

/// --partial, of commands that read results.
void add_partial_option(boost::program_options::options_description& options);

/// The archive at `path`. With `partial` and a journal of it, what that holds; warnings of damaged
/// records go to the standard error.
/// @throws base::InputError  there is none; when there is a journal, the message names --partial.
/// @throws base::DamagedError  it is damaged.
[[nodiscard]] archive::Stored read_stored(const std::string& path, bool partial);

}  // namespace fairfront::drivers
