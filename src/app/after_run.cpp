#include "app/after_run.hpp"

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

#include "sterna/comm/collective.hpp"
#include "sterna/comm/joined.hpp"

namespace sterna {
namespace {

constexpr const char* command_name = "sterna";

/// The command `sterna` beside this program; empty if there is none.
std::string command_beside_program() {
  std::error_code unknown;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::string command = program.parent_path() / command_name;
  return access(command.c_str(), X_OK) == 0 ? command : std::string();
}

/// Whether the `sterna` command started the ranks, and so does this work itself after they have
/// ended.
bool has_parent_command() {
  return std::getenv("STERNA_SESSION") != nullptr;
}

struct Ended {
  int error = 0;           ///< errno of starting the process; 0: started
  bool succeeded = false;  ///< its exit status is 0
  std::string program;
};

/// Runs the command with these arguments and waits for its end.
Ended run_command(const std::string& python, const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  if (!python.empty()) {
    // With -P a module in the working folder cannot run in place of the package.
    words = {python, "-P", "-m", command_name};
  } else if (std::string beside = command_beside_program(); !beside.empty()) {
    words = {std::move(beside)};
  } else {
    words = {command_name};
  }
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::fflush(stdout);
  // `posix_spawn` is used because `fork` copies page tables and runs the hooks of MPI and UCX.
  pid_t process = 0;
  Ended ended;
  ended.program = words[0];
  ended.error = posix_spawnp(&process, pointers[0], nullptr, nullptr, pointers.data(), environ);
  if (ended.error != 0) return ended;
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  ended.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return ended;
}

/// The path in a form that no command takes for an option.
std::string as_argument(const std::string& path) {
  return path.starts_with('-') ? "./" + path : path;
}

std::string command_line(const std::vector<std::string>& arguments) {
  return fmt::format("{} {}", command_name, comm::joined(arguments, " "));
}

}  // namespace

bool AfterRun::can_export(const comm::Context& context,
                          const std::vector<std::string>& formats) const {
  if (formats.empty() || has_parent_command()) return true;
  std::string missing;
  if (context.rank() == 0) {
    std::vector<std::string> arguments{"formats", "--require"};
    arguments.insert(arguments.end(), formats.begin(), formats.end());
    const Ended ended = run_command(python_, arguments);
    if (ended.error == 0 && !ended.succeeded) missing = "missing";
  }
  comm::broadcast(context, 0, missing);
  return missing.empty();
}

void AfterRun::expect(Task task) {
  if (!has_parent_command()) tasks_.push_back(std::move(task));
}

void AfterRun::expect_report(const std::string& log) {
  expect({"report", {"report", as_argument(log)}});
}

void AfterRun::expect_export(const std::string& trajectory, const std::string& file) {
  // --overwrite, because a continued run replaces the files of its earlier part.
  expect({"export " + file, {"export", as_argument(trajectory), as_argument(file), "--overwrite"}});
}

std::string AfterRun::advice() const {
  std::string lines;
  for (const Task& task : tasks_) {
    lines +=
        fmt::format("\nsterna-md: to write the {}: {}", task.result, command_line(task.arguments));
  }
  return lines;
}

bool AfterRun::write(const comm::Context& context) const {
  if (tasks_.empty()) return true;
  bool written = true;
  if (context.rank() == 0) {
    for (const Task& task : tasks_) written = start(task) && written;
  }
  comm::barrier(context);
  return written;
}

bool AfterRun::start(const Task& task) const {
  const Ended ended = run_command(python_, task.arguments);
  const std::string command = command_line(task.arguments);
  if (ended.error == ENOENT) {
    fmt::print(stderr,
               "sterna-md: no {}, as the command {} is neither beside this program nor on PATH. "
               "Where it is installed, write the {} by: {}\n",
               task.result, command_name, task.result, command);
    return true;
  }
  if (ended.error != 0) {
    fmt::print(stderr, "sterna-md: no {}: {} cannot be started: {}\n", task.result, ended.program,
               std::strerror(ended.error));
    return false;
  }
  if (ended.succeeded) return true;
  fmt::print(stderr, "sterna-md: no {}: {} failed; to write it: {}\n", task.result, ended.program,
             command);
  return false;
}

}  // namespace sterna
