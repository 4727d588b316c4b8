#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

namespace sterna::md {

/// What the program that holds a simulation has added to it, asked of it, and changed in it.
struct ProgramParts {
  std::set<std::string> terms;             ///< names of force terms that it added
  std::set<std::string> terms_of_file;     ///< the same, in the checkpoint
  std::function<void(std::int64_t)> hook;  ///< called after each step
  std::function<bool()> stop_when;         ///< whether the program asks to stop
  bool has_changed = false;                ///< particles or terms, so lists and forces are outdated

  /// Throws FileError if the checkpoint had terms that were not added again.
  void require_terms() const;
};

}  // namespace sterna::md
