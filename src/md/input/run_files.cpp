#include "md/input/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "md/core/file_error.hpp"
#include "md/input/observer_row.hpp"
#include "md/input/physics_row.hpp"
#include "md/input/trajectory_row.hpp"
#include "md/output/atomic_file.hpp"

namespace sterna::md {
namespace {

/// A hundred runs in a notebook are not many. More files than this fill a folder.
constexpr int most_backups = 9999;

constexpr std::array<std::string_view, 9> formats{"xtc",       "trr",  "dcd", "gsd", "extxyz",
                                                  "lammpstrj", "data", "pdb", "gro"};

std::string backup_path(const std::string& path, int number) {
  const std::filesystem::path file(path);
  const std::string name = fmt::format("#{}.{}#", file.filename().string(), number);
  return (file.parent_path() / name).string();
}

}  // namespace

std::vector<std::string> run_file_endings() {
  // Checkpoints come first, so that if moving or removing files is interrupted, no later run can
  // mistake the remaining files for a run to continue.
  std::vector<std::string> endings{".checkpoint", ".checkpoint.new", ".checkpoint.previous",
                                   ".log.jsonl",  ".h5md",           ".xtc",
                                   ".bib",        ".report.html"};
  std::ranges::transform(formats, std::back_inserter(endings), export_file_ending);
  endings.push_back(export_file_ending("in"));  // beside data files of LAMMPS
  for (const TrajectoryRow& row : trajectory_rows()) endings.emplace_back(row.ending);
  for (const PhysicsRow& row : physics_rows()) {
    endings.insert(endings.end(), row.text_files.begin(), row.text_files.end());
  }
  for (const ObserverRow& row : observer_rows()) {
    endings.push_back(fmt::format(".{}.txt", row.schema.name));
  }
  // Kinds of physics may share an ending, as single runs and replicas do with their energies of states.
  for (auto ending = endings.begin(); ending != endings.end(); ++ending) {
    endings.erase(std::remove(std::next(ending), endings.end(), *ending), endings.end());
  }
  return endings;
}

std::span<const std::string_view> export_formats() {
  return formats;
}

std::string export_file_ending(std::string_view format) {
  return fmt::format(".export.{}", format);
}

std::size_t longest_file_name(std::size_t length) {
  std::size_t longest = 0;
  for (const std::string& ending : run_file_endings()) {
    longest = std::max(longest, ending.size());
  }
  return backup_path(std::string(length + longest, 'x'), most_backups).size();
}

std::vector<std::string> paths_of_run(const std::string& stem) {
  std::vector<std::string> paths{stem + ".lock"};
  for (const std::string& ending : run_file_endings()) {
    paths.push_back(stem + ending);
    // Some files are first written under this name and replace the others when complete.
    paths.push_back(stem + ending + ".new");
  }
  return paths;
}

std::vector<std::string> present_run_files(const std::string& stem) {
  std::vector<std::string> files;
  for (const std::string& ending : run_file_endings()) {
    const std::string path = stem + ending;
    if (file_exists(path)) files.push_back(path);
  }
  return files;
}

int back_up_run_files(const std::string& stem) {
  const std::vector<std::string> files = present_run_files(stem);
  if (files.empty()) return 0;
  const auto is_taken = [&stem](int number) {
    const auto endings = run_file_endings();
    return std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) {
      return file_exists(backup_path(stem + ending, number));
    });
  };
  int number = 1;
  while (number <= most_backups && is_taken(number)) ++number;
  if (number > most_backups) {
    throw FileError(fmt::format(
        "{}: an earlier run has left it, and there are {} backups already; remove some, or start "
        "with --overwrite",
        files.front(), most_backups));
  }
  for (const std::string& file : files) rename_file(file, backup_path(file, number));
  sync_directory_of(stem);
  return number;
}

void remove_run_files(const std::string& stem) {
  for (const std::string& file : present_run_files(stem)) remove_file(file);
}

}  // namespace sterna::md
