#include "app/report_at_end.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "sterna/comm/collective.hpp"

namespace sterna {
namespace {

constexpr const char* command_name = "sterna";

/// The command of the installation that this program belongs to; empty where it has none.
std::string command_beside_program() {
  std::error_code unknown;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::string command = program.parent_path() / command_name;
  return access(command.c_str(), X_OK) == 0 ? command : std::string();
}

}  // namespace

void ReportAtEnd::expect(std::string log) {
  if (std::getenv("STERNA_SESSION") == nullptr) log_ = std::move(log);
}

std::string ReportAtEnd::advice() const {
  return log_.empty() ? std::string() : fmt::format("{} report {}", command_name, log_);
}

bool ReportAtEnd::write(const comm::Context& context) {
  if (log_.empty()) return true;
  const bool written = context.rank() != 0 || start();
  comm::barrier(context);
  return written;
}

bool ReportAtEnd::start() const {
  std::vector<std::string> words;
  if (!python_.empty()) {
    words = {python_, "-m", command_name};
  } else if (std::string beside = command_beside_program(); !beside.empty()) {
    words = {std::move(beside)};
  } else {
    words = {command_name};
  }
  words.insert(words.end(), {"report", "--", log_});
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::fflush(stdout);
  // Not by `fork`, which copies tables of pages and runs the hooks of MPI and UCX.
  pid_t process = 0;
  const int error = posix_spawnp(&process, pointers[0], nullptr, nullptr, pointers.data(), environ);
  if (error == ENOENT) {
    fmt::print(
        stderr,
        "sterna-md: no report, as the command {} is neither beside this program nor on PATH. "
        "Where it is installed, write the report by: {}\n",
        command_name, advice());
    return true;
  }
  if (error != 0) {
    fmt::print(stderr, "sterna-md: no report: {} cannot be started: {}\n", words[0],
               std::strerror(error));
    return false;
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  fmt::print(stderr, "sterna-md: no report: {} failed; to write it: {}\n", words[0], advice());
  return false;
}

}  // namespace sterna
