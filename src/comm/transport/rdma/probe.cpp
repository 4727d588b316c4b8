#include "comm/transport/rdma/probe.hpp"

#include "comm/transport/rdma/worker.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm::rdma {

std::string why_unavailable() {
#ifdef STERNA_HAVE_UCX
  // A failed start is not tried again: it would fail the same way, and slowly.
  static const std::string reason = [] {
    try {
      Worker::instance();
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  }();
  return reason;
#else
  return "built without UCX";
#endif
}

}  // namespace sterna::comm::rdma
