// Idea:
//   Every possible source sends a message each round: its count and, if small, its items.
// Source:
//   libsc has it as SUPERSET of sc_notify.
//   FDPS's exchangeParticle does the same (Iwasawa et al., PASJ 68, 54, 2016).
// Cost:
//   A round takes |S| small messages for the |S| possible sources, and no collective.
//   Memory grows with |S|.
// Hazards:
//   A destination outside the set is an error.
//   The set must be symmetric.
// Others:
//   nbx wins where |S| is large beside the real partners, or where nothing bounds them.

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "comm/context/byte_block.hpp"
#include "comm/context/context_implementation.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/family/requirements.hpp"
#include "comm/sparse/copy_items.hpp"
#include "comm/sparse/request_list.hpp"
#include "comm/sparse/round_wait.hpp"
#include "comm/sparse/table.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::comm {

namespace {

/// The largest first message of a pair in a round: a count, and the items if they fit. It is below
/// the eager limit of shared-memory transports (4 KiB), so that it leaves without a handshake.
constexpr std::size_t header_bytes = sizeof(std::uint64_t);
constexpr std::size_t first_message_bytes = 3968;

// One tag for first messages and one for long messages are enough for all rounds. Each receive
// names its source, and MPI keeps the order of the messages between two ranks with the same tag. A
// rank is at most one round ahead of a possible source, since it needs that source's message each
// round.
class Superset final : public SparseMethod {
 public:
  explicit Superset(const SparseSetting& setting)
      : setting_(setting),
        communicator_(setting.context.implementation().communicator),
        first_tag_(setting.context.implementation().reserve_tags(2)),
        sources_(*setting.possible_sources),
        row_to_(sources_.size()),
        outboxes_(sources_.size() * first_message_bytes),
        inboxes_(sources_.size() * first_message_bytes) {
    check_symmetry();
  }

  std::size_t exchange(const OutgoingRound& round, IncomingRows& incoming) override {
    assign_rows(round);
    const int long_tag = first_tag_ + 1;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      check_mpi(MPI_Irecv(inbox(i), static_cast<int>(first_message_bytes), MPI_BYTE, sources_[i],
                          first_tag_, communicator_, receives_.add(sources_[i])),
                "MPI_Irecv");
    }
    std::size_t messages = sources_.size();
    for (std::size_t i = 0; i < sources_.size(); ++i) messages += send(i, long_tag);

    wait(round, receives_);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (count_from(i) > 0) incoming.announce(sources_[i], count_from(i));
    }
    incoming.arrange();
    for (std::size_t i = 0; i < sources_.size(); ++i) receive(i, long_tag, incoming);
    wait(round, receives_);
    wait(round, sends_);
    return messages;
  }

 private:
  std::byte* outbox(std::size_t i) { return outboxes_.data() + i * first_message_bytes; }
  std::byte* inbox(std::size_t i) { return inboxes_.data() + i * first_message_bytes; }
  std::uint64_t count_from(std::size_t i) {
    std::uint64_t count;
    std::memcpy(&count, inbox(i), header_bytes);
    return count;
  }
  bool is_short(std::uint64_t count) const {
    return count <= (first_message_bytes - header_bytes) / setting_.item_size;
  }

  void assign_rows(const OutgoingRound& round) {
    row_to_.assign(row_to_.size(), nullptr);
    for (const OutgoingRow& row : round.rows) {
      const auto source = std::lower_bound(sources_.begin(), sources_.end(), row.destination);
      row_to_[static_cast<std::size_t>(source - sources_.begin())] = &row;
    }
  }

  /// Sends to possible source i. Returns the number of messages beyond the first.
  std::size_t send(std::size_t i, int long_tag) {
    const OutgoingRow* const row = row_to_[i];
    const std::uint64_t count = row ? row->count : 0;
    std::memcpy(outbox(i), &count, header_bytes);
    std::size_t bytes = header_bytes;
    if (count > 0 && is_short(count)) {
      copy_items(outbox(i) + header_bytes, row->items, count * setting_.item_size);
      bytes += count * setting_.item_size;
    }
    check_mpi(MPI_Isend(outbox(i), static_cast<int>(bytes), MPI_BYTE, sources_[i], first_tag_,
                        communicator_, sends_.add(sources_[i])),
              "MPI_Isend");
    if (is_short(count)) return 0;
    const ByteBlock block(count * setting_.item_size);
    check_mpi(MPI_Isend(row->items, block.count(), block.type(), sources_[i], long_tag,
                        communicator_, sends_.add(sources_[i])),
              "MPI_Isend");
    return 1;
  }

  void receive(std::size_t i, int long_tag, const IncomingRows& incoming) {
    const std::uint64_t count = count_from(i);
    if (count == 0) return;
    if (is_short(count)) {
      copy_items(incoming.row(sources_[i]), inbox(i) + header_bytes, count * setting_.item_size);
      return;
    }
    const ByteBlock block(count * setting_.item_size);
    check_mpi(MPI_Irecv(incoming.row(sources_[i]), block.count(), block.type(), sources_[i],
                        long_tag, communicator_, receives_.add(sources_[i])),
              "MPI_Irecv");
  }

  void wait(const OutgoingRound& round, RequestList& requests) {
    wait_in_round(
        setting_, round.number, [&] { return requests.test(); },
        [&] { return requests.late_peers(); });
  }

  /// An asymmetric set would leave a rank waiting for a message that nobody sends.
  void check_symmetry() {
    const std::vector<int> listed_by = ranks_that_list_this_one();
    // Returns the lowest pair (here, there) of which only `there` lists `here`; all ranks get the
    // same error.
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::int64_t lowest = none;
    const std::int64_t size = setting_.context.size();
    for (const int other : listed_by) {
      if (std::binary_search(sources_.begin(), sources_.end(), other)) continue;
      lowest = setting_.context.rank() * size + other;
      break;
    }
    ReductionBatch(setting_.context, setting_.exchange_name).min(lowest).run();
    if (lowest == none) return;
    throw Error(fmt::format(
        "{}: possible_sources is not symmetric: rank {} lists rank {}, but rank {} does not list "
        "rank {}",
        setting_.exchange_name, lowest % size, lowest / size, lowest / size, lowest % size));
  }

  std::vector<int> ranks_that_list_this_one() {
    struct Check {
      std::vector<std::byte> marks;
      std::unique_ptr<SparseMethod> method;
      IncomingRows incoming{1};
    };
    const auto check = std::make_shared<Check>();
    check->marks.resize(sources_.size());
    check->method = sparse_method::nbx.make(
        {setting_.context, setting_.exchange_name, setting_.method_name, 1, {}});
    std::vector<OutgoingRow> rows;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      rows.push_back({sources_[i], &check->marks[i], 1});
    }
    try {
      check->method->exchange({1, rows, 0}, check->incoming);
    } catch (...) {
      // Messages may still be under way into this memory.
      setting_.context.implementation().keep_until_exit(check);
      throw;
    }
    return {check->incoming.sources().begin(), check->incoming.sources().end()};
  }

  SparseSetting setting_;
  MPI_Comm communicator_;
  int first_tag_;
  std::vector<int> sources_;
  std::vector<const OutgoingRow*> row_to_;  ///< row for each possible source, null if there is none
  std::vector<std::byte> outboxes_, inboxes_;
  RequestList sends_, receives_;
};

CostTerms cost_of_superset(const PatternShape& shape) {
  return {.messages = shape.possible_sources,
          .kilobytes = (shape.bytes + 8.0 * shape.possible_sources) / 1e3,
          .copied = 2.0 * shape.bytes / 1e3};
}

constexpr std::string_view superset_aliases[] = {"bounded neighbors", "exchangeParticle"};

}  // namespace

const SparseMethodRow sparse_method::superset{
    .info =
        {
            .name = "superset",
            .description = "a count to each possible source, small payloads with it; no collective",
            .needs = "two_sided, possible_sources",
            .aliases = superset_aliases,
            .traits = {.needs_possible_sources = true},
        },
    .why_unavailable = needs_messages,
    .make = make_method<Superset, SparseMethod>,
    .cost = cost_of_superset,
    .first_choice = {2, "the possible sources are known, so no collective"},
};

}  // namespace sterna::comm
