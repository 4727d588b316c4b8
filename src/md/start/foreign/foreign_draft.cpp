#include "md/start/foreign/foreign_draft.hpp"

#include <tuple>
#include <utility>

#include "md/core/sort_by.hpp"
#include "md/input/input_text.hpp"

namespace sterna::md {

void ForeignDraft::decide(std::string_view key, Diagnostic place) {
  // The first key of a section also decides the section.
  const std::string_view section = key.substr(0, key.find('.'));
  if (section != key && !input.places.contains(section)) decide(section, place);
  input.places[std::string(key)] = {place.line,        place.column,        place.length,
                                    place.source_line, place.source_column, place.file};
  places_[std::string(key)] = std::move(place);
}

ReadResult ForeignDraft::check(std::vector<Diagnostic> found) const {
  ReadResult result;
  result.input.path = input.path;
  result.diagnostics = std::move(found);
  if (!has_errors(result.diagnostics)) {
    ReadResult checked = read_input_text(input_text(input), input.path, false);
    for (Diagnostic& diagnostic : checked.diagnostics) {
      result.diagnostics.push_back(at_place(checked.input, std::move(diagnostic)));
    }
    result.input = std::move(checked.input);
    for (auto& [key, place] : result.input.places) {
      const auto here = input.places.find(key);
      if (here != input.places.end()) place = here->second;
    }
  }
  sort_by(result.diagnostics, [&](const Diagnostic& d) {
    return std::tuple(d.file != input.path, d.file, d.line, d.column);
  });
  return result;
}

Diagnostic ForeignDraft::at_place(const Input& checked, Diagnostic diagnostic) const {
  for (const auto& [key, place] : checked.places) {
    if (place.line != diagnostic.line || place.column != diagnostic.column) continue;
    const auto known = places_.find(key);
    if (known == places_.end()) continue;
    Diagnostic moved = known->second;
    moved.severity = diagnostic.severity;
    moved.message = std::move(diagnostic.message);
    return moved;
  }
  diagnostic.line = diagnostic.column = 0;
  return diagnostic;
}

}  // namespace sterna::md
