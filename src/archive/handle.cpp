#include "archive/handle.hpp"

#include <fmt/format.h>

#include <string>

namespace fairfront::archive {
namespace {

// The outermost entry says what was tried, the innermost one why it failed.
struct Reason {
  std::string outermost;
  std::string innermost;
};

herr_t collect(unsigned position, const H5E_error2_t* error, void* data) {
  auto& reason = *static_cast<Reason*>(data);
  const char* text = error->desc != nullptr ? error->desc : "";
  (position == 0 ? reason.outermost : reason.innermost) = text;
  return 0;
}

}  // namespace

QuietErrors::QuietErrors() {
  H5Eget_auto2(H5E_DEFAULT, &printer_, &printer_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietErrors::~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, printer_, printer_data_); }

void throw_hdf5_error(std::string_view function, std::string_view object) {
  Reason reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, &collect, &reason);
  std::string message = fmt::format("{}({})", function, object);
  for (const std::string& part : {reason.outermost, reason.innermost}) {
    if (!part.empty()) message += ": " + part;
  }
  throw Hdf5Error(message);
}

}  // namespace fairfront::archive
