#include "md/simulation/starting/start_times.hpp"

#include <time.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace sterna::md {
namespace {

/// Seconds since this process began, to a hundredth; 0 if the operating system does not tell.
double age_of_process() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  // The process name, in parentheses, may contain spaces and parentheses, so its last one is
  // searched.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0.0;
  std::istringstream fields(text.substr(name_end + 1));
  constexpr int fields_before = 19;
  std::string passed;
  for (int field = 0; field < fields_before; ++field) fields >> passed;
  double ticks = 0.0;
  if (!(fields >> ticks)) return 0.0;
  timespec now{};
  if (clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0.0;
  const double seconds = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  return seconds - ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

StartTimes::StartTimes() : since_(Clock::now()) {
  seconds_[launch] = age_of_process();
}

void StartTimes::enter(Part part) {
  const auto now = Clock::now();
  seconds_[part_] += std::chrono::duration<double>(now - since_).count();
  since_ = now;
  part_ = part;
}

}  // namespace sterna::md
