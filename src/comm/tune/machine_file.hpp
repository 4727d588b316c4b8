#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "comm/tune/cost_terms.hpp"

namespace sterna::comm {

/// What evidence holds for: elsewhere it says nothing.
struct MachineKey {
  std::string machine;   ///< processor and cores of a node
  std::string software;  ///< versions of MPI and UCX
  int ranks = 1;
  int ranks_per_node = 1;
  bool operator==(const MachineKey&) const = default;
};

/// The outcome of one race.
struct StoredEvidence {
  MachineKey key;
  std::string family;  ///< "neighbor" or "sparse"
  PatternShape shape;
  std::string chosen;
  std::map<std::string, double> us;  ///< by method: the largest of the ranks' medians
};

/// Shapes of one class have the same method as the fastest, as a rule: peers, bytes for each peer
/// and possible sources alike within a factor of two, and as large a part off the node.
std::string pattern_class(const PatternShape& shape);

/// Processor and number of cores of this machine: "AMD EPYC 9R14, 2 cores".
std::string machine_name();

/// Where evidence is kept between runs: `wanted`, else $STERNA_MACHINE_FILE, else
/// sterna/machine.json in the user's cache folder. Empty where that is "none", or nowhere.
std::string machine_file_path(const std::string& wanted);

/// Evidence of earlier runs, one JSON file. Several jobs may use it at the same time: it is
/// replaced as a whole, and under a lock where the file system has one.
class MachineFile {
 public:
  /// Empty path: no file. A file that is not there is empty.
  explicit MachineFile(std::string path) : path_(std::move(path)) {}

  /// All there is. What cannot be read is no error: `warning` then says why.
  std::vector<StoredEvidence> read(std::string& warning) const;
  /// Adds `evidence` to what the file holds now, in place of that of the same key, family and
  /// class of pattern. Returns why it could not; then the file is as it was. `lock_timeout`: for
  /// another program that holds the file.
  std::string add(const StoredEvidence& evidence,
                  std::chrono::duration<double> lock_timeout = std::chrono::minutes(1)) const;

 private:
  std::string path_;
};

std::string to_json(const std::vector<StoredEvidence>& evidence);
/// Throws std::exception with the reason where the text is no such file.
std::vector<StoredEvidence> evidence_from_json(const std::string& text);

}  // namespace sterna::comm
