#pragma once

#include <cstddef>

namespace sterna::comm {

/// The largest count given to an MPI call. INT_MAX, unless a test lowers it (to the same on all
/// ranks) so that a few bytes take the paths of 2^31.
std::size_t largest_count();
void set_largest_count(std::size_t count);

}  // namespace sterna::comm
