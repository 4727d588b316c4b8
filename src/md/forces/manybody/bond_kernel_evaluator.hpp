#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/precision.hpp"
#include "md/forces/manybody/bond_evaluator.hpp"
#include "md/forces/manybody/bond_rows.hpp"
#include "md/system/aligned_buffer.hpp"

namespace sterna::md {

/// A potential of bonds whose terms kernels compute, from tables with a value for each ordered
/// triple of types. `Table` enumerates the tables, the last is `count`; `Work` is what the kernels
/// read and write.
template <class Work, class Table>
class BondKernelEvaluator : public BondEvaluator {
 public:
  std::string_view kernels() const override { return kernels_.name; }

 protected:
  /// `value_of(i, j, k, table)`: the value of a table for a triple of types.
  template <class ValueOf>
  BondKernelEvaluator(const BondKernels<Work>& kernels, Precision precision, int type_count,
                      const ValueOf& value_of)
      : kernels_(kernels), precision_(precision) {
    type_count_ = type_count;
    for (int which = 0; which < static_cast<int>(Table::count); ++which) {
      for (int i = 0; i < type_count_; ++i) {
        for (int j = 0; j < type_count_; ++j) {
          for (int k = 0; k < type_count_; ++k) {
            tables_.push_back(value_of(i, j, k, static_cast<Table>(which)));
          }
        }
      }
    }
    tables_single_.assign(tables_.begin(), tables_.end());
  }

  void compute_cells(BondRows& rows, std::span<const std::uint32_t> which_cells) override {
    const bool mixed = precision_ == Precision::mixed;
    scratch_.resize(kernels_.scratch_bytes(std::max(1u, rows.longest_row)));
    Work work = work_;
    work.rows = rows;
    work.rows.scratch = scratch_.data();
    work.rows.tables = mixed ? static_cast<const void*>(tables_single_.data()) : tables_.data();
    (mixed ? kernels_.compute_mixed : kernels_.compute_double)(work, which_cells.data(),
                                                               which_cells.size());
    rows = work.rows;
  }

  Work work_{};  ///< what does not change from call to call; without `rows`

 private:
  const BondKernels<Work>& kernels_;
  Precision precision_;
  std::vector<double> tables_;
  std::vector<float> tables_single_;
  AlignedBuffer<char> scratch_;
};

}  // namespace sterna::md
