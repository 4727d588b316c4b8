#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "md/core/json.hpp"
#include "md/output/atomic_file.hpp"
#include "md/simulation/engine/force_engine.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The files of lines that force terms write (`ForceTerm::GrowingText`). Rank 0 writes them at once.
/// A failure is kept, as the other ranks would wait, and all agree on it at the next checkpoint or at
/// the end.
class TermFiles {
 public:
  /// Collective. Opens the files of all terms, or goes on with as many bytes of each as `restore` was
  /// told. `stem`: of their names; empty: no files. Returns the files that are not there although
  /// the run had written them, on rank 0.
  std::vector<std::string> open(const comm::Context& context, ForceEngine& engine,
                                const std::string& stem, bool resumed);
  /// Local. Writes the lines that the terms have now, and removes them.
  void write(ForceEngine& engine);
  /// Collective. Throws FileError on all ranks if a line could not be written.
  void agree_on_failure(const comm::Context& context) const;
  /// Collective. The same, after all lines are on the disk.
  void sync(const comm::Context& context);

  /// Local. The bytes of each file, for a checkpoint; null: there are no files.
  Json state() const;
  void restore(const Json& state);

 private:
  struct File {
    std::string ending;
    std::uint64_t bytes = 0;
    RawFile file{};  ///< on rank 0
  };
  std::vector<File> files_;
  std::vector<File> earlier_;  ///< of the checkpoint
  std::string failure_;
  bool writes_ = false;
};

}  // namespace sterna::md
