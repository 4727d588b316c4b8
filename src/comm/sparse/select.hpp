#pragma once

#include "comm/family/selection.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace sterna::comm {

/// The method that `options` name, which is final; for "auto" the one that fits what is known of
/// the pattern, and the others that work here as candidates. Local, so what the candidates say is
/// of this rank only; throws Error for an unknown name and for a named method that does not work
/// here.
Selection select_sparse_method(const Context& context, const SparseOptions& options);

extern const TuningRules sparse_tuning;

}  // namespace sterna::comm
