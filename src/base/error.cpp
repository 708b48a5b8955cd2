#include "base/error.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <new>
#include <stdexcept>

#include "base/printable.hpp"

namespace fairfront::base {

Fault fault_of(const std::exception_ptr& failure) noexcept {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.fault();
  } catch (const std::invalid_argument&) {
    return Fault::input;
  } catch (const std::domain_error&) {
    return Fault::input;
  } catch (const std::filesystem::filesystem_error&) {
    return Fault::data;
  } catch (...) {
    return Fault::program;
  }
}

ExitCode exit_code_of(const std::exception_ptr& failure) noexcept {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.exit_code();
  } catch (...) {
    return fault_of(failure) == Fault::program ? ExitCode::internal : ExitCode::bad_input;
  }
}

std::string message_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::length_error&) {
    return "out of memory: more than any machine has";  // of a container, whose own words help
                                                        // nobody
  } catch (const std::filesystem::filesystem_error& error) {
    return printable(
        error.path1().empty()
            ? error.what()
            : fmt::format("'{}': {}", excerpt(error.path1().string()), error.code().message()));
  } catch (const std::exception& error) {
    return printable(error.what());
  } catch (...) {
    return "unknown error";
  }
}

}  // namespace fairfront::base
