// reduce: several values over all ranks, the experiment of seed 5: all of them in one reduction
// with a derived type and a custom operation (agglomerated) against an allreduce for each value.
// The values are of the kinds that a step of a simulation needs: sums, maxima, minima, counts.

#include <mpi.h>

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sterna/comm/error.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "verb.hpp"

namespace sterna::bench {
namespace {

class Agglomerated {
 public:
  Agglomerated(const comm::Context& world, std::size_t values, comm::ReductionOrder order)
      : batch_(world, "reduce benchmark", order), doubles_(values), integers_(values) {
    for (std::size_t i = 0; i < values; ++i) {
      switch (i % 4) {
        case 0:
          batch_.sum(doubles_[i]);
          break;
        case 1:
          batch_.max(doubles_[i]);
          break;
        case 2:
          batch_.sum(integers_[i]);
          break;
        default:
          batch_.min(doubles_[i]);
          break;
      }
    }
  }
  void operator()() {
    doubles_.assign(doubles_.size(), 1.0);
    integers_.assign(integers_.size(), 1);
    batch_.run();
  }

 private:
  comm::ReductionBatch batch_;
  std::vector<double> doubles_;
  std::vector<std::int64_t> integers_;
};

class OneByOne {
 public:
  explicit OneByOne(std::size_t values) : doubles_(values), integers_(values) {
    MPI_Comm_dup(MPI_COMM_WORLD, &communicator_);
  }
  ~OneByOne() { MPI_Comm_free(&communicator_); }
  OneByOne(const OneByOne&) = delete;
  OneByOne& operator=(const OneByOne&) = delete;

  void operator()() {
    doubles_.assign(doubles_.size(), 1.0);
    integers_.assign(integers_.size(), 1);
    for (std::size_t i = 0; i < doubles_.size(); ++i) {
      switch (i % 4) {
        case 0:
          reduce(&doubles_[i], MPI_DOUBLE, MPI_SUM);
          break;
        case 1:
          reduce(&doubles_[i], MPI_DOUBLE, MPI_MAX);
          break;
        case 2:
          reduce(&integers_[i], MPI_INT64_T, MPI_SUM);
          break;
        default:
          reduce(&doubles_[i], MPI_DOUBLE, MPI_MIN);
          break;
      }
    }
  }

 private:
  void reduce(void* value, MPI_Datatype type, MPI_Op operation) {
    MPI_Allreduce(MPI_IN_PLACE, value, 1, type, operation, communicator_);
  }

  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::vector<double> doubles_;
  std::vector<std::int64_t> integers_;
};

class Reduce final : public Verb {
 public:
  void add_options(CLI::App& command) override {
    command.add_option("--values", values_, "numbers of values")
        ->delimiter(',')
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
  }

  void run(const comm::Context& world, const Sampling& sampling, Report& report) override {
    for (const std::size_t values : values_) {
      const auto one_by_one = std::make_shared<OneByOne>(values);
      const auto agglomerated =
          std::make_shared<Agglomerated>(world, values, comm::ReductionOrder::any);
      const auto fixed = std::make_shared<Agglomerated>(world, values, comm::ReductionOrder::fixed);
      const std::vector<Candidate> candidates{
          {"one_by_one", [one_by_one] { (*one_by_one)(); }},
          {"agglomerated", [agglomerated] { (*agglomerated)(); }},
          {"agglomerated_fixed_order", [fixed] { (*fixed)(); }}};
      const std::vector<Timing> timings = measure(world, candidates, sampling);
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        Row row = row_of(candidates[i].method, world, static_cast<std::size_t>(world.size() - 1),
                         8 * values, timings[i]);
        row["values"] = values;
        report.add(std::move(row));
      }
    }
  }

 private:
  std::vector<std::size_t> values_{1, 2, 4, 8, 16};
};

}  // namespace

std::unique_ptr<Verb> make_reduce() {
  return std::make_unique<Reduce>();
}

}  // namespace sterna::bench
