#include "comm/transport/ofi/probe.hpp"

#include "comm/transport/ofi/worker.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm::ofi {

std::string why_unavailable() {
  // A failed start is not tried again, because it would fail in the same way, and slowly.
  static const std::string reason = [] {
    try {
      Worker::instance();
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  }();
  return reason;
}

std::string why_not_built() {
#ifdef STERNA_HAVE_LIBFABRIC
  return {};
#else
  return "built without libfabric";
#endif
}

}  // namespace sterna::comm::ofi
