#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "md/output/json_log.hpp"
#include "md/simulation/files/console.hpp"

namespace sterna::md {

/// What a run tells: its console, its log, and the warnings that a program may take.
struct RunMessages {
  Console console;
  std::unique_ptr<JsonLog> log = nullptr;  ///< null before the files are open, or without files
  std::vector<std::string> warnings = {};  ///< not yet taken by `Simulation::take_warnings`

  /// Shows a warning on the console, writes it to the log, and keeps it for the program.
  void warn(std::int64_t step, const std::string& text) {
    console.line("warning: " + text);
    warnings.push_back(text);
    if (log) log->warning(step, text);
  }
};

}  // namespace sterna::md
