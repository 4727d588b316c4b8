#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "comm/tune/cost_terms.hpp"

namespace sterna::comm {

/// The conditions under which evidence is valid.
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

/// Returns the class of a pattern. In patterns of one class the same method usually wins. Their
/// peers, bytes for each peer and possible sources agree within a factor of two, and so does the
/// part that leaves the node.
std::string pattern_class(const PatternShape& shape);

/// The processor and the number of cores of this machine: "AMD EPYC 9R14, 2 cores".
std::string machine_name();

/// The path of the file that keeps evidence between runs: `wanted`, else $STERNA_MACHINE_FILE, else
/// sterna/machine.json in the user's cache folder. Empty if that is "none" or there is no such
/// folder.
std::string machine_file_path(const std::string& wanted);

/// The evidence of earlier runs in one JSON file. Several jobs may use it at the same time: it is
/// replaced as a whole, and under a lock if the file system has locks.
class MachineFile {
 public:
  /// An empty path means no file. A file that does not exist counts as empty.
  explicit MachineFile(std::string path) : path_(std::move(path)) {}

  /// Returns all rows. An unreadable file is no error; `warning` then has the reason.
  std::vector<StoredEvidence> read(std::string& warning) const;
  /// Adds `evidence` to the present contents of the file, in place of a row of the same key, family
  /// and class of pattern. Returns the reason if that fails; the file is then unchanged.
  /// `lock_timeout` is the longest time to wait for another program that holds the file.
  std::string add(const StoredEvidence& evidence,
                  std::chrono::duration<double> lock_timeout = std::chrono::minutes(1)) const;

 private:
  std::string path_;
};

std::string to_json(const std::vector<StoredEvidence>& evidence);
/// Throws std::exception with the reason if the text has another format.
std::vector<StoredEvidence> evidence_from_json(const std::string& text);

}  // namespace sterna::comm
