/// @file
/// What configs and catalogues are made of: UTF-8 without control characters.
#pragma once

#include <string>
#include <string_view>

namespace fairfront::base {

/// @throws base::InputError  "<where>: <reason>", always.
[[noreturn]] void fail(const std::string& where, const std::string& reason);

/// Tabs, line feeds, and carriage returns in front of line feeds are allowed, everything else that
/// controls something is not: it would be invisible in the file, and an archive could not keep it.
/// @param file  name used in messages.
/// @throws base::InputError  "<file>:<line>: column <column>: ..." (in characters, from 1), or one
///         message about the whole file when it is UTF-16 or has carriage returns for line feeds.
void check_plain_text(std::string_view text, const std::string& file);

/// The same for one line, such as a value of the command line. Between quotation marks it may have
/// line feeds: the name of a file may.
/// @param where  begins the message.
void check_plain_line(std::string_view text, const std::string& where);

}  // namespace fairfront::base
