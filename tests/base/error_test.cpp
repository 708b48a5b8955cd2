#include "base/error.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <system_error>

namespace fairfront::base {
namespace {

template <class Exception>
void expect(const Exception& exception, Fault fault, ExitCode code, const std::string& message) {
  const std::exception_ptr failure = std::make_exception_ptr(exception);
  EXPECT_EQ(fault_of(failure), fault) << message;
  EXPECT_EQ(exit_code_of(failure), code) << message;
  EXPECT_EQ(message_of(failure), message);
}

TEST(Errors, OfTheInputAreBadInput) {
  expect(InputError("no such option"), Fault::input, ExitCode::bad_input, "no such option");
  expect(std::invalid_argument("k = 0"), Fault::input, ExitCode::bad_input, "k = 0");
  expect(std::domain_error("not finite"), Fault::input, ExitCode::bad_input, "not finite");
}

TEST(Errors, OfAnotherRunAreOfTheInputButMayBeGoneLater) {
  expect(BusyError("in use"), Fault::input, ExitCode::busy, "in use");
}

TEST(Errors, OfTheDataAreBadInputButTellThatTheyAreOfTheData) {
  expect(DataError("no such file"), Fault::data, ExitCode::bad_input, "no such file");
  const std::filesystem::filesystem_error error("x", std::make_error_code(std::errc::io_error));
  expect(error, Fault::data, ExitCode::bad_input, error.what());
  const std::filesystem::filesystem_error of_file("x", "a/b",
                                                  std::make_error_code(std::errc::io_error));
  expect(of_file, Fault::data, ExitCode::bad_input, "'a/b': Input/output error");
}

TEST(Errors, OfTheProgramAndTheMachineAreInternal) {
  expect(InternalError("gone"), Fault::program, ExitCode::internal, "gone");
  expect(std::bad_alloc(), Fault::program, ExitCode::internal, "out of memory");
  expect(std::length_error("vector"), Fault::program, ExitCode::internal,
         "out of memory: more than any machine has");
  expect(std::out_of_range("at"), Fault::program, ExitCode::internal, "at");
  expect(std::runtime_error("MPI"), Fault::program, ExitCode::internal, "MPI");
  expect(42, Fault::program, ExitCode::internal, "unknown error");
}

}  // namespace
}  // namespace fairfront::base
