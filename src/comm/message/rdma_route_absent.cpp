// Compiled in place of rdma_route.cpp where UCX is not found.

#include "comm/message/route.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

std::unique_ptr<Route> make_rdma_route(Context::Implementation&, std::uint32_t) {
  throw Error("messages: built without UCX");
}

}  // namespace sterna::comm
