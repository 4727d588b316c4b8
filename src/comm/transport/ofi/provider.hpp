#pragma once

#include <memory>

#include "comm/transport/ofi/libfabric.hpp"

namespace sterna::comm::ofi {

struct FreeInfo {
  void operator()(fi_info* info) const { Library::instance().freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

/// Chooses the provider of libfabric by which the ranks of this job write into each other's memory.
/// Throws Error that names the providers of this machine if none of them can do what the transport
/// needs.
Info choose_provider();

}  // namespace sterna::comm::ofi
