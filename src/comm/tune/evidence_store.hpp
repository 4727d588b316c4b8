#pragma once

#include <string>
#include <vector>

#include "comm/tune/machine_file.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::comm {

/// Returns the measurements on this machine, with as many ranks and this software, of exchanges of
/// this context and, if its options say so, of earlier runs. The first call is collective: rank 0
/// reads the machine file.
const std::vector<StoredEvidence>& stored_evidence(const Context& context);

/// The number of ranks on the fullest node of a context.
int most_ranks_on_a_node(const Context& context);

/// Keeps a new measurement, in place of an older one of the same family and class of pattern. Rank
/// 0 writes it to the machine file. The function sets `evidence.key`.
void keep_evidence(const Context& context, StoredEvidence evidence);

/// Returns on rank 0 why the machine file lacks the measurements; empty if it has them.
std::string why_not_kept(const Context& context);

}  // namespace sterna::comm
