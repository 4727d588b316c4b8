#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sterna::md {

enum class Severity {
  error,    ///< the run cannot be what the file says
  warning,  ///< it can, but hardly as meant
  advice,   ///< it can, and would be better or faster otherwise
};

/// One finding about an input file, with the place that it is about.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string file;
  int line = 0;    ///< from 1; 0: about the file as a whole
  int column = 0;  ///< from 1, in characters (code points), as editors count
  int length = 1;  ///< characters to underline
  std::string message;
  std::string source_line;  ///< the text of that line, as it stands in the file (UTF-8)
  int source_column = 1;    ///< column of its first character, where the line was shortened
};

/// About a part of a line, which `part` points into; `number` is that of the line.
Diagnostic diagnostic_in_line(std::string file, std::int64_t number, std::string_view line,
                              std::string_view part, Severity severity, std::string message);

/// As compilers do, each line ended by a newline:
///
///     lj.toml:12:1: error: unknown key "timestp" in [run]; did you mean "timestep"?
///        12 | timestp = 0.005
///           | ^~~~~~~
///
/// Control characters and broken UTF-8 are escaped ("\x1b"), so that no file writes commands to a
/// terminal; of a very long line the part around the place is shown. With `color`, ANSI colors for
/// a terminal.
std::string render(const Diagnostic& diagnostic, bool color = false);
/// All of them, and a last line that counts: "2 errors, 1 warning". Empty for none.
std::string render(std::span<const Diagnostic> diagnostics, bool color = false);

bool has_errors(std::span<const Diagnostic> diagnostics);

}  // namespace sterna::md
