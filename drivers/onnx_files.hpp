/// @file
/// Models as ONNX files, which the Python library of this program writes.
#pragma once

#include <string>

namespace fairfront::drivers {

/// Before work is spent on the file: it can be written, and takes the place of no file of another
/// kind.
/// @throws base::InputError
void check_onnx_path(const std::string& path, bool overwrite);

/// Hands the text of a model file to `python3 -m fairfront_archive` and puts what comes back at
/// `path`, all or nothing. The interpreter is $FAIRFRONT_PYTHON, else the system's python3. The
/// library is the one that is installed with this program or stands in its source tree, else the
/// interpreter's own.
/// @throws base::InputError  there is no interpreter, library or package onnx, or the path cannot
///         be written, in one line.
void write_onnx_file(const std::string& path, const std::string& model_text, bool overwrite);

}  // namespace fairfront::drivers
