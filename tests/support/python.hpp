// tests/support/python.hpp - runs a script with the Python that has the torch of this build, and reads what it wrote
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace python {
inline std::string from_environment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value ? value : otherwise;
}
/// A folder of this test's own, empty.
inline std::filesystem::path scratch(const std::string& name) {
  const auto folder = std::filesystem::temp_directory_path() / ("regimen-" + name + '-' + std::to_string(std::hash<std::string>{}(std::filesystem::current_path().string())));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}
/// Runs `script` (a path below the source tree) with arguments; throws with its output if it fails.
inline void run(const std::string& script, const std::string& arguments) {
  const auto log = std::filesystem::temp_directory_path() / ("regimen-python-" + std::to_string(std::hash<std::string>{}(script + arguments)) + ".log");
  const auto command = from_environment("REGIMEN_PYTHON", "python3") + " '" + from_environment("REGIMEN_SOURCE", ".") + "/" + script + "' " + arguments + " >'" + log.string() + "' 2>&1";
  if (std::system(command.c_str()) == 0) return;
  std::ifstream in{log};
  throw std::runtime_error(script + " failed: " + std::string{std::istreambuf_iterator<char>{in}, {}});
}
inline std::vector<float> floats(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  if (!in) throw std::runtime_error("no file " + file.string());
  std::vector<float> all(std::filesystem::file_size(file) / sizeof(float));
  in.read(reinterpret_cast<char*>(all.data()), static_cast<std::streamsize>(all.size() * sizeof(float)));
  return all;
}
}  // namespace python
