#pragma once

#include <filesystem>
#include <string>

namespace sterna::comm {

/// Sets what MPI and UCX read from the environment when they start, where the user has not: on one
/// node no transport that listens on a network, shared-memory files in `folder`, and between nodes
/// only the network `interface` (empty: any). Before MPI starts.
void choose_transports(bool one_node, int ranks, const std::filesystem::path& folder,
                       const std::string& interface);

}  // namespace sterna::comm
