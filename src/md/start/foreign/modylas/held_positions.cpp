#include "md/start/foreign/modylas/held_positions.hpp"

#include <filesystem>
#include <span>
#include <string_view>

#include "md/start/foreign/modylas/values.hpp"

namespace sterna::md::modylas {
namespace {

constexpr std::int64_t greatest_number = std::int64_t{1} << 48;

/// Reads records of four words: the index of an atom, or a mark, and three coordinates.
template <class Take>
void read_records(Values& values, std::span<const std::string_view> words, Take&& take) {
  constexpr std::size_t width = 4;
  for (std::size_t n = 0; n + width <= words.size() && values.ok(); n += width) {
    const auto first = values.integer(words[n], 0, greatest_number);
    Vec3 position;
    for (int axis = 0; axis < 3; ++axis) {
      const auto value = values.number(words[n + 1 + static_cast<std::size_t>(axis)]);
      if (!value) return;
      position[axis] = *value;
    }
    if (first) take(*first, position);
  }
}

}  // namespace

bool has_held_positions(const std::string& path) {
  const std::filesystem::path name(path);
  return name.extension() == ".mdff" || name.extension() == ".posiconst" ||
         name.filename() == "posi_const.dat";
}

std::vector<HeldPosition> read_held_positions(const std::string& path, const LoadText& load) {
  const Document document(path, load(path));
  Values values(document);
  std::vector<HeldPosition> held;
  if (std::filesystem::path(path).extension() == ".mdff") {
    const Block* const block = values.require(document.root(), "position constrain");
    const Block* const position = block != nullptr ? values.require(*block, "position") : nullptr;
    if (position != nullptr && values.require(*position, "coordinate") != nullptr) {
      std::vector<std::string_view> words;
      for (const Block* list : values.all(*position, "coordinate")) {
        words.insert(words.end(), list->words.begin(), list->words.end());
      }
      read_records(values, words, [&](std::int64_t atom, const Vec3& place) {
        held.push_back({atom + 1, place});
      });
    }
  } else {
    const std::vector<std::string_view>& words = document.root().words;
    constexpr std::size_t head = 2;  // kind "harmonic" and the force constant
    if (words.size() < head || words[0] != "harmonic") {
      values.error(words.empty() ? document.root().tag : words[0],
                   "expected harmonic and a force constant");
    } else {
      std::int64_t id = 0;
      read_records(values, std::span(words).subspan(head),
                   [&](std::int64_t is_free, const Vec3& place) {
                     ++id;
                     if (is_free == 0) held.push_back({id, place});
                   });
    }
  }
  for (const Diagnostic& diagnostic : values.diagnostics()) {
    if (diagnostic.severity == Severity::error) throw DocumentError(diagnostic);
  }
  return held;
}

}  // namespace sterna::md::modylas
