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
  Input input;                          ///< holds where `ok()`
  std::vector<Diagnostic> diagnostics;  ///< all at once, in the order of the file

  bool ok() const { return !has_errors(diagnostics); }
};

/// Reads and checks an input file. Never throws on what the file says: what is wrong with it, or
/// that it cannot be read, is in the diagnostics.
ReadResult read_input(const std::string& path);

/// The same for a text that stands in a file called `name`. Relative paths in it are looked up
/// from the folder of `name`; without `look_at_files` it is not checked that they exist. `steps`
/// overrules `steps` in [run].
ReadResult read_input_text(std::string_view text, std::string_view name, bool look_at_files = true,
                           std::optional<std::int64_t> steps = std::nullopt);

/// The same for one of the stages of an input (`stages.hpp`), counted from 0.
ReadResult read_stage_text(std::string_view text, std::string_view name, std::size_t stage,
                           bool look_at_files = true);

/// The same for the text of a program, which runs as many steps as it likes and may bring the
/// particles itself: `steps` may be missing, and `kind` of [start] may be "program".
ReadResult read_program_input(std::string_view text, std::string_view name);

/// Of the file that a [[molecule]] of an input names, whose text this is: the first molecule of the
/// result is that molecule, completed.
ReadResult read_molecule_text(const Input& input, std::size_t molecule, std::string_view text);

/// The text of an input file, as it stands there. Nothing where it cannot be read, or is the file
/// of another program: then `result` says so.
std::optional<std::string> input_file_text(const std::string& path, ReadResult& result);

/// A diagnostic about a key or section of a read input, such as "run.timestep" or "type[0].sigma";
/// about the file as a whole where the file does not give it.
Diagnostic diagnose(const Input& input, Severity severity, std::string_view place,
                    std::string message);

/// The path of all output files of a run, without their endings.
std::string output_stem(const Input& input);

/// The path of the start file as seen from the working directory.
std::string start_file_path(const Input& input);

}  // namespace sterna::md
