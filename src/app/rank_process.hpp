#pragma once

namespace sterna {

/// Sets up the process before MPI starts: a rank of the `sterna` command gets SIGTERM when its
/// launcher has ended for any reason, so that it writes a checkpoint instead of running on alone.
void prepare_rank_process();

}  // namespace sterna
