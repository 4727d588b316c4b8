#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sterna::md {

/// The endings of all files that a run may write, behind the stem, such as ".log.jsonl".
std::vector<std::string> run_file_endings();
/// The formats that a run may leave its trajectory in, by the endings of their files: "dcd". Those of
/// the Python package (`sterna export`), which writes NAME.export.dcd when the run has ended.
std::span<const std::string_view> export_formats();
/// The ending of an exported file: ".export.dcd".
std::string export_file_ending(std::string_view format);
/// The length of the longest file name of a run whose name has `length` bytes.
std::size_t longest_file_name(std::size_t length);

/// All paths that a run of this stem may create, move, replace or remove.
std::vector<std::string> paths_of_run(const std::string& stem);

/// The existing files of a run of this stem.
std::vector<std::string> present_run_files(const std::string& stem);

/// Moves the files of an earlier run aside: FOLDER/NAME.log.jsonl becomes
/// FOLDER/#NAME.log.jsonl.1#. All get the same number, the smallest that is free for all of them.
/// Returns it, or 0 if there was no file. Throws FileError if all numbers up to 99 are taken.
int back_up_run_files(const std::string& stem);
void remove_run_files(const std::string& stem);

}  // namespace sterna::md
