#include "comm/context/process.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>

namespace sterna::comm {
namespace {

struct State {
  bool known = false;
  char letter = '?';
  std::uint64_t start_time = 0;
};

/// Reads the state letter and the start time (fields 3 and 22 of proc(5)). The second field is
/// the program's name in parentheses and may hold anything, so parsing starts after the last one.
State state_of(std::int64_t id) {
  std::ifstream file("/proc/" + std::to_string(id) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return {};
  const auto end_of_name = line.rfind(')');
  if (end_of_name == std::string::npos) return {};
  std::istringstream fields(line.substr(end_of_name + 1));
  State state;
  fields >> state.letter;
  std::string skipped;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  fields >> state.start_time;
  state.known = !fields.fail();
  return state;
}

std::uint64_t own_number_space() {
  struct stat status;
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

}  // namespace

Process Process::self() {
  return of(getpid());
}

Process Process::of(std::int64_t id) {
  Process process;
  process.id = id;
  process.start_time = state_of(id).start_time;
  process.number_space = own_number_space();
  return process;
}

bool is_alive(const Process& process) {
  if (process.number_space != own_number_space()) return true;
  if (kill(static_cast<pid_t>(process.id), 0) != 0 && errno == ESRCH) return false;
  const State state = state_of(process.id);
  if (!state.known) return true;
  return state.letter != 'Z' && state.letter != 'X' && state.start_time == process.start_time;
}

bool is_stopped(const Process& process) {
  if (process.number_space != own_number_space()) return false;
  const State state = state_of(process.id);
  return state.known && (state.letter == 'T' || state.letter == 't') &&
         state.start_time == process.start_time;
}

}  // namespace sterna::comm
