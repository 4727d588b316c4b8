#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "md/input/read_input.hpp"

namespace sterna::md {

/// An input of another program on its way to an input of Sterna: the numbers as its file has them,
/// and the place of each key.
class ForeignDraft {
 public:
  Input input;

  /// Records that the file gives this key ("run.steps", "type[0].mass") and with it its section.
  /// The text of the input has only recorded keys.
  void decide(std::string_view key, Diagnostic place);

  /// Checks and completes the draft like an input of Sterna; findings are reported at the places of
  /// the keys. `found`: the findings of the reader. If there are errors, the result has no input.
  ReadResult check(std::vector<Diagnostic> found) const;

 private:
  Diagnostic at_place(const Input& checked, Diagnostic diagnostic) const;

  std::map<std::string, Diagnostic, std::less<>> places_;
};

}  // namespace sterna::md
