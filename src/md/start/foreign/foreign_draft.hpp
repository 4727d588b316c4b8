#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "md/input/read_input.hpp"

namespace sterna::md {

/// An input of another program on its way to one of Sterna's: numbers as they stand there, and where
/// each key comes from.
class ForeignDraft {
 public:
  Input input;

  /// That the file gives this key ("run.steps", "type[0].mass"), and with it its section. Only what
  /// was decided stands in the text of the input.
  void decide(std::string_view key, Diagnostic place);

  /// The draft with the checks and completions of Sterna's own inputs; what they find is told at the
  /// places that the keys come from. `found`: what the reader has found itself; with errors there is
  /// no input.
  ReadResult check(std::vector<Diagnostic> found) const;

 private:
  Diagnostic at_place(const Input& checked, Diagnostic diagnostic) const;

  std::map<std::string, Diagnostic, std::less<>> places_;
};

}  // namespace sterna::md
