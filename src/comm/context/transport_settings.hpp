#pragma once

#include <filesystem>
#include <string>

namespace sterna::comm {

/// Sets the environment variables that MPI, UCX and libfabric read when they start, unless the user has set
/// them. On one node no transport listens on a network, and shared-memory files are in `folder`;
/// between nodes only the network `interface` is used (empty: any). To be called before MPI starts.
void choose_transports(bool one_node, int ranks, const std::filesystem::path& folder,
                       const std::string& interface);

}  // namespace sterna::comm
