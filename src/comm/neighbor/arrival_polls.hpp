#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace sterna::comm {

/// How a rank asks MPI which of its receives are complete. It asks in turn for all together, which
/// is the least work where all have come, and for one message, which need not wait for the others;
/// now and then for each of them.
class ArrivalPolls {
 public:
  /// `exchange`: name in errors.
  explicit ArrivalPolls(std::string_view exchange_name) : exchange_(exchange_name) {}

  /// A round begins.
  void start() { polls_ = 0; }
  /// `receives`: of all links, null or inactive where none is pending. Puts those of the `missing` links that
  /// have arrived before the others, and returns how many they are.
  std::size_t ask(std::span<MPI_Request> receives, std::span<std::size_t> missing);

 private:
  static constexpr unsigned polls_of_each = 8;

  std::size_t ask_for_all(std::span<MPI_Request> receives, std::size_t missing) const;
  std::size_t ask_for_first(std::span<MPI_Request> receives, std::size_t link);
  std::size_t ask_for_each(std::span<MPI_Request> receives, std::span<std::size_t> missing);

  std::string_view exchange_;
  unsigned polls_ = 0;  ///< in vain
  std::vector<int> completed_;
  std::vector<bool> arrived_;  ///< by link; all false between the calls
};

}  // namespace sterna::comm
