#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "md/input/diagnostics.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

struct ReadResult {
  Input input;                          ///< valid if `ok()`
  std::vector<Diagnostic> diagnostics;  ///< all of them, in the order of the file

  bool ok() const { return !has_errors(diagnostics); }
};

/// Reads and checks an input file. Never throws because of the file: mistakes in it, or the reason
/// why it cannot be read, are in the diagnostics.
ReadResult read_input(const std::string& path);

/// As `read_input`, for the text of a file called `name`. Relative paths in it start at the folder
/// of `name`; without `look_at_files` they are not checked for existence. `steps` replaces `steps`
/// in [run].
ReadResult read_input_text(std::string_view text, std::string_view name, bool look_at_files = true,
                           std::optional<std::int64_t> steps = std::nullopt);

/// As `read_input_text`, for a stage of an input (`stages.hpp`), counted from 0.
ReadResult read_stage_text(std::string_view text, std::string_view name, std::size_t stage,
                           bool look_at_files = true);

/// As `read_input_text`, for a program, which runs as many steps as it likes and may give the
/// particles itself: `steps` may be missing, and `kind` of [start] may be "program".
ReadResult read_program_input(std::string_view text, std::string_view name);

/// Reads the file that a [[molecule]] of the input names and whose text is `text`. The first
/// molecule of the result is this molecule, completed.
ReadResult read_molecule_text(const Input& input, std::size_t molecule, std::string_view text);

/// The unchanged text of an input file. If it cannot be read, or is a file of another program,
/// returns nothing, and `result` has the reason.
std::optional<std::string> input_file_text(const std::string& path, ReadResult& result);

/// A diagnostic about a key or section of a read input, such as "run.timestep" or "type[0].sigma";
/// about the whole file if it lacks the key and the section.
Diagnostic diagnose(const Input& input, Severity severity, std::string_view place,
                    std::string message);

/// The path of all output files of a run, without their endings.
std::string output_stem(const Input& input);

/// The path of the start file, relative to the working directory.
std::string start_file_path(const Input& input);

}  // namespace sterna::md
