#pragma once

#include <mpi.h>

#include <vector>

#include "comm/sparse/method.hpp"
#include "comm/sparse/request_list.hpp"

namespace sterna::comm {

/// The messages of methods whose receivers learn by a census how many will come, but neither from
/// whom nor how long. They are received right into their place in the result. Two tags, used in
/// turn, keep the rounds apart: a rank sends in round i+2 only after the census of round i+1, which
/// every rank entered after it had received all messages of round i.
class CountedMessages {
 public:
  explicit CountedMessages(const SparseSetting& setting);
  /// Begins to send the rows of a round.
  void send(const OutgoingRound& round);
  /// Receives the `count` messages of the round, and waits for those that `send` began.
  void receive(const OutgoingRound& round, int count, IncomingRows& incoming);

 private:
  struct Match {
    int source;
    std::size_t bytes;
    MPI_Message message;
  };
  int tag(const OutgoingRound& round) const;
  /// Records the messages that have arrived, at most `count` in all.
  bool match(const OutgoingRound& round, std::size_t count);

  const SparseSetting& setting_;
  MPI_Comm communicator_;
  int first_tag_;
  std::vector<Match> matches_;
  RequestList sends_, receives_;
};

}  // namespace sterna::comm
