#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sterna::md {

enum class Severity {
  error,    ///< the run cannot be as the file says
  warning,  ///< the run is possible, but hardly meant so
  advice,   ///< the run is possible, but another would be better
};

/// A finding about an input file, with its place.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string file;
  int line = 0;    ///< from 1; 0: the finding is about the whole file
  int column = 0;  ///< from 1, in characters (code points), as editors count
  int length = 1;  ///< characters to underline
  std::string message;
  std::string source_line;  ///< the text of the line as in the file (UTF-8)
  int source_column = 1;    ///< column of its first character, if it is only a part
};

/// A diagnostic about a part of a line; `part` must point into `line`, whose number is `number`.
Diagnostic diagnostic_in_line(std::string file, std::int64_t number, std::string_view line,
                              std::string_view part, Severity severity, std::string message);

/// A diagnostic in the form that compilers use, with a newline after each line:
///
///     lj.toml:12:1: error: unknown key "timestp" in [run]; did you mean "timestep"?
///        12 | timestp = 0.005
///           | ^~~~~~~
///
/// Control characters and invalid UTF-8 are escaped ("\x1b"), so that no file can send commands to
/// a terminal. Of a very long line the part around the place is shown. With `color`, ANSI colors
/// are used.
std::string render(const Diagnostic& diagnostic, bool color = false);
/// All diagnostics, and a last line with their number: "2 errors, 1 warning". Empty if there are
/// none.
std::string render(std::span<const Diagnostic> diagnostics, bool color = false);

bool has_errors(std::span<const Diagnostic> diagnostics);

}  // namespace sterna::md
