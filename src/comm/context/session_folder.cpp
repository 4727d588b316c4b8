#include "comm/context/session_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>

#include "comm/context/process.hpp"

namespace sterna::comm {
namespace {

namespace files = std::filesystem;

constexpr std::string_view prefix = "sterna-session-";

int open_folder(const files::path& path) {
  return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/// True if `path` is still the folder that was opened.
bool is_still(const files::path& path, int descriptor) {
  struct stat named {};
  struct stat opened {};
  return lstat(path.c_str(), &named) == 0 && fstat(descriptor, &opened) == 0 &&
         named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

/// Removes the folders of this user in `parent` that no process has locked.
void remove_abandoned(const files::path& parent) {
  std::error_code ignored;
  for (files::directory_iterator entry(parent, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const files::path path = entry->path();
    if (!path.filename().native().starts_with(prefix)) continue;
    const int folder = open_folder(path);
    if (folder < 0) continue;
    struct stat status {};
    // The lock is held until the folder is removed, so that no other process takes it over
    // meanwhile.
    if (fstat(folder, &status) == 0 && status.st_uid == getuid() &&
        flock(folder, LOCK_EX | LOCK_NB) == 0) {
      std::error_code busy;
      files::remove_all(path, busy);
    }
    close(folder);
  }
}

/// The folder of shared memory: /dev/shm, or the folder for temporary files.
files::path parent_folder() {
  const files::path memory = "/dev/shm";
  if (access(memory.c_str(), W_OK | X_OK) == 0) return memory;
  std::error_code missing;
  return files::temp_directory_path(missing);
}

const SessionFolder* the_one_in_use = nullptr;

std::string file_of(int rank) {
  return fmt::format("rank-{}", rank);
}

}  // namespace

SessionFolder::SessionFolder() {
  the_one_in_use = this;
  if (const char* const given = std::getenv("STERNA_SESSION"); given != nullptr && *given != '\0') {
    lock_ = open_folder(given);
    if (lock_ >= 0) {
      path_ = given;
      flock(lock_, LOCK_SH | LOCK_NB);
      return;
    }
  }
  const files::path parent = parent_folder();
  remove_abandoned(parent);
  // Another start may remove the folder as abandoned between its creation and its locking, so this
  // is tried several times.
  for (int attempt = 0; attempt < 10; ++attempt) {
    std::string made = parent / fmt::format("{}XXXXXX", prefix);
    if (mkdtemp(made.data()) == nullptr) return;
    lock_ = open_folder(made);
    if (lock_ >= 0 && flock(lock_, LOCK_SH | LOCK_NB) == 0 && is_still(made, lock_)) {
      path_ = made;
      own_ = true;
      return;
    }
    if (lock_ >= 0) close(lock_);
    lock_ = -1;
  }
}

SessionFolder::~SessionFolder() {
  the_one_in_use = nullptr;
  remove_files();
  if (lock_ >= 0) close(lock_);
}

const SessionFolder* SessionFolder::in_use() {
  return the_one_in_use;
}

void SessionFolder::remove_files() const {
  std::error_code ignored;
  if (own_) files::remove_all(path_, ignored);
}

void SessionFolder::announce(int rank, int size) {
  size_ = size;
  if (path_.empty()) return;
  const Process self = Process::self();
  std::ofstream(path_ / file_of(rank))
      << self.id << ' ' << self.start_time << ' ' << self.number_space << '\n';
}

LateRanks late_ranks() {
  const SessionFolder* const folder = SessionFolder::in_use();
  return folder == nullptr ? LateRanks() : folder->late_ranks();
}

LateRanks SessionFolder::late_ranks() const {
  if (path_.empty() || own_) return {};
  LateRanks late;
  LateRanks ended;
  for (int rank = 0; rank < size_; ++rank) {
    Process process;
    std::ifstream file(path_ / file_of(rank));
    if (!(file >> process.id >> process.start_time >> process.number_space)) {
      late.add(rank, " has not started");
    } else if (is_stopped(process)) {
      late.add(rank, fmt::format(" (process {}) is stopped", process.id));
    } else if (!is_alive(process)) {
      ended.add(rank, fmt::format(" (process {}) has ended", process.id));
    }
  }
  // Ended ranks are named last, because they may have ended well while others wait for a stopped
  // one.
  return late.ranks.empty() ? ended : late;
}

}  // namespace sterna::comm
