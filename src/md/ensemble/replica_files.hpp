#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

/// The names of the files of a run with replicas. `stem`: of the run.
namespace sterna::md::replica_files {

/// Names the checkpoints of all replicas that belong together.
inline constexpr std::string_view set = ".replicas.json";
/// One line for each attempt to exchange.
inline constexpr std::string_view log = ".replicas.jsonl";
/// Reduced energies of the samples of one state.
inline constexpr std::string_view energies = ".dhdl.xvg";

/// The name of a replica's run, in place of the name of the whole run.
inline std::string of_replica(std::string_view stem, std::size_t number) {
  return fmt::format("{}.replica-{}", stem, number);
}
inline std::string of_state(std::string_view stem, std::size_t number) {
  return fmt::format("{}.state-{}", stem, number);
}
/// The stem of one of the two checkpoints of a replica, which are written by turns.
inline std::string of_checkpoint(std::string_view stem, std::size_t replica, int turn) {
  return fmt::format("{}.{}", of_replica(stem, replica), turn == 0 ? "even" : "odd");
}

}  // namespace sterna::md::replica_files
