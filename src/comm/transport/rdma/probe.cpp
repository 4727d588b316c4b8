#include "comm/transport/rdma/probe.hpp"

#include "comm/transport/rdma/worker.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm::rdma {

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

}  // namespace sterna::comm::rdma
