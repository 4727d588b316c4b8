// Idea:
//   Packets are MPI messages that the receiver probes for.
//   MPI sends an array when its receiver has named the target and asked for it.
// Source:
//   Charm++'s zero-copy interface has such an MPI layer.
// Cost:
//   Software matches each message.
//   An array waits half a round trip more than its packet.
// Hazards:
//   Memory is at no risk: an array is received right into its target.
//   Arrays go in parts of 2^30 bytes, as MPI counts to 2^31.
// Others:
//   shm wins in a node and rdma beyond, wherever they work.

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>

#include "comm/context/mpi_error.hpp"
#include "comm/message/route.hpp"
#include "comm/transport/two_sided/peer.hpp"

namespace sterna::comm {
namespace {

constexpr std::size_t largest_message = std::size_t{1} << 30U;

class TwoSidedRoute final : public Route {
 public:
  TwoSidedRoute(Context::Implementation& context, int tag) : context_(context), tag_(tag) {}

  std::string_view name() const override { return "two_sided"; }

  std::byte* begin(int rank, std::size_t bytes) override {
    leaving_.push_back({rank, std::vector<std::byte>(bytes), MPI_REQUEST_NULL});
    return leaving_.back().packet.data();
  }

  void commit(int rank, packet::Word word) override {
    Leaving& last = leaving_.back();
    std::memcpy(last.packet.data(), &word, sizeof word);
    two_sided::Peer(context_.communicator, rank, tag_).send(last.packet, last.request);
  }

  void progress(PacketSink& sink) override {
    while (!leaving_.empty() && done(leaving_.front().request)) leaving_.pop_front();
    // Outgoing arrays come first, because a completion may begin new transfers.
    finish(outgoing_, [&](std::uint64_t operation) { sink.sent(operation); });
    finish(incoming_, [&](std::uint64_t token) { sink.fetched(token); });
    receive_packets(sink);
  }

  bool idle() const override { return leaving_.empty() && outgoing_.empty() && incoming_.empty(); }

  void announce(int, std::uint64_t operation, std::span<const std::byte> data) override {
    announced_[operation] = data;
  }

  void fetch(int rank, std::uint64_t operation, std::span<std::byte> target,
             std::uint64_t token) override {
    const two_sided::Peer peer(context_.communicator, rank, tag_ + 1);
    Transfer& transfer = incoming_.emplace_back(Transfer{token, {}});
    for (std::size_t at = 0; at < target.size(); at += largest_message) {
      peer.receive(target.subspan(at, std::min(largest_message, target.size() - at)),
                   transfer.requests.emplace_back(MPI_REQUEST_NULL));
    }
    const packet::PullHead head{operation};
    std::byte* const packet = begin(rank, sizeof(packet::Word) + sizeof head);
    std::memcpy(packet + sizeof(packet::Word), &head, sizeof head);
    commit(rank, {sizeof(packet::Word) + sizeof head, packet::pull, 0});
  }

  void refuse(int, std::uint64_t) override {}
  void withdraw(std::uint64_t operation) override { announced_.erase(operation); }

 private:
  struct Leaving {
    int rank;
    std::vector<std::byte> packet;
    MPI_Request request;
  };
  struct Transfer {
    std::uint64_t name;
    std::vector<MPI_Request> requests;
  };

  static bool done(MPI_Request& request) {
    int flag = 0;
    check_mpi(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), message_exchange);
    return flag != 0;
  }

  template <class Report>
  static void finish(std::deque<Transfer>& transfers, Report&& report) {
    for (std::size_t i = 0; i < transfers.size();) {
      int flag = 0;
      std::vector<MPI_Request>& requests = transfers[i].requests;
      check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &flag,
                            MPI_STATUSES_IGNORE),
                message_exchange);
      if (flag == 0) {
        ++i;
        continue;
      }
      const std::uint64_t name = transfers[i].name;
      transfers.erase(transfers.begin() + static_cast<std::ptrdiff_t>(i));
      report(name);
    }
  }

  void receive_packets(PacketSink& sink) {
    for (;;) {
      int found = 0;
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status;
      check_mpi(MPI_Improbe(MPI_ANY_SOURCE, tag_, context_.communicator, &found, &message, &status),
                message_exchange);
      if (found == 0) return;
      int bytes = 0;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      std::vector<std::byte> packet(static_cast<std::size_t>(bytes));
      check_mpi(MPI_Mrecv(packet.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE),
                message_exchange);
      packet::Word word;
      std::memcpy(&word, packet.data(), sizeof word);
      if (word.kind == packet::pull) {
        packet::PullHead head;
        std::memcpy(&head, packet.data() + sizeof word, sizeof head);
        send_array(status.MPI_SOURCE, head.operation);
      } else {
        sink.arrived(status.MPI_SOURCE, packet);
      }
    }
  }

  void send_array(int rank, std::uint64_t operation) {
    const auto found = announced_.find(operation);
    if (found == announced_.end()) return;  // withdrawn; its receiver has got the error
    const std::span<const std::byte> data = found->second;
    announced_.erase(found);
    const two_sided::Peer peer(context_.communicator, rank, tag_ + 1);
    Transfer& transfer = outgoing_.emplace_back(Transfer{operation, {}});
    for (std::size_t at = 0; at < data.size(); at += largest_message) {
      peer.send(data.subspan(at, std::min(largest_message, data.size() - at)),
                transfer.requests.emplace_back(MPI_REQUEST_NULL));
    }
  }

  Context::Implementation& context_;
  int tag_;
  std::deque<Leaving> leaving_;
  std::map<std::uint64_t, std::span<const std::byte>> announced_;
  std::deque<Transfer> outgoing_;
  std::deque<Transfer> incoming_;
};

}  // namespace

std::unique_ptr<Route> make_two_sided_route(Context::Implementation& context, int tag) {
  return std::make_unique<TwoSidedRoute>(context, tag);
}

}  // namespace sterna::comm
