#include "comm/context/waiter.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>

#include "comm/context/call_watch.hpp"
#include "comm/context/clock.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/context/progress.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/processor_time.hpp"

namespace sterna::comm {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr auto first_look = milliseconds(1);
constexpr auto between_looks = milliseconds(10);
/// A wait that has lasted this long will not end within microseconds, so it sleeps and leaves the
/// core to others.
constexpr auto wait_until_sleep = milliseconds(50);
constexpr auto pause_of_long_wait = microseconds(50);
/// If ranks share cores, a rank yields only this many times and then sleeps for a moment, again and
/// again. A sleeping rank runs soon after it wakes. A yielding rank waits for a whole time slice of
/// any other program on its core, at each step, and all other ranks wait with it.
constexpr unsigned yields_on_shared_cores = 50;
constexpr auto pause_on_shared_cores = microseconds(20);
/// Asking the system whether the other processes live takes about 10 us for each. With more ranks
/// than cores, waits of a few milliseconds are common, and they would last longer if all ranks
/// asked.
constexpr auto wait_until_signs_of_life = milliseconds(100);
constexpr unsigned pauses_between_progress = 16;
constexpr unsigned pauses_between_clocks = 4;

}  // namespace

std::string death_of(const Context::Implementation& context, int rank) {
  const auto here = std::ranges::find(context.ranks_on_node, rank);
  if (rank == context.rank || here == context.ranks_on_node.end()) return {};
  const Process& process =
      context.processes_on_node[static_cast<std::size_t>(here - context.ranks_on_node.begin())];
  if (is_alive(process)) return {};
  return fmt::format("; rank {} (process {}) has died", rank, process.id);
}

namespace {

std::string describe_wait(const Awaited& awaited, double seconds, const std::vector<int>& known,
                          const std::string& reason) {
  return fmt::format("{}: waited {:.1f} s in method {}, round {}, for {}{}", awaited.exchange_name,
                     seconds, awaited.method_name, awaited.round,
                     name_ranks(awaited.ranks.empty() ? known : awaited.ranks), reason);
}

}  // namespace

std::string describe_death(const Awaited& awaited, double seconds, int dead,
                           const std::string& how) {
  return describe_wait(awaited, seconds, {dead}, how);
}

std::string describe_timeout(const Context::Implementation& context, const Awaited& awaited,
                             double seconds) {
  const LateRanks late = stopped_ranks(context);
  return describe_wait(
      awaited, seconds, late.ranks,
      timeout_passed(context.options.timeout.count(), late, !awaited.ranks.empty()));
}

LateRanks stopped_ranks(const Context::Implementation& context) {
  LateRanks late;
  for (std::size_t i = 0; i < context.processes_on_node.size(); ++i) {
    const Process& process = context.processes_on_node[i];
    if (!is_stopped(process)) continue;
    late.add(context.ranks_on_node[i], fmt::format(" (process {}) is stopped", process.id));
  }
  return late;
}

void make_progress(const Context::Implementation& context) {
  int found = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, context.communicator, &found, MPI_STATUS_IGNORE);
  call_progress_helpers();
}

namespace {

double seconds_between(std::chrono::steady_clock::time_point start,
                       std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

}  // namespace

Waiter::WaitingTime::WaitingTime(double& seconds) : seconds_(seconds), start_(now()) {}

void Waiter::WaitingTime::read_processor() {
  if (processor_start_) return;
  seconds_ += seconds_between(start_, now());
  processor_start_ = processor_seconds_now();
}

Waiter::WaitingTime::~WaitingTime() {
  seconds_ += processor_start_ ? processor_seconds_now() - *processor_start_
                               : seconds_between(start_, now());
}

bool Waiter::pause() {
  if (idle_) {
    make_progress(context_);
    sleep_for(pause_of_long_wait);
    return now() >= next_look_;
  }
  // Most waits are short, so the first pauses neither check other ranks nor read the clock.
  ++pauses_;
  // If ranks share cores the interval stays the same, because MPI yields by itself while it makes
  // progress.
  if (pauses_ % pauses_between_progress == 0) make_progress(context_);
  if (context_.shares_cores && pauses_ > yields_on_shared_cores) {
    sleep_for(pause_on_shared_cores);
  } else {
    sched_yield();
  }
  if (pauses_ % pauses_between_clocks != 0) return false;
  const auto time = now();
  if (pauses_ == pauses_between_clocks) {
    start_ = time;
    next_look_ = start_ + first_look;
  }
  return time >= next_look_;
}

void Waiter::look_closer(const Awaited& awaited) {
  const auto time = now();
  // No rank was late while this process was stopped, so the deadline moves by that time.
  start_ += time - next_look_ - counted(time - next_look_);
  next_look_ = time + between_looks;
  idle_ = time - start_ >= wait_until_sleep;
  if (context_.idle_hook) {
    try {
      context_.idle_hook();
    } catch (...) {
      context_.failed = true;  // the operation that waited is left unfinished
      throw;
    }
  }

  if (time - start_ >= wait_until_signs_of_life) {
    for (const int rank : awaited.ranks.empty() ? context_.ranks_on_node : awaited.ranks) {
      const std::string dead = death_of(context_, rank);
      if (dead.empty()) continue;
      if (suspect_ == rank) fail(describe_death(awaited, waited(), rank, dead));
      suspect_ = rank;
      break;
    }
  }
  if (seconds_between(start_, time) >= context_.options.timeout.count()) {
    fail(describe_timeout(context_, awaited, waited()));
  }
}

double Waiter::waited() const {
  return seconds_between(start_, now());
}

void Waiter::fail(const std::string& message) {
  context_.failed = true;
  throw Error(message);
}

void wait_for_request(Context::Implementation& context, MPI_Request& request,
                      std::string_view exchange_name, std::string_view method,
                      std::uint64_t round) {
  Waiter(context).wait(
      [&] {
        int done = 0;
        check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), exchange_name);
        return done != 0;
      },
      [&] {
        return Awaited{exchange_name, method, round, {}};
      });
}

}  // namespace sterna::comm
