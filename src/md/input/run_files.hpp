#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sterna::md {

/// What the names of all files that a run may write end with, behind the stem: ".log.jsonl".
std::vector<std::string> run_file_endings();
/// The formats that a run may leave its trajectory in, by the endings of their files: "dcd". Those of
/// the Python package (`sterna export`), which writes NAME.export.dcd when the run has ended.
std::span<const std::string_view> export_formats();
/// What the name of such a file ends with: ".export.dcd".
std::string export_file_ending(std::string_view format);
/// The length of the longest name that a run with a name of `length` bytes may give a file.
std::size_t longest_file_name(std::size_t length);

/// Every path that a run of this stem may create, move, replace or remove.
std::vector<std::string> paths_of_run(const std::string& stem);

/// The files of a run of this stem that are there.
std::vector<std::string> present_run_files(const std::string& stem);

/// Moves the files of an earlier run out of the way of a new one: FOLDER/NAME.log.jsonl becomes
/// FOLDER/#NAME.log.jsonl.1#, all with the same number, the smallest that none of them has yet.
/// Returns it, or 0 where there was no file. FileError where all numbers up to 99 are taken.
int back_up_run_files(const std::string& stem);
void remove_run_files(const std::string& stem);

}  // namespace sterna::md
