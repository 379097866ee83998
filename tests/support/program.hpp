// tests/support/program.hpp - runs a built example as a user does
#pragma once
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/python.hpp"

namespace program {
struct Result {
  int code = -1;
  std::string out, err;
};
inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}
inline Result run_command(const std::string& command) {
  const auto folder = python::scratch("program");
  const auto out = folder / "out", err = folder / "err";
  const int status = std::system((command + " >'" + out.string() + "' 2>'" + err.string() + '\'').c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(out), text_of(err)};
}
/// Runs the example `name` of this build with arguments as the shell reads them.
inline Result run(const std::string& name, const std::string& arguments) {
  return run_command('\'' + python::from_environment("REGIMEN_BUILD", ".") + '/' + name + "' " + arguments);
}
/// Runs a script below the source tree with the Python that has the torch of this build.
inline Result run_python(const std::string& script, const std::string& arguments) {
  return run_command(python::from_environment("REGIMEN_PYTHON", "python3") + " '" + python::from_environment("REGIMEN_SOURCE", ".") + '/' + script + "' " + arguments);
}
}  // namespace program
