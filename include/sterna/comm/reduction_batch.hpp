#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "sterna/comm/context.hpp"

namespace sterna::comm {

/// Sums, maxima and minima of many values over all ranks in one collective operation (seed 5:
/// agglomerated reductions; derived type and custom operation). Register values once, `run` as
/// often as needed: each run reads every registered variable and replaces it by the result.
/// The variables must outlive the batch. Results are the same on every rank, bit for bit.
class ReductionBatch {
 public:
  explicit ReductionBatch(const Context& context, std::string name = "reduction");
  ~ReductionBatch();
  ReductionBatch(ReductionBatch&&) noexcept;
  ReductionBatch& operator=(ReductionBatch&&) noexcept;

  ReductionBatch& sum(double& value);
  ReductionBatch& max(double& value);
  ReductionBatch& min(double& value);
  ReductionBatch& sum(std::int64_t& value);
  ReductionBatch& max(std::int64_t& value);
  ReductionBatch& min(std::int64_t& value);
  /// `count` values at once.
  ReductionBatch& sum(double* values, std::size_t count);
  ReductionBatch& sum(std::int64_t* values, std::size_t count);

  /// Collective, blocking.
  void run();
  /// Non-blocking form: the variables must not be touched between the two.
  void start();
  void finish();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sterna::comm
