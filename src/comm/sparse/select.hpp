#pragma once

#include "comm/family/selection.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace sterna::comm {

/// Selects the method named by `options`, which is final. For "auto" it selects the one that fits
/// what is known of the pattern, with the others that work here as candidates. Local, so the
/// reasons of the candidates are those of this rank only. Throws Error for an unknown name and for
/// a named method that does not work here.
Selection select_sparse_method(const Context& context, const SparseOptions& options);

extern const TuningRules sparse_tuning;

}  // namespace sterna::comm
