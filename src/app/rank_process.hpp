#pragma once

namespace sterna {

/// What a process sets for itself before MPI starts: a rank of the `sterna` command gets SIGTERM
/// when its launcher has ended, however that went, and so writes a checkpoint instead of running on
/// alone.
void prepare_rank_process();

}  // namespace sterna
