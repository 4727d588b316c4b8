#include "comm/sparse/counted_messages.hpp"

#include "comm/context/byte_block.hpp"
#include "comm/context/context_implementation.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/sparse/round_wait.hpp"

namespace sterna::comm {

CountedMessages::CountedMessages(const SparseSetting& setting)
    : setting_(setting),
      communicator_(setting.context.implementation().communicator),
      first_tag_(setting.context.implementation().reserve_tags(2)) {}

int CountedMessages::tag(const OutgoingRound& round) const {
  return first_tag_ + static_cast<int>(round.number % 2);
}

void CountedMessages::send(const OutgoingRound& round) {
  for (const OutgoingRow& row : round.rows) {
    const ByteBlock block(row.count * setting_.item_size);
    check_mpi(MPI_Isend(row.items, block.count(), block.type(), row.destination, tag(round),
                        communicator_, sends_.add(row.destination)),
              "MPI_Isend");
  }
}

void CountedMessages::receive(const OutgoingRound& round, int count, IncomingRows& incoming) {
  matches_.clear();
  wait_in_round(
      setting_, round.number, [&] { return match(round, static_cast<std::size_t>(count)); },
      [] { return std::vector<int>{}; });
  for (const Match& match : matches_) {
    incoming.announce(match.source, match.bytes / setting_.item_size);
  }
  incoming.arrange();
  for (Match& match : matches_) {
    const ByteBlock block(match.bytes);
    check_mpi(MPI_Imrecv(incoming.row(match.source), block.count(), block.type(), &match.message,
                         receives_.add(match.source)),
              "MPI_Imrecv");
  }
  wait_in_round(
      setting_, round.number, [&] { return receives_.test(); },
      [&] { return receives_.late_peers(); });
  wait_in_round(
      setting_, round.number, [&] { return sends_.test(); }, [&] { return sends_.late_peers(); });
}

bool CountedMessages::match(const OutgoingRound& round, std::size_t count) {
  while (matches_.size() < count) {
    int found = 0;
    MPI_Message message;
    MPI_Status status;
    check_mpi(MPI_Improbe(MPI_ANY_SOURCE, tag(round), communicator_, &found, &message, &status),
              "MPI_Improbe");
    if (!found) return false;
    MPI_Count bytes = 0;
    check_mpi(MPI_Get_elements_x(&status, MPI_BYTE, &bytes), "MPI_Get_elements_x");
    matches_.push_back({status.MPI_SOURCE, static_cast<std::size_t>(bytes), message});
  }
  return true;
}

}  // namespace sterna::comm
