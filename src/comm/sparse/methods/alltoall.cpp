// Idea: every rank tells each other how many items will come (Alltoall), then all send (Alltoallv).
// Paper: the personalized exchange of Hoefler, Siebert, Lumsdaine, PPoPP 2010, section 3.
// Cost: alpha log P to alpha P + 8 P bytes for the counts, then Alltoallv; memory grows with P.
// Hazards: a global synchronization; counts of Alltoallv are int, so huge rounds go pairwise.
// Another wins: nbx or superset where each rank has few partners; this one below about 100 ranks.
#include "comm/sparse/methods/alltoall.hpp"

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "comm/context/context_implementation.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/sparse/byte_block.hpp"
#include "comm/sparse/largest_count.hpp"
#include "comm/sparse/request_list.hpp"
#include "comm/sparse/round_wait.hpp"

namespace sterna::comm {

namespace {

/// Rides on a count: its sender has so many items that offsets might not fit the counts of MPI.
constexpr std::uint64_t huge = std::uint64_t{1} << 63;

class Alltoall final : public SparseMethod {
 public:
  explicit Alltoall(const SparseSetting& setting)
      : setting_(setting),
        communicator_(setting.context.implementation().communicator),
        tag_(setting.context.implementation().reserve_tags(1)) {
    const std::size_t size = setting.context.size();
    for (auto* counts : {&out_counts_, &in_counts_}) counts->resize(size);
    for (auto* counts : {&send_counts_, &send_offsets_, &receive_counts_, &receive_offsets_}) {
      counts->resize(size);
    }
    check_mpi(MPI_Type_contiguous(static_cast<int>(setting.item_size), MPI_BYTE, &item_type_),
              "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&item_type_), "MPI_Type_commit");
  }
  ~Alltoall() override { MPI_Type_free(&item_type_); }

  std::size_t exchange(const OutgoingRound& round, IncomingRows& incoming) override {
    const bool anybody_huge = exchange_counts(round);
    for (int source = 0; source < setting_.context.size(); ++source) {
      if (in_counts_[source] > 0) incoming.announce(source, in_counts_[source]);
    }
    incoming.arrange();
    if (anybody_huge) {
      exchange_pairwise(round, incoming);
    } else {
      exchange_collectively(round, incoming);
    }
    return static_cast<std::size_t>(setting_.context.size()) - 1 + round.rows.size();
  }

 private:
  /// Returns whether any rank marked its round as huge, in which all ranks agree: the mark is on
  /// each of its counts.
  bool exchange_counts(const OutgoingRound& round) {
    std::size_t extent = round.self_count;
    if (!round.rows.empty()) {
      const OutgoingRow& last = round.rows.back();
      const auto bytes = static_cast<std::size_t>(last.items - round.rows.front().items);
      extent += bytes / setting_.item_size + last.count;
    }
    // If every rank sends at most this, no rank can receive more than the largest count either,
    // which no sender could know.
    const bool mine_huge = extent > largest_count() / out_counts_.size();
    out_counts_.assign(out_counts_.size(), mine_huge ? huge : 0);
    for (const OutgoingRow& row : round.rows) out_counts_[row.destination] |= row.count;
    out_counts_[setting_.context.rank()] = 0;
    MPI_Request request;
    check_mpi(MPI_Ialltoall(out_counts_.data(), 1, MPI_UINT64_T, in_counts_.data(), 1, MPI_UINT64_T,
                            communicator_, &request),
              "MPI_Ialltoall");
    wait(round, request);
    bool anybody_huge = mine_huge;
    for (std::uint64_t& count : in_counts_) {
      anybody_huge = anybody_huge || (count & huge) != 0;
      count &= ~huge;
    }
    return anybody_huge;
  }

  void exchange_collectively(const OutgoingRound& round, const IncomingRows& incoming) {
    send_counts_.assign(send_counts_.size(), 0);
    const std::byte* base = round.rows.empty() ? nullptr : round.rows.front().items;
    for (const OutgoingRow& row : round.rows) {
      send_counts_[row.destination] = static_cast<int>(row.count);
      send_offsets_[row.destination] =
          static_cast<int>(static_cast<std::size_t>(row.items - base) / setting_.item_size);
    }
    for (std::size_t source = 0; source < in_counts_.size(); ++source) {
      receive_counts_[source] = static_cast<int>(in_counts_[source]);
    }
    for (std::size_t i = 0; i < incoming.sources().size(); ++i) {
      receive_offsets_[incoming.sources()[i]] = static_cast<int>(incoming.offsets()[i]);
    }
    MPI_Request request;
    check_mpi(MPI_Ialltoallv(base, send_counts_.data(), send_offsets_.data(), item_type_,
                             incoming.items(), receive_counts_.data(), receive_offsets_.data(),
                             item_type_, communicator_, &request),
              "MPI_Ialltoallv");
    wait(round, request);
  }

  void wait(const OutgoingRound& round, MPI_Request& request) {
    wait_for_request(setting_.context.implementation(), request, setting_.exchange, setting_.method,
                     round.number);
  }

  void exchange_pairwise(const OutgoingRound& round, const IncomingRows& incoming) {
    for (const int source : incoming.sources()) {
      if (source == setting_.context.rank()) continue;
      const ByteBlock block(incoming.bytes(source));
      check_mpi(MPI_Irecv(incoming.row(source), block.count(), block.type(), source, tag_,
                          communicator_, requests_.add(source)),
                "MPI_Irecv");
    }
    for (const OutgoingRow& row : round.rows) {
      const ByteBlock block(row.count * setting_.item_size);
      check_mpi(MPI_Isend(row.items, block.count(), block.type(), row.destination, tag_,
                          communicator_, requests_.add(row.destination)),
                "MPI_Isend");
    }
    wait_in_round(
        setting_, round.number, [&] { return requests_.test(); },
        [&] { return requests_.late_peers(); });
  }

  SparseSetting setting_;
  MPI_Comm communicator_;
  int tag_;
  MPI_Datatype item_type_ = MPI_DATATYPE_NULL;
  std::vector<std::uint64_t> out_counts_, in_counts_;
  std::vector<int> send_counts_, send_offsets_, receive_counts_, receive_offsets_;
  RequestList requests_;
};

}  // namespace

std::unique_ptr<SparseMethod> make_alltoall(const SparseSetting& setting) {
  return std::make_unique<Alltoall>(setting);
}

}  // namespace sterna::comm
