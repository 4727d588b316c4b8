#pragma once

// Functions of all pair kernels for the rows of the list: decoding of entries into offsets, and
// prefetching.

#include "md/neighbors/kernels/row_traits.hpp"

namespace sterna::md {
namespace {

/// Decodes `count` entries from `first` on into places times 2^shift, and appends the place of the
/// dummy particle `dummies` times. `begins` are the begins of the runs around the row's cell.
template <int shift>
inline void decode_row(const PairWork& work, const std::uint32_t (&begins)[32], std::size_t first,
                       std::size_t count, std::size_t dummies, std::uint32_t* out) {
  if (work.compressed != nullptr) {
    const RowDecoder<shift> decode(begins);
    decode(work.compressed + first, count, out);
  } else {
    for (std::size_t k = 0; k < count; ++k) out[k] = work.plain[first + k] << shift;
  }
  for (std::size_t k = 0; k < dummies; ++k) out[count + k] = work.total << shift;
}

/// Decodes the entries of a row into offsets.
template <class Pack>
class Decoder {
 public:
  explicit Decoder(const PairWork& work) : work_(work) {}
  void go_to_cell(std::size_t cell) {
    if (work_.compressed != nullptr) gather_begins(work_, cell, begins_);
  }
  /// Decodes entries [begin, begin + length) of the list, followed by two vectors of dummy
  /// particles, which are beyond every cutoff.
  const std::uint32_t* operator()(std::size_t begin, std::size_t length) {
    constexpr auto dummies = static_cast<std::size_t>(2 * Pack::width);
    decode_row<RowTraits<Pack>::offset_shift>(work_, begins_, begin, length, dummies,
                                              work_.decoded);
    return work_.decoded;
  }

 private:
  const PairWork& work_;
  alignas(64) std::uint32_t begins_[32];
};

struct Totals {
  double energy = 0.0;
  double virial[6] = {};
};

template <class T>
inline void fetch(const T* items, std::size_t count) {
  const char* const bytes = reinterpret_cast<const char*>(items);
  for (std::size_t k = 0; k < count * sizeof(T); k += 64) __builtin_prefetch(bytes + k);
}

/// Prefetches data for a cell's rows that the hardware prefetcher does not predict: the entries,
/// and neighbors that the previous cell in x did not have. These are in the last row of cells of
/// the upper plane, which is new, and of the middle plane, which may have left the near caches.
/// Half lists have no neighbors in the lower plane. Forces are fetched, too, because rows write to
/// those of all neighbors.
template <class Pack>
inline void fetch_cell(const PairWork& work, std::size_t cell) {
  const CellRange own = work.cells[cell];
  const std::uint32_t rows = group_count(own.count, work.group);
  const std::uint32_t* const begins = work.row_begin + first_row(work, cell);
  const std::size_t first = begins[0], count = begins[rows] - first;
  work.compressed != nullptr ? fetch(work.compressed + first, count)
                             : fetch(work.plain + first, count);
  const auto row = static_cast<std::ptrdiff_t>(work.nx + 2);
  const std::ptrdiff_t plane = row * (work.ny + 2);
  const CellRange* const corner = work.cells + static_cast<std::ptrdiff_t>(cell) + row + 1;
  for (const std::ptrdiff_t dz : {plane, std::ptrdiff_t{0}}) {
    const CellRange last = corner[dz];
    fetch(RowTraits<Pack>::forces(work) + last.begin, last.count);
    fetch(RowTraits<Pack>::positions(work) + last.begin, last.count);
  }
}

}  // namespace
}  // namespace sterna::md
