#include "md/simulation/files/console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace sterna::md {

namespace {

std::string label(const std::string& name, std::string_view unit) {
  return unit.empty() ? name : fmt::format("{}/{}", name, unit);
}

}  // namespace

std::string duration_text(double seconds) {
  const auto s = static_cast<std::int64_t>(seconds + 0.5);
  return s >= 3600 ? fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
                   : fmt::format("{}:{:02}", s / 60, s % 60);
}

Console::Console(bool prints, Progress progress, const UnitSystem& units)
    : prints_(prints), progress_(progress), units_(units) {
  // A launcher may put a terminal between the ranks and the file to which it redirects their
  // output.
  const bool launched = std::getenv("PMIX_RANK") != nullptr || std::getenv("PMI_RANK") != nullptr;
  if (progress_ == Progress::automatic && (launched || isatty(STDOUT_FILENO) == 0)) {
    progress_ = Progress::never;
  }
}

Console::~Console() {
  erase_progress();
}

void Console::erase_progress() {
  if (drawn_) fmt::print("\r\033[K");
  drawn_ = false;
}

void Console::line(const std::string& text) {
  if (!prints_) return;
  erase_progress();
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

void Console::table_header() {
  line(fmt::format("{:>9} {:>9} {:>11} {:>11} {:>11} {:>11} {:>11}", "step",
                   label("time", units_.label(Dimension::time)),
                   label("T", units_.label(Dimension::temperature)),
                   label("p", units_.label(Dimension::pressure)), "E_pot/N", "E_kin/N", "E_tot/N"));
}

void Console::table_row(std::int64_t step, double time, std::int64_t particles,
                        const ThermodynamicState& state) {
  const auto n = static_cast<double>(particles);
  const auto energy = [&](double value) {
    return units_.from_internal(value, Dimension::energy) / n;
  };
  line(fmt::format("{:>9} {:>9.6g} {:>11.6g} {:>11.6g} {:>11.6g} {:>11.6g} {:>11.6g}", step,
                   units_.from_internal(time, Dimension::time),
                   units_.from_internal(state.temperature, Dimension::temperature),
                   units_.from_internal(state.pressure, Dimension::pressure),
                   energy(state.potential_energy), energy(state.kinetic_energy),
                   energy(state.total_energy)));
}

void Console::minimization_header() {
  line(fmt::format("{:>10} {:>18} {:>14} {:>14}", "step", "E_pot/N",
                   label("largest force", units_.label(Dimension::force)),
                   label("p", units_.label(Dimension::pressure))));
}

void Console::minimization_row(std::int64_t step, std::int64_t particles,
                               const ThermodynamicState& state) {
  line(fmt::format("{:>10} {:>18.12g} {:>14.6g} {:>14.8g}", step,
                   units_.from_internal(state.potential_energy, Dimension::energy) /
                       static_cast<double>(particles),
                   units_.from_internal(state.largest_force, Dimension::force),
                   units_.from_internal(state.pressure, Dimension::pressure)));
}

void Console::progress(std::int64_t step, std::int64_t first_step, std::int64_t steps) {
  if (!prints_ || progress_ == Progress::never) return;
  const auto now = Clock::now();
  if (!started_) {
    started_ = true;
    start_ = last_ = now;
    return;
  }
  if (std::chrono::duration<double>(now - last_).count() < 0.25 && step != steps) return;
  last_ = now;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double rate = elapsed > 0.0 ? static_cast<double>(step - first_step) / elapsed : 0.0;
  const double left = rate > 0.0 ? static_cast<double>(steps - step) / rate : 0.0;
  if (progress_ == Progress::always) {
    fmt::print("@progress {{\"step\":{},\"steps\":{},\"rate\":{:.6g},\"eta\":{:.6g}}}\n", step,
               steps, rate, left);
  } else {
    constexpr int width = 30;
    const int filled =
        steps > 0 ? static_cast<int>(width * static_cast<double>(step) / static_cast<double>(steps))
                  : width;
    fmt::print("\r[{:#>{}}{:->{}}] step {} of {}, {:.4g} steps/s, {} left\033[K", "", filled, "",
               width - filled, step, steps, rate, duration_text(left));
    drawn_ = true;
  }
  std::fflush(stdout);
}

}  // namespace sterna::md
