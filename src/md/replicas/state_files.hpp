#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "md/core/json.hpp"
#include "md/forces/alchemy/dhdl_head.hpp"
#include "md/input/input.hpp"
#include "md/replicas/growing_file.hpp"
#include "md/replicas/replica_group.hpp"

namespace sterna::md {

/// The files NAME.state-K.dhdl.xvg, one for each state: a row has the energies of a sample of the
/// state in all states. Rank 0 has them. Local; every failure is a FileError.
class StateFiles {
 public:
  /// Opens nothing. The input must outlive this object.
  explicit StateFiles(const Input& input);

  void create();
  /// Continues existing files, which are cut to these sizes.
  void reopen(const Json& sizes);
  /// Appends a row for each replica to the file of its state, `state_of`.
  void write(const MeetingData& met, std::span<const std::size_t> state_of, double time);
  /// Returns when all is on the disk.
  void sync();
  Json sizes() const;  ///< in bytes, by state

 private:
  /// k T of the first state, by which the files multiply reduced energies. It is R T in kJ/mol, but
  /// if states of a run in reduced units are alchemical, it is T, as in the file of a single run.
  double unit() const;
  DhdlHead head() const;

  const Input& input_;
  bool is_alchemical_;
  std::vector<GrowingFile> files_;  ///< by state
};

}  // namespace sterna::md
