#pragma once

#include <functional>
#include <string>

namespace sterna::comm {

/// A function that looks up an environment variable; null if it is not set.
using Variables = std::function<const char*(const char*)>;

/// True if the launcher's variables say that all ranks run on this node, or if there is no
/// launcher.
bool is_on_one_node(const Variables& variables);

/// Returns an error text if a launcher has started more ranks than MPI found. It is then the
/// launcher of another MPI, and each process would take itself for the whole job. Returns an empty
/// text otherwise.
std::string why_not_this_launcher(int ranks, const Variables& variables);

/// Returns the rank by the launcher's variables; -1 if they do not tell.
int launched_rank(const Variables& variables);

/// Returns the number of ranks by the launcher's variables; 0 if they do not tell.
int launched_ranks(const Variables& variables);

}  // namespace sterna::comm
