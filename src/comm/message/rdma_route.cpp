// Idea:
//   Packets are UCX active messages.
//   An array is one whose data UCX leaves with the sender until the receiver has named the target,
//     and then moves right there (rendezvous).
// Source:
//   Charm++ runs over UCX.
//   UPC++ and LCI have small arguments first, then memory, then data.
// Cost:
//   A packet is one active message, and so is each array; UCX's cache registers memory.
// Hazards:
//   Over TCP and in shared memory UCX moves the data in pieces that need both sides' progress.
//   So a rank that computes long delays the arrays that it sends.
// Others:
//   shm wins in a node.
//   two_sided is for where UCX does not work.

#include <mpi.h>
#include <ucp/api/ucp.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <utility>

#include "comm/context/agreement.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/context/waiter.hpp"
#include "comm/message/route.hpp"
#include "comm/transport/rdma/ucx.hpp"
#include "comm/transport/rdma/worker.hpp"

namespace sterna::comm {
namespace {

constexpr unsigned packet_id = 21;
constexpr unsigned array_id = 22;
/// Below this size UCX sends an array at once, above it when the receiver has named the target.
constexpr std::size_t rendezvous_bytes = 8192;

/// The head before each active message. For arrays it has the number of the operation.
struct Head {
  std::uint32_t messenger;
  std::int32_t source;
  std::uint64_t operation;
};

class RdmaRoute;
/// The routes by number. The process has only one worker, so its handlers look up the route of a
/// message.
std::map<std::uint32_t, RdmaRoute*>& routes() {
  static std::map<std::uint32_t, RdmaRoute*> all;
  return all;
}

class RdmaRoute final : public Route {
 public:
  RdmaRoute(Context::Implementation& context, std::uint32_t number)
      : rank_(context.rank), number_(number), worker_(rdma::Worker::instance()) {
    context.rdma_in_use = true;
    gather_addresses(context);
    set_handler(packet_id, &RdmaRoute::on_packet);
    set_handler(array_id, &RdmaRoute::on_array);
    routes()[number_] = this;
    largest(context, 0, message_exchange);  // no rank sends before all ranks can receive
  }

  ~RdmaRoute() override {
    routes().erase(number_);
    for (auto& [name, array] : arrived_) drop(array);
  }

  std::string_view name() const override { return "rdma"; }

  std::byte* begin(int rank, std::size_t bytes) override {
    leaving_.push_back({{number_, rank_, 0}, std::vector<std::byte>(bytes), nullptr});
    (void)rank;
    return leaving_.back().packet.data();
  }

  void commit(int rank, packet::Word word) override {
    Leaving& last = leaving_.back();
    std::memcpy(last.packet.data(), &word, sizeof word);
    last.request = send(rank, packet_id, last.head, last.packet, UCP_AM_SEND_FLAG_EAGER);
  }

  void announce(int rank, std::uint64_t operation, std::span<const std::byte> data) override {
    // Elements of a deque keep their addresses. UCX reads the head until the message has left.
    Outgoing& array = outgoing_.emplace_back(Outgoing{{number_, rank_, operation}, nullptr});
    array.request =
        send(rank, array_id, array.head, data,
             data.size() < rendezvous_bytes ? UCP_AM_SEND_FLAG_EAGER : UCP_AM_SEND_FLAG_RNDV);
  }

  void fetch(int rank, std::uint64_t operation, std::span<std::byte> target,
             std::uint64_t token) override {
    wanted_[{rank, operation}] = {target, token};
    match(rank, operation);
  }

  void refuse(int rank, std::uint64_t operation) override {
    wanted_[{rank, operation}] = {{}, refused};
    match(rank, operation);
  }
  void withdraw(std::uint64_t) override {}

  void progress(PacketSink& sink) override {
    worker_.progress();
    for (const Name& name : std::exchange(to_match_, {})) match(name.first, name.second);
    while (!leaving_.empty() && done(leaving_.front().request)) leaving_.pop_front();
    for (Outgoing& array : outgoing_) {
      if (array.reported || !done(array.request)) continue;
      array.reported = true;
      sink.sent(array.head.operation);
    }
    while (!outgoing_.empty() && outgoing_.front().reported) outgoing_.pop_front();
    for (std::size_t i = 0; i < incoming_.size();) {
      if (!done(incoming_[i].request)) {
        ++i;
        continue;
      }
      finished_.push_back(incoming_[i].token);
      incoming_[i] = incoming_.back();
      incoming_.pop_back();
    }
    while (!finished_.empty()) {
      const std::uint64_t token = finished_.front();
      finished_.pop_front();
      sink.fetched(token);
    }
    while (!packets_.empty()) {
      const Packet packet = std::move(packets_.front());
      packets_.pop_front();
      sink.arrived(packet.source, packet.bytes);
    }
  }

  bool idle() const override {
    return leaving_.empty() && outgoing_.empty() && incoming_.empty() && finished_.empty() &&
           packets_.empty();
  }

 private:
  static constexpr std::uint64_t refused = ~std::uint64_t{0};

  struct Leaving {
    Head head;
    std::vector<std::byte> packet;
    void* request;
  };
  struct Outgoing {
    Head head;
    void* request;
    bool reported = false;
  };
  struct Packet {
    int source;
    std::vector<std::byte> bytes;
  };
  struct Incoming {
    std::uint64_t token;
    void* request;
  };
  /// An array that came before its target was known: UCX's own piece of memory, a waiting
  /// rendezvous, or a copy of a short array.
  struct Arrived {
    void* data = nullptr;
    bool rendezvous = false;
    std::vector<std::byte> copy;
    std::size_t bytes = 0;
  };
  struct Wanted {
    std::span<std::byte> target;
    std::uint64_t token = 0;
  };
  using Name = std::pair<int, std::uint64_t>;  ///< a rank, and the number of its operation

  void gather_addresses(Context::Implementation& context) {
    const std::string& mine = worker_.address();
    const auto longest = static_cast<std::size_t>(
        largest(context, static_cast<std::int64_t>(mine.size()), message_exchange));
    const std::size_t stride = sizeof(std::uint64_t) + longest;
    std::string entry(stride, '\0');
    const std::uint64_t length = mine.size();
    std::memcpy(entry.data(), &length, sizeof length);
    std::memcpy(entry.data() + sizeof length, mine.data(), mine.size());
    std::string all(stride * static_cast<std::size_t>(context.size), '\0');
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Iallgather(entry.data(), static_cast<int>(stride), MPI_BYTE, all.data(),
                             static_cast<int>(stride), MPI_BYTE, context.communicator, &request),
              message_exchange);
    wait_for_request(context, request, message_exchange, "allgather", 0);
    for (int rank = 0; rank < context.size; ++rank) {
      const char* const begin = all.data() + static_cast<std::size_t>(rank) * stride;
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, begin, sizeof bytes);
      addresses_.emplace_back(begin + sizeof bytes, bytes);
    }
    endpoints_.resize(addresses_.size());
  }

  void set_handler(unsigned id, ucp_am_recv_callback_t handler) {
    ucp_am_handler_param_t parameters{};
    parameters.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                            UCP_AM_HANDLER_PARAM_FIELD_FLAGS;
    parameters.id = id;
    parameters.cb = handler;
    parameters.flags = UCP_AM_FLAG_WHOLE_MSG;
    rdma::check_ucx(ucp_worker_set_am_recv_handler(worker_.get(), &parameters),
                    "setting a handler of UCX");
  }

  /// Returns the endpoint of a rank, made on first use.
  ucp_ep_h endpoint(int rank) {
    const auto i = static_cast<std::size_t>(rank);
    if (endpoints_[i] == nullptr) endpoints_[i] = worker_.endpoint(addresses_[i]);
    return endpoints_[i];
  }

  void* send(int rank, unsigned id, const Head& head, std::span<const std::byte> data,
             unsigned flags) {
    ucp_request_param_t parameters{};
    parameters.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    parameters.flags = flags;
    void* const request = ucp_am_send_nbx(endpoint(rank), id, &head, sizeof head, data.data(),
                                          data.size(), &parameters);
    if (UCS_PTR_IS_ERR(request)) rdma::check_ucx(UCS_PTR_STATUS(request), "UCX active message");
    return request;
  }

  static bool done(void*& request) {
    if (request == nullptr) return true;
    const ucs_status_t status = ucp_request_check_status(request);
    if (status == UCS_INPROGRESS) return false;
    ucp_request_free(request);
    request = nullptr;
    rdma::check_ucx(status, "UCX active message");
    return true;
  }

  // UCX calls the following functions. They call neither UCX's progress nor the messenger.
  static RdmaRoute* route_of(const void* header, Head& head) {
    std::memcpy(&head, header, sizeof head);
    const auto found = routes().find(head.messenger);
    return found == routes().end() ? nullptr : found->second;
  }

  static ucs_status_t on_packet(void*, const void* header, std::size_t, void* data,
                                std::size_t bytes, const ucp_am_recv_param_t*) {
    Head head;
    RdmaRoute* const route = route_of(header, head);
    const auto* const begin = static_cast<const std::byte*>(data);
    if (route != nullptr) route->packets_.push_back({head.source, {begin, begin + bytes}});
    return UCS_OK;
  }

  static ucs_status_t on_array(void*, const void* header, std::size_t, void* data,
                               std::size_t bytes, const ucp_am_recv_param_t* parameters) {
    Head head;
    RdmaRoute* const route = route_of(header, head);
    if (route == nullptr) return UCS_OK;
    Arrived array;
    array.bytes = bytes;
    const bool rendezvous = (parameters->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0;
    const bool ours = (parameters->recv_attr & UCP_AM_RECV_ATTR_FLAG_DATA) != 0;
    if (rendezvous || ours) {
      array.data = data;
      array.rendezvous = rendezvous;
    } else {
      const auto* const begin = static_cast<const std::byte*>(data);
      array.copy.assign(begin, begin + bytes);
    }
    route->arrived_.emplace(Name{head.source, head.operation}, std::move(array));
    if (route->wanted_.contains({head.source, head.operation})) {
      route->to_match_.push_back({head.source, head.operation});
    }
    return rendezvous || ours ? UCS_INPROGRESS : UCS_OK;
  }

  void drop(Arrived& array) {
    if (array.data != nullptr) ucp_am_data_release(worker_.get(), array.data);
    array.data = nullptr;
  }

  void match(int rank, std::uint64_t operation) {
    const auto want = wanted_.find({rank, operation});
    const auto found = arrived_.find({rank, operation});
    if (want == wanted_.end() || found == arrived_.end()) return;
    const Wanted wanted = want->second;
    Arrived array = std::move(found->second);
    wanted_.erase(want);
    arrived_.erase(found);
    if (wanted.token == refused) {
      drop(array);
      return;
    }
    if (!array.rendezvous) {
      const std::size_t bytes = std::min(array.bytes, wanted.target.size());
      if (bytes > 0) {
        std::memcpy(wanted.target.data(), array.data != nullptr ? array.data : array.copy.data(),
                    bytes);
      }
      drop(array);
      finished_.push_back(wanted.token);
      return;
    }
    ucp_request_param_t parameters{};
    parameters.op_attr_mask = UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
    void* const request = ucp_am_recv_data_nbx(worker_.get(), array.data, wanted.target.data(),
                                               wanted.target.size(), &parameters);
    if (UCS_PTR_IS_ERR(request)) rdma::check_ucx(UCS_PTR_STATUS(request), "receiving by UCX");
    incoming_.push_back({wanted.token, request});
  }

  int rank_;
  std::uint32_t number_;
  rdma::Worker& worker_;
  std::vector<std::string> addresses_;
  std::vector<ucp_ep_h> endpoints_;
  std::deque<Leaving> leaving_;
  std::deque<Outgoing> outgoing_;
  std::deque<Packet> packets_;
  std::map<Name, Arrived> arrived_;
  std::map<Name, Wanted> wanted_;
  std::vector<Name> to_match_;
  std::vector<Incoming> incoming_;
  std::deque<std::uint64_t> finished_;
};

}  // namespace

std::unique_ptr<Route> make_rdma_route(Context::Implementation& context, std::uint32_t number) {
  return std::make_unique<RdmaRoute>(context, number);
}

}  // namespace sterna::comm
