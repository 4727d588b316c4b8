#include "md/simulation/files/run_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/input/overwritten_inputs.hpp"
#include "md/input/read_input.hpp"
#include "md/input/run_files.hpp"
#include "md/input/trajectory_row.hpp"
#include "md/output/atomic_file.hpp"
#include "md/simulation/files/trajectory_files.hpp"

namespace sterna::md {

RunFolder::RunFolder(const comm::Context& context, const Input& input,
                     const SimulationOptions& options, Console& console)
    : context_(context),
      input_(input),
      options_(options),
      console_(console),
      stem_(output_stem(input)) {}

void RunFolder::take() {
  on_first_rank(context_, [&] {
    const auto errors = overwritten_inputs(input_, options_.checkpoint);
    if (!errors.empty()) throw FileError(render(errors));
    std::filesystem::create_directories(input_.output.directory);
    lock_ = OutputLock(stem_ + ".lock");
  });
  if (!lock_.why_missing().empty()) {
    console_.line(fmt::format(
        "warning: {} has no locks ({}): nothing keeps another run from writing the same files",
        input_.output.directory, lock_.why_missing()));
  }
}

void RunFolder::clear_for_new_run() {
  int backup = 0;
  on_first_rank(context_, [&] {
    if (options_.overwrite) {
      remove_run_files(stem_);
    } else {
      backup = back_up_run_files(stem_);
    }
  });
  if (backup > 0) {
    const auto name = std::filesystem::path(stem_).filename().string();
    console_.line(fmt::format(
        "kept files of an earlier run as {}",
        (std::filesystem::path(stem_).parent_path() / fmt::format("#{}.*.{}#", name, backup))
            .lexically_normal()
            .string()));
  }
}

void RunFolder::require_usable_files(const InputChanges& changes) const {
  const auto refuse_where = [&](std::string_view ending, const std::string& place) {
    const std::string path = stem_ + std::string(ending);
    if (!changes.places.contains(place) || !file_exists(path)) return;
    const auto line = std::ranges::find_if(changes.settings, [&](const std::string& change) {
      return change.starts_with(place + ":");
    });
    throw FileError(fmt::format(
        "{}: all frames of a file are alike, so the run cannot go on with this one, and nothing "
        "was changed:\n  {}\nput the setting back, or move the file away",
        path, *line));
  };
  on_first_rank(context_, [&] {
    for (const char* ending : {".log.jsonl", ".bib"}) require_own_file(stem_ + ending);
    if (input_.output.trajectory_interval > 0) {
      require_own_file(stem_ + ".h5md");
      refuse_where(".h5md", "output.trajectory_rounding");
    }
    if (input_.output.xtc_interval > 0) {
      require_own_file(stem_ + ".xtc");
      refuse_where(".xtc", "output.xtc_rounding");
    }
    for (const TrajectoryRow& section : trajectory_rows()) {
      if (section.interval(input_) == 0) continue;
      const std::string ending(section.ending);
      require_own_file(stem_ + ending);
      for (const KeySchema& key : section.keys) {
        if (key.name == "interval" && !section.has_one_interval) continue;
        refuse_where(ending, fmt::format("{}.{}", section.schema.name, key.name));
      }
      if (section.groups(input_).empty()) continue;
      for (const std::string& place : changes.places) {
        if (place.starts_with("group[")) refuse_where(ending, place);
      }
    }
  });
}

std::vector<std::string> RunFolder::missing_files() const {
  std::vector<std::string> paths{stem_ + ".log.jsonl"};
  const auto trajectories = TrajectoryFiles::paths(input_, stem_);
  paths.insert(paths.end(), trajectories.begin(), trajectories.end());
  std::erase_if(paths, file_exists);
  return paths;
}

std::string RunFolder::report_path() const {
  return options_.files && input_.output.report ? stem_ + ".report.html" : std::string();
}

std::vector<std::string> RunFolder::export_paths() const {
  std::vector<std::string> paths;
  if (!options_.files) return paths;
  for (const std::string& format : input_.output.exports) {
    const std::filesystem::path path(stem_ + export_file_ending(format));
    paths.push_back(path.lexically_normal().string());
  }
  return paths;
}

void RunFolder::list_files() const {
  if (context_.rank() != 0) return;
  console_.line("\nfiles of this run:");
  for (const std::string& file : present_run_files(stem_)) {
    if (file.ends_with(".previous")) continue;
    console_.line("  " + std::filesystem::path(file).lexically_normal().string());
  }
}

}  // namespace sterna::md
