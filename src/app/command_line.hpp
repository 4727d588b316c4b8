#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sterna {

/// Exit statuses, as `docs/` lists them.
enum Exit { success = 0, failure = 1, bad_input = 2, interrupted = 3 };

/// What the command line asks for.
struct Arguments {
  std::string input;
  std::optional<std::int64_t> steps;  ///< instead of those of [run]
  bool resume = false;
  std::string from;  ///< the stage to begin with; empty: the first
  bool verbose = false;
  bool outputs = false;
  bool averages = false;
  bool overwrite = false;
  bool report = false;
  bool check = false;
  bool show_timeout = false;
  bool schema = false;
  bool reference = false;
  bool pages = false;
  bool methods = false;
  std::string method;  ///< one of them; empty: all
  bool method_table = false;
  bool models = false;
  bool model_table = false;
  int ranks = 0;
  std::string convert_to;
  std::string progress = "auto";
  std::string python;  ///< that has the package; empty: that of the installation
};

/// Fills `arguments`. The exit status where the program is done: help and version were printed, or
/// what is wrong with the command line.
std::optional<int> read_command_line(int argc, char** argv, Arguments& arguments);

}  // namespace sterna
