#include "python/job.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <vector>

#include "sterna/comm/error.hpp"

namespace sterna::python {

Job& Job::of_process() {
  // Never destroyed: `end` is called while the interpreter still lives.
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
  for (Ending* const ending : living_) ending->close();
  contexts_.clear();
  world_.reset();
  environment_.reset();
}

}  // namespace sterna::python
