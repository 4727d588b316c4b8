// Idea:
//   One neighborhood collective on a distributed graph moves all messages of a round.
//   It is set up once and started in each round where the MPI has persistent collectives (MPI-4).
// Source:
//   Neighborhood collectives are from MPI-3 (Hoefler and Traeff 2009).
//   Neko's NEIGHBOUR backend uses them.
// Cost:
//   It costs what p2p costs in the MPIs at hand.
//   It always moves the whole capacity: receivers must know the size, so each message carries its
//     count in front of as many items as fit.
// Hazards:
//   MPI_Dist_graph_create can hang with treematch (Open MPI issue 13918).
//   So the graph is made by MPI_Dist_graph_create_adjacent, without reordering.
//   MPI tells only when all messages are there, so an error names all that had to send.
//   One-way links run at most one round ahead where MPI buffers the message.
// Others:
//   p2p wins where counts stay far below the capacity.
//   The one-sided methods win nearly always.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "comm/context/agreement.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/family/requirements.hpp"
#include "comm/neighbor/table.hpp"
#include "comm/transport/two_sided/memory.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {
namespace {

/// Messages are whole words, so that an int can count 16 GiB.
constexpr std::size_t word = sizeof(std::uint64_t);
constexpr std::size_t words_of_alignment = 64 / word;

/// One side of the collective. For each of its ranks it has a block: a word for the count, then the
/// items, which begin at a multiple of 64 bytes.
struct Side {
  std::vector<int> ranks;
  std::vector<int> words;
  std::vector<int> begins;            ///< offsets of the blocks in words
  std::vector<std::size_t> block_of;  ///< block of a link; only for links that take part
  std::size_t size = 0;               ///< in words
  std::shared_ptr<two_sided::Memory> memory;

  void add(std::size_t link, int rank, std::size_t bytes) {
    block_of.resize(link + 1);
    block_of[link] = ranks.size();
    const std::size_t length = 1 + (bytes + word - 1) / word;
    const std::size_t begin =
        (size + words_of_alignment) / words_of_alignment * words_of_alignment - 1;
    if (begin + length > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      throw Error(fmt::format("messages of {} bytes together; MPI counts to {}",
                              (begin + length) * word,
                              word * static_cast<std::size_t>(std::numeric_limits<int>::max())));
    }
    ranks.push_back(rank);
    words.push_back(static_cast<int>(length));
    begins.push_back(static_cast<int>(begin));
    size = begin + length;
  }
  void allocate() {
    memory = std::make_shared<two_sided::Memory>(size * word);
    if (size > 0) std::memset(memory->data(), 0, size * word);
  }
  std::byte* items(std::size_t link) const {
    return memory->data() + static_cast<std::size_t>(begins[block_of[link]] + 1) * word;
  }
};

class NeighborCollective final : public NeighborMethod {
 public:
  using NeighborMethod::NeighborMethod;

  void end() override {
    if (graph_ == MPI_COMM_NULL) return;
    if (request_ != MPI_REQUEST_NULL) MPI_Request_free(&request_);
    MPI_Comm_free(&graph_);
  }

  void keep_until_exit() override {
    setting_.context.keep_until_exit(out_.memory);
    setting_.context.keep_until_exit(in_.memory);
  }

  void prepare(std::vector<Link> links, std::uint64_t round) override {
    if (graph_ != MPI_COMM_NULL) {
      largest(setting_.context, 0,
              setting_.exchange_name);  // freeing waits for all ranks, without a deadline
      end();
    }
    links_ = std::move(links);
    out_ = {};
    in_ = {};
    done_round_ = round_ = round;
    on_all_ranks(setting_.context, setting_.exchange_name, [&] {
      for (std::size_t i = 0; i < links_.size(); ++i) {
        const Link& link = links_[i];
        if (link.send_items > 0) out_.add(i, link.rank, link.send_items * setting_.item_size);
        if (link.receive_items > 0) in_.add(i, link.rank, link.receive_items * setting_.item_size);
      }
      out_.allocate();
      in_.allocate();
    });
    link_buffers_.assign(links_.size(), {});
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].send_items > 0) link_buffers_[i].outbox.fill(out_.items(i));
      if (links_[i].receive_items > 0) link_buffers_[i].inbox.fill(in_.items(i));
    }
    check_mpi(MPI_Dist_graph_create_adjacent(
                  setting_.context.communicator, static_cast<int>(in_.ranks.size()),
                  in_.ranks.data(), MPI_UNWEIGHTED, static_cast<int>(out_.ranks.size()),
                  out_.ranks.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_),
              "MPI_Dist_graph_create_adjacent");
    MPI_Comm_set_errhandler(graph_, MPI_ERRORS_RETURN);
#ifdef STERNA_HAVE_PERSISTENT_COLLECTIVES
    check_mpi(MPI_Neighbor_alltoallv_init(out_.memory->data(), out_.words.data(),
                                          out_.begins.data(), MPI_UINT64_T, in_.memory->data(),
                                          in_.words.data(), in_.begins.data(), MPI_UINT64_T, graph_,
                                          MPI_INFO_NULL, &request_),
              "MPI_Neighbor_alltoallv_init");
#endif
  }

  void commit(std::size_t link, std::size_t count, std::uint64_t) override {
    set_count_before(link_buffers_[link].outbox[0], count);
  }

  void start(std::uint64_t round) override {
    round_ = round;
#ifdef STERNA_HAVE_PERSISTENT_COLLECTIVES
    check_mpi(MPI_Start(&request_), "MPI_Start");
#else
    check_mpi(MPI_Ineighbor_alltoallv(out_.memory->data(), out_.words.data(), out_.begins.data(),
                                      MPI_UINT64_T, in_.memory->data(), in_.words.data(),
                                      in_.begins.data(), MPI_UINT64_T, graph_, &request_),
              "MPI_Ineighbor_alltoallv");
#endif
  }

  std::size_t take_arrived(std::span<std::size_t> missing, std::uint64_t round) override {
    progress();
    return done_round_ == round ? missing.size() : 0;
  }

  void finish(std::uint64_t round) override {
    await([&] { return done_round_ == round; }, round, ranks_of(links_));
  }

 private:
  void progress() override {
    if (done_round_ == round_) return;
    int done = 0;
    check_mpi(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), setting_.exchange_name);
    if (done != 0) done_round_ = round_;
  }

  MPI_Comm graph_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
  Side out_;
  Side in_;
  std::uint64_t round_ = 0;
  std::uint64_t done_round_ = 0;
};

CostTerms cost_of_neighbor_collective(const PatternShape& shape) {
  return {.messages = shape.peers, .kilobytes = shape.bytes / 1e3, .copied = shape.bytes / 1e3};
}

constexpr std::string_view neighbor_collective_aliases[] = {"neighborhood collective",
                                                            "Neighbor_alltoallv", "NEIGHBOUR"};

}  // namespace

const NeighborMethodRow neighbor_method::neighbor_collective{
    .info =
        {
            .name = "neighbor_collective",
            .description = "one neighborhood collective, persistent where the MPI has it",
            .needs = "two_sided",
            .aliases = neighbor_collective_aliases,
            .traits = {.names_late_rank = false, .ends_together = true},
        },
    .why_unavailable = needs_messages,
    .make = make_method<NeighborCollective, NeighborMethod>,
    .cost = cost_of_neighbor_collective,
};

}  // namespace sterna::comm
