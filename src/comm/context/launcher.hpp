#pragma once

#include <functional>
#include <string>

namespace sterna::comm {

/// Looks up an environment variable; null where it is not set.
using Variables = std::function<const char*(const char*)>;

/// Whether the launcher's variables say that all ranks run on this node, or there is no launcher.
bool is_on_one_node(const Variables& variables);

/// What to say where a launcher has started more ranks than MPI found, because it is the launcher
/// of another MPI: each process would take itself for the whole job. Empty where all is well.
std::string why_not_this_launcher(int ranks, const Variables& variables);

/// The rank by the launcher's variables; -1 where they do not tell.
int launched_rank(const Variables& variables);

/// The number of ranks by the launcher's variables; 0 where they do not tell.
int launched_ranks(const Variables& variables);

}  // namespace sterna::comm
