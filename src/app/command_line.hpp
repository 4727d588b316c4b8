#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sterna {

/// Exit statuses, as `docs/` lists them.
enum Exit { success = 0, failure = 1, bad_input = 2, interrupted = 3 };

/// The arguments of the command line.
struct Arguments {
  std::string input;
  std::optional<std::int64_t> steps;  ///< replaces "steps" in [run]
  bool resume = false;
  std::string from;  ///< the first stage to run; empty: the input's first
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
  std::string method;  ///< name of a method; empty: all
  bool method_table = false;
  bool models = false;
  bool model_table = false;
  int ranks = 0;
  std::string convert_to;
  std::string progress = "auto";
  std::string python;  ///< interpreter with the package; empty: the installed one
};

/// Fills `arguments`. Returns an exit status if the program is done, because help or version were
/// printed, or because the command line is wrong.
std::optional<int> read_command_line(int argc, char** argv, Arguments& arguments);

}  // namespace sterna
