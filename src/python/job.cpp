#include "python/job.hpp"

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "sterna/comm/error.hpp"

namespace sterna::python {

Job& Job::of_process() {
  // The object is never destroyed, because `end` is called while the interpreter still lives.
  static auto* const job = new Job;
  return *job;
}

std::shared_ptr<comm::Context> Job::world() {
  if (ended_) throw comm::Error("the job has ended: the interpreter is about to exit");
  if (!environment_) {
    static char name[] = "python";
    static char* arguments[] = {name, nullptr};
    int count = 1;
    char** values = arguments;
    environment_ = std::make_unique<comm::Environment>(count, values);
  }
  if (!world_) {
    world_ = std::make_shared<comm::Context>();
    place_ = {world_->rank(), world_->size()};
  }
  return world_;
}

std::shared_ptr<comm::Context> Job::of_communicator(const void* communicator) {
  if (ended_) throw comm::Error("the job has ended: the interpreter is about to exit");
  contexts_.push_back(
      std::make_shared<comm::Context>(comm::Context::from_communicator(communicator)));
  if (!world_) place_ = {contexts_.back()->rank(), contexts_.back()->size()};
  return contexts_.back();
}

std::shared_ptr<comm::Context> Job::duplicate_of(const comm::Context& whole) {
  contexts_.push_back(std::make_shared<comm::Context>(whole.split(0)));
  contexts_.back()->on_idle([] {
    const nanobind::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) nanobind::raise_python_error();
  });
  return contexts_.back();
}

void Job::add(Ending& ending) {
  living_.push_back(&ending);
}

void Job::remove(Ending& ending) {
  std::erase(living_, &ending);
}

void Job::end() {
  ended_ = true;
  ending_thread_ = std::this_thread::get_id();
  // A daemon thread may be in a run, which reads `ends` in each step and stops.
  constexpr std::chrono::seconds until_stopped(10);
  const auto last = std::chrono::steady_clock::now() + until_stopped;
  while (is_used_elsewhere()) {
    if (std::chrono::steady_clock::now() > last) return;
    const nanobind::gil_scoped_release free;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const Turn turn("end");
  const nanobind::gil_scoped_release free;
  for (Ending* const ending : living_) ending->close();
  contexts_.clear();
  world_.reset();
  environment_.reset();
}

/// Halts a daemon thread that Python's end has overtaken: the interpreter is being taken apart, so
/// its code must not go on. Python itself halts daemon threads in this way. The GIL must be held.
void Turn::halt_if_job_ends() {
  const Job& job = Job::of_process();
  if (!job.ended_ || job.ending_thread_ == std::this_thread::get_id()) return;
  nanobind::set_leak_warnings(false);  // what the thread holds is never freed
  const nanobind::gil_scoped_release free;
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

Turn::Turn(const std::string& call) {
  halt_if_job_ends();
  Job& job = Job::of_process();
  if (job.is_used_elsewhere()) {
    throw comm::Error(fmt::format(
        "another thread of this process is in a call{} of Sterna, whose simulations and exchanges "
        "serve one thread at a time: make the calls from one thread, or hold a threading.Lock "
        "around each of them",
        job.call_.empty() ? "" : " (" + job.call_ + ")"));
  }
  if (job.depth_ == 0) {
    // Destroying these objects may call Python, which may drop further ones.
    const auto dropped = std::exchange(job.dropped_, {});
  }
  if (job.depth_++ > 0) return;
  job.user_ = std::this_thread::get_id();
  job.call_ = call;
}

Turn::~Turn() {
  if (--Job::of_process().depth_ == 0) halt_if_job_ends();
}

}  // namespace sterna::python
