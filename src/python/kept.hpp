#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "python/job.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::python {

/// A context of the job, or of a communicator of a script; 0: all ranks.
class Context {
 public:
  explicit Context(std::uintptr_t communicator) {
    const nanobind::gil_scoped_release free;
    Job& job = Job::of_process();
    context_ =
        communicator == 0
            ? job.duplicate_of(*job.world())
            : job.duplicate_of(*job.of_communicator(reinterpret_cast<const void*>(communicator)));
  }
  const comm::Context& context() const { return *context_; }
  const std::shared_ptr<comm::Context>& shared() const { return context_; }

 private:
  std::shared_ptr<comm::Context> context_;
};

/// An exchange, or what has exchanges, that is closed when the job ends, or by `close` before.
template <class Exchange>
class Kept : public Ending {
 public:
  Kept() { Job::of_process().add(*this); }
  ~Kept() override {
    Job& job = Job::of_process();
    job.remove(*this);
    if (exchange_ && job.is_used_elsewhere()) {
      job.keep_until_unused(std::move(exchange_));
      job.keep_until_unused(std::move(context_));
    }
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  void close() override {
    exchange_.reset();
    context_.reset();
  }

  Exchange& exchange() const {
    if (!exchange_) throw comm::Error("this exchange is closed");
    return *exchange_;
  }

 protected:
  std::shared_ptr<comm::Context> context_;
  std::unique_ptr<Exchange> exchange_;
};

}  // namespace sterna::python
