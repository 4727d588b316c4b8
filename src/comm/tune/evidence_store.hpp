#pragma once

#include <string>
#include <vector>

#include "comm/tune/machine_file.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::comm {

/// What was measured on this machine, with as many ranks and this software, by exchanges of this
/// context and, where its options say so, by earlier runs. The first call is collective: rank 0
/// reads the machine file.
const std::vector<StoredEvidence>& stored_evidence(const Context& context);

/// Of the nodes of a context, the fullest.
int most_ranks_on_a_node(const Context& context);

/// Keeps what was measured now, in place of what is known of the same family and class of pattern;
/// rank 0 writes it to the machine file. `evidence.key` is set here.
void keep_evidence(const Context& context, StoredEvidence evidence);

/// Why the machine file does not have what was measured; empty where it does. On rank 0.
std::string why_not_kept(const Context& context);

}  // namespace sterna::comm
