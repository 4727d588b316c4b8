#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace sterna::comm {

/// Asks MPI which receives of a rank are complete. It tests by turns all receives together, which
/// is the least work if all have arrived, and one message, which need not wait for the others; now
/// and then it tests each receive.
class ArrivalPolls {
 public:
  /// `exchange_name` is the name in errors.
  explicit ArrivalPolls(std::string_view exchange_name) : exchange_(exchange_name) {}

  /// Begins a round.
  void start() { polls_ = 0; }
  /// `receives` has a request for each link, null or inactive if none is pending. Moves those of
  /// the `missing` links that have arrived to the front, and returns their number.
  std::size_t ask(std::span<MPI_Request> receives, std::span<std::size_t> missing);

 private:
  static constexpr unsigned polls_of_each = 8;

  std::size_t ask_for_all(std::span<MPI_Request> receives, std::size_t missing) const;
  std::size_t ask_for_first(std::span<MPI_Request> receives, std::size_t link);
  std::size_t ask_for_each(std::span<MPI_Request> receives, std::span<std::size_t> missing);

  std::string_view exchange_;
  unsigned polls_ = 0;  ///< number of polls without an arrival
  std::vector<int> completed_;
  std::vector<bool> arrived_;  ///< by link; all false between calls
};

}  // namespace sterna::comm
