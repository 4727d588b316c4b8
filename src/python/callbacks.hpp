#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/forces/force_term.hpp"
#include "md/observe/reporter.hpp"
#include "python/simulation.hpp"

namespace sterna::python {

/// A method of a Python object to which only a weak reference is held: the object holds the
/// simulation, and would otherwise never be destroyed.
class WeakMethod {
 public:
  WeakMethod(const nanobind::object& owner, const char* method, int number);
  ~WeakMethod();
  WeakMethod(const WeakMethod&) = delete;
  WeakMethod& operator=(const WeakMethod&) = delete;

  /// Calls the method with the number and further arguments; returns None if the object was
  /// destroyed. The GIL must be held.
  template <class... Arguments>
  nanobind::object call(Arguments&&... arguments) const {
    const nanobind::object owner = owner_();
    return owner.is_none() ? nanobind::none()
                           : owner.attr(method_)(number_, std::forward<Arguments>(arguments)...);
  }

 private:
  nanobind::object owner_;  ///< a weak reference
  const char* method_;
  int number_;
};

/// A reporter that calls an observer in Python.
class Observer final : public md::Reporter {
 public:
  /// Observes every `interval` steps, or at the steps `at` if there are any.
  Observer(std::int64_t interval, std::vector<std::int64_t> at, bool needs_state,
           Simulation& simulation, const nanobind::object& owner, int number)
      : Reporter(interval),
        at_(std::move(at)),
        needs_state_(needs_state),
        simulation_(simulation),
        method_(owner, "_observe", number) {
    std::ranges::sort(at_);
  }
  bool is_due(std::int64_t step) const override {
    return at_.empty() ? Reporter::is_due(step) : std::ranges::binary_search(at_, step);
  }
  bool needs_state() const override { return needs_state_; }
  void report(const md::Frame& frame) override;

 private:
  std::vector<std::int64_t> at_;  ///< ascending steps
  bool needs_state_;
  Simulation& simulation_;
  WeakMethod method_;
};

/// A force term whose forces Python computes.
class PythonForce final : public md::ForceTerm {
 public:
  PythonForce(std::string name, bool keeps_momentum, Simulation& simulation,
              const nanobind::object& owner, int number)
      : name_(std::move(name)),
        keeps_momentum_(keeps_momentum),
        simulation_(simulation),
        method_(owner, "_force", number) {}
  std::string_view name() const override { return name_; }
  bool keeps_momentum() const override { return keeps_momentum_; }
  void finish(md::ParticleStore& particles, md::EnergyAndVirial* sums) override;

 private:
  std::string name_;
  bool keeps_momentum_;
  Simulation& simulation_;
  WeakMethod method_;
};

}  // namespace sterna::python
