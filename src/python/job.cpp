#include "python/job.hpp"

#include <algorithm>
#include <vector>

#include "python/simulation.hpp"
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

void Job::add(Simulation& simulation) {
  simulations_.push_back(&simulation);
}

void Job::remove(Simulation& simulation) {
  std::erase(simulations_, &simulation);
}

void Job::end() {
  ended_ = true;
  for (Simulation* const simulation : simulations_) simulation->close();
  contexts_.clear();
  world_.reset();
  environment_.reset();
}

}  // namespace sterna::python
