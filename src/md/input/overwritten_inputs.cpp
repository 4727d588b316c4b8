#include "md/input/overwritten_inputs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/input/input_text.hpp"
#include "md/input/owner_tables.hpp"
#include "md/input/read_input.hpp"
#include "md/input/run_files.hpp"

namespace sterna::md {
namespace {

/// Identifies a file, whatever its name.
using FileIdentity = std::pair<dev_t, ino_t>;

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return std::nullopt;
  return FileIdentity(status.st_dev, status.st_ino);
}

}  // namespace

std::vector<Diagnostic> overwritten_inputs(const Input& input, const std::string& checkpoint) {
  const std::filesystem::path folder = std::filesystem::path(input.path).parent_path();
  const std::string stem = std::filesystem::path(output_stem(input)).lexically_normal().string();
  std::map<FileIdentity, std::string> written;
  for (const std::string& path : paths_of_run(stem)) {
    if (const auto identity = identity_of(path)) written.emplace(*identity, path);
  }
  std::vector<Diagnostic> errors;
  std::set<FileIdentity> told;
  const auto look_at = [&](std::string_view place, std::string_view what, const std::string& path) {
    const auto identity = identity_of(path);
    const auto found = identity ? written.find(*identity) : written.end();
    if (found == written.end() || !told.insert(*identity).second) return;
    errors.push_back(diagnose(
        input, Severity::error, place,
        fmt::format("the run reads {} {} and would move or replace it, as {} is one of its own "
                    "files; expected another \"name\" in [run] or \"directory\" in [output], or a "
                    "copy of the file under another name",
                    what, quote_path(path), quote_path(found->second))));
  };
  if (written.empty()) return errors;
  const auto look_behind = [&](std::string_view place, const std::string& path) {
    for (const std::string& file : owner_tables().files_behind(path))
      look_at(place, "the file", file);
  };
  look_at("run.name", "its input", input.path);
  look_behind("run.name", input.path);
  if (!checkpoint.empty()) look_at("run.name", "the checkpoint", checkpoint);
  for (const GivenKey& given : given_keys(input)) {
    if (given.file.empty()) continue;
    const std::string path = (folder / given.file).string();
    look_at(given.place, "the file", path);
    look_behind(given.place, path);
  }
  return errors;
}

}  // namespace sterna::md
