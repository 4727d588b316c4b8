#include "app/rank_process.hpp"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace sterna {
namespace {

constexpr const char* settings_of_ucx = "ucx.conf";

/// The value of an environment variable, or null. (`getenv` does not work before the C library is
/// initialized.)
const char* value_of(const char* name, char** variables) {
  const std::size_t length = std::strlen(name);
  for (; *variables != nullptr; ++variables) {
    if (std::strncmp(*variables, name, length) == 0 && (*variables)[length] == '=') {
      return *variables + length + 1;
    }
  }
  return nullptr;
}

/// Whether a launcher has started this process as a rank other than 0, which prints no errors.
bool speaks_for_nobody(char** variables) {
  for (const char* const variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    const char* const rank = value_of(variable, variables);
    if (rank != nullptr) return std::strcmp(rank, "0") != 0;
  }
  return false;
}

/// Whether the folder contains this file of settings, compared by identity.
bool is_in_folder_of(const char* folder, const struct stat& settings) {
  if (folder == nullptr) return false;
  std::array<char, PATH_MAX> path{};
  const int length = std::snprintf(path.data(), path.size(), "%s/%s", folder, settings_of_ucx);
  struct stat named {};
  return length > 0 && static_cast<std::size_t>(length) < path.size() &&
         stat(path.data(), &named) == 0 && named.st_ino == settings.st_ino &&
         named.st_dev == settings.st_dev;
}

/// Ends the process if UCX would read settings from the working folder, which it does when it is
/// loaded. Settings can name a folder of libraries to load, so the author of a folder of inputs
/// could run code in this process. If the user names the folder by a variable, the settings are
/// used.
void refuse_settings_of_working_folder(int, char**, char** variables) {
  struct stat settings {};
  if (stat(settings_of_ucx, &settings) != 0) return;
  for (const char* const named : {"UCX_CONFIG_DIR", "HOME"}) {
    if (is_in_folder_of(value_of(named, variables), settings)) return;
  }
  if (!speaks_for_nobody(variables)) {
    constexpr char message[] =
        "sterna: error: ucx.conf: UCX would take settings from this file of the working folder, "
        "and settings can name libraries to load; remove it, or, to use it, set UCX_CONFIG_DIR to "
        "its folder\n";
    // Standard streams are not initialized yet.
    if (write(STDERR_FILENO, message, sizeof message - 1) < 0) _exit(1);
  }
  _exit(1);
}

/// Makes the function above run before the constructors of all libraries.
using Beginning = void (*)(int, char**, char**);
[[gnu::section(".preinit_array"), gnu::used]] const Beginning before_libraries =
    refuse_settings_of_working_folder;

}  // namespace

void prepare_rank_process() {
  if (std::getenv("STERNA_SESSION") == nullptr) return;
  // These signals are blocked in the launcher, and not every launcher unblocks them for its
  // children.
  sigset_t stops;
  sigemptyset(&stops);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&stops, signal);
  sigprocmask(SIG_UNBLOCK, &stops, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  // Standard output is lost when the launcher ends, which must not kill this process.
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace sterna
