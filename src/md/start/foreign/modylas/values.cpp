#include "md/start/foreign/modylas/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/input/fields.hpp"
#include "md/input/input_schema.hpp"
#include "md/start/foreign/modylas/words.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md::modylas {

void Values::error(std::string_view part, std::string message) {
  diagnostics_.push_back(document_.diagnostic(part, Severity::error, std::move(message)));
}

void Values::warning(std::string_view part, std::string message) {
  diagnostics_.push_back(document_.diagnostic(part, Severity::warning, std::move(message)));
}

const Block* Values::find(const Block& block, std::string_view name) {
  block.known.push_back(name);
  const auto found = std::ranges::find(block.blocks, name, &Block::name);
  if (found == block.blocks.end()) return nullptr;
  found->used = true;
  return &*found;
}

const Block* Values::require(const Block& block, std::string_view name) {
  const Block* found = find(block, name);
  if (found == nullptr) {
    error(block.tag, block.tag.empty()
                         ? fmt::format("the block <{}> is missing", name)
                         : fmt::format("{} lacks the block <{}>", printable(block.tag), name));
  }
  return found;
}

std::vector<const Block*> Values::all(const Block& block, std::string_view name) {
  block.known.push_back(name);
  std::vector<const Block*> found;
  for (const Block& inner : block.blocks) {
    if (inner.name != name) continue;
    inner.used = true;
    found.push_back(&inner);
  }
  return found;
}

std::string_view Values::peek(const Block& block, std::string_view key) {
  const auto found = std::ranges::find(block.entries, key, &Block::Entry::key);
  return found == block.entries.end() ? std::string_view() : found->value;
}

std::string_view Values::word(const Block& block, std::string_view key) {
  block.known.push_back(key);
  std::string_view value;
  for (const Block::Entry& entry : block.entries) {
    if (entry.key != key || entry.used) continue;
    entry.used = true;
    if (value.empty()) {
      value = entry.value;
    } else {
      warning(entry.key, fmt::format("{} is given again; the first one counts", quote(key)));
    }
  }
  return value;
}

std::optional<double> Values::number(const Block& block, std::string_view key, double smallest,
                                     double largest) {
  const std::string_view text = word(block, key);
  if (text.empty()) return std::nullopt;
  const auto value = number(text);
  if (!value || (*value >= smallest && *value <= largest)) return value;
  error(text, fmt::format("{} = {}; expected a number from {:g} to {:g}", key, printable(text),
                          smallest, largest));
  return std::nullopt;
}

std::optional<double> Values::positive(const Block& block, std::string_view key) {
  const std::string_view text = word(block, key);
  if (text.empty()) return std::nullopt;
  const auto value = number(text);
  if (!value || *value > 0.0) return value;
  error(text, fmt::format("{} = {}; expected a number greater than 0", key, printable(text)));
  return std::nullopt;
}

std::optional<std::int64_t> Values::integer(const Block& block, std::string_view key,
                                            std::int64_t smallest, std::int64_t largest) {
  const std::string_view text = word(block, key);
  if (text.empty()) return std::nullopt;
  return integer(text, smallest, largest);
}

std::optional<bool> Values::yes_or_no(const Block& block, std::string_view key) {
  const auto found = choice(block, key, {"yes", "no"});
  if (!found) return std::nullopt;
  return *found == 0;
}

std::optional<std::size_t> Values::choice(const Block& block, std::string_view key,
                                          std::initializer_list<std::string_view> choices) {
  const std::string_view text = word(block, key);
  if (text.empty()) return std::nullopt;
  const auto* const found = std::ranges::find(choices, text);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  const std::vector<std::string_view> names(choices);
  const auto nearest = comm::nearest_name(text, names);
  error(text, fmt::format("{} = {}; {}", key, quote(text),
                          nearest ? fmt::format("did you mean {}?", quote(*nearest))
                                  : fmt::format("expected {}", choice_list(names))));
  return std::nullopt;
}

std::optional<double> Values::number(std::string_view text) {
  double value = 0.0;
  if (parse_fortran_number(text, value)) return value;
  error(text, fmt::format("expected a number; found {}", quote(text)));
  return std::nullopt;
}

std::optional<std::int64_t> Values::integer(std::string_view text, std::int64_t smallest,
                                            std::int64_t largest) {
  std::int64_t value = 0;
  if (parse_integer(text, value) && value >= smallest && value <= largest) return value;
  error(text,
        fmt::format("expected an integer from {} to {}; found {}", smallest, largest, quote(text)));
  return std::nullopt;
}

void Values::report_unused(const Block& block, Severity severity, std::string_view consequence,
                           std::initializer_list<std::string_view> without_meaning_here) {
  block.known.insert(block.known.end(), without_meaning_here.begin(), without_meaning_here.end());
  const auto report = [&](std::string_view part, std::string_view name) {
    if (std::ranges::find(without_meaning_here, name) != without_meaning_here.end()) return;
    const auto nearest = comm::nearest_name(name, block.known);
    diagnostics_.push_back(document_.diagnostic(
        part, severity,
        nearest && *nearest != name
            ? fmt::format("{} means nothing here; did you mean {}?", quote(name), quote(*nearest))
            : fmt::format("{} means nothing here; {}", quote(name), consequence)));
  };
  for (const Block::Entry& entry : block.entries) {
    // An unused key with the value "no" needs no report.
    if (!entry.used && entry.value != "no") report(entry.key, entry.key);
  }
  for (const Block& inner : block.blocks) {
    if (!inner.used) report(inner.tag, inner.name);
  }
}

}  // namespace sterna::md::modylas
