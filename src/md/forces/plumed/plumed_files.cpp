#include "md/forces/plumed/plumed_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "md/core/file_error.hpp"

namespace sterna::md {

std::set<std::string> PlumedFiles::open_for_writing(bool only_appended) {
  std::set<std::string> paths;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", failed), last;
       !failed && entry != last; entry.increment(failed)) {
    const int descriptor = std::atoi(entry->path().filename().c_str());
    const int flags = ::fcntl(descriptor, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) continue;
    if (only_appended && (flags & O_APPEND) == 0) continue;
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) continue;
    std::error_code unknown;
    const auto path = std::filesystem::read_symlink(entry->path(), unknown);
    // A file that was removed, or that never had a name, is none that a resumed run finds.
    if (unknown || !std::filesystem::exists(path, unknown)) continue;
    // A folder may be moved, with its checkpoints.
    const auto shorter = path.lexically_relative(std::filesystem::current_path(unknown));
    const bool is_inside = !unknown && !shorter.empty() && *shorter.begin() != "..";
    paths.insert(is_inside ? shorter.string() : path.string());
  }
  return paths;
}

void PlumedFiles::begin() {
  before_ = open_for_writing(false);
}

void PlumedFiles::end() {
  for (const std::string& path : open_for_writing(false)) {
    if (!before_.contains(path)) paths_.insert(path);
  }
}

std::vector<PlumedFiles::File> PlumedFiles::sizes() const {
  std::fflush(nullptr);
  std::vector<File> files;
  for (const std::string& path : paths_) {
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
    if (!unknown) files.push_back({path, bytes});
  }
  return files;
}

namespace {

void shorten_to(const PlumedFiles::File& file) {
  std::error_code failed;
  std::filesystem::resize_file(file.path, file.bytes, failed);
  if (failed) throw FileError(system_failure(file.path, "shorten", failed.value()));
}

}  // namespace

void PlumedFiles::shorten(const std::vector<File>& files) {
  for (const File& file : files) {
    std::error_code missing;
    const std::uintmax_t bytes = std::filesystem::file_size(file.path, missing);
    if (missing) {
      throw FileError(fmt::format(
          "{}: PLUMED wrote it before the checkpoint, and it cannot be found now; put it back",
          file.path));
    }
    if (bytes < file.bytes) {
      throw FileError(
          fmt::format("{}: it ends at byte {}, but the checkpoint goes on at byte {}; put it right",
                      file.path, bytes, file.bytes));
    }
  }
  for (const File& file : files) shorten_to(file);
}

void PlumedFiles::shorten_open(const std::vector<File>& files) const {
  std::fflush(nullptr);
  const std::set<std::string> appended = open_for_writing(true);
  for (const File& file : files) {
    if (paths_.contains(file.path) && appended.contains(file.path)) shorten_to(file);
  }
}

}  // namespace sterna::md
