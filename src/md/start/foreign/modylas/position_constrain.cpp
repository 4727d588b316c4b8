#include "md/start/foreign/modylas/position_constrain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "md/core/display_text.hpp"
#include "md/forces/external/input/restraint_section.hpp"
#include "md/input/atom_groups.hpp"

namespace sterna::md::modylas {
namespace {

constexpr double heavy_mass = 1.5;  // u
constexpr std::int64_t most_ids = std::int64_t{1} << 48;
constexpr const char* group_name = "restrained";

std::vector<std::string_view> all_words_of(const std::vector<const Block*>& blocks) {
  std::vector<std::string_view> words;
  for (const Block* block : blocks) {
    words.insert(words.end(), block->words.begin(), block->words.end());
  }
  return words;
}

}  // namespace

void PositionConstrain::read(Values& values, const Block& block) {
  values_ = &values;
  word_ = block.tag;
  const std::string_view type = Values::peek(block, "type");
  const auto kind = values.choice(block, "type", {"harmonic", "huge_mass", "fix"});
  if (!kind) {
    if (type.empty()) {
      values.error(block.tag, "<position constrain> lacks type = harmonic, huge_mass or fix");
    }
    return;
  }
  word_ = type;
  kind_ = static_cast<Kind>(*kind + 1);
  const auto constant = values.number(block, "force_constant", 0.0, 1e12);
  if (constant) force_constant_ = *constant;
  if (kind_ == Kind::harmonic && !constant && values.ok()) {
    values.error(type, "type = harmonic needs force_constant");
  }
  if (const Block* held = values.find(block, "atom")) atoms(*held);
  if (const Block* places = values.find(block, "position")) positions(*places);
  values.report_unused(block, Severity::warning, "MODYLAS ignores it, too", {});
}

void PositionConstrain::atoms(const Block& block) {
  Values& values = *values_;
  heavy_only_ = values.choice(block, "atom_type", {"all", "heavy_atoms"}).value_or(0) == 1;
  const bool some = values.choice(block, "molecules", {"all", "specified"}).value_or(0) == 1;
  const auto count = values.integer(block, "nmolecule", 0, most_ids);
  const auto listed = values.all(block, "molecule");
  /// The words of the records in `lists`, whose number a key gives.
  const auto records = [&](std::string_view key, std::optional<std::int64_t> number,
                           const std::vector<const Block*>& lists, std::size_t width) {
    std::vector<std::string_view> words = all_words_of(lists);
    const std::string_view place = lists.empty() ? block.tag : lists[0]->tag;
    const std::size_t given = words.size() / width;
    const auto asked = static_cast<std::size_t>(number.value_or(0));
    if (words.size() % width != 0) {
      values.error(place, fmt::format("{} has {} words, which is no multiple of {}",
                                      printable(place), words.size(), width));
    } else if (given < asked) {
      values.error(place, fmt::format("{} = {}, but {} {} given", key, asked, given,
                                      given == 1 ? "is" : "are"));
    } else if (given > asked) {
      values.warning(place,
                     fmt::format("{} = {}, but {} {} given; MODYLAS leaves out the rest, too", key,
                                 asked, given, given == 1 ? "is" : "are"));
    }
    words.resize(std::min(given, asked) * width);
    return words;
  };
  if (some) {
    molecules_.emplace();
    molecules_word_ = Values::peek(block, "molecules");
    if (!count && values.ok())
      values.error(molecules_word_, "molecules = specified needs nmolecule");
    const auto words = records("nmolecule", count, listed, 2);
    for (std::size_t n = 0; n < words.size(); n += 2) {
      const auto species = values.integer(words[n], 0, most_ids);
      const auto molecule = values.integer(words[n + 1], 0, most_ids);
      if (!species || !molecule) return;
      molecules_->emplace_back(*species, *molecule);
      molecule_words_.push_back(words[n]);
    }
  }
  const auto free_count = values.integer(block, "natom_allow_unconstrain", 0, most_ids);
  for (const std::string_view word : records("natom_allow_unconstrain", free_count,
                                             values.all(block, "allow atom unconstrain"), 1)) {
    const auto atom = values.integer(word, 0, most_ids);
    if (!atom) return;
    free_.insert(*atom + 1);
  }
  values.report_unused(block, Severity::warning, "MODYLAS ignores it, too", {});
}

void PositionConstrain::positions(const Block& block) {
  Values& values = *values_;
  has_places_ = values.choice(block, "type", {"initial", "specified"}).value_or(0) == 1;
  const auto lists = values.all(block, "coordinate");
  if (has_places_) {
    constexpr std::size_t width = 4;
    const auto words = all_words_of(lists);
    const std::string_view place = lists.empty() ? block.tag : lists[0]->tag;
    if (words.empty() || words.size() % width != 0) {
      values.error(place,
                   "expected <coordinate> with the number of an atom and three coordinates each");
      return;
    }
    for (std::size_t n = 0; n < words.size(); ++n) {
      const bool good = n % width == 0 ? values.integer(words[n], 0, most_ids).has_value()
                                       : values.number(words[n]).has_value();
      if (!good) return;
    }
    if (kind_ != Kind::harmonic) {
      values.warning(place,
                     "only type = harmonic takes positions; atoms stay where they are at "
                     "the start, as in MODYLAS");
    }
  }
  values.report_unused(block, Severity::warning, "MODYLAS ignores it, too", {});
}

void PositionConstrain::read_file(Values& values, const std::string& file) {
  values_ = &values;
  const std::vector<std::string_view>& words = values.document().root().words;
  if (words.empty()) {
    values.error(values.document().root().tag, "the file has no keyword");
    return;
  }
  word_ = words[0];
  std::size_t next = 1;
  if (word_ == "no-position-constrain") return;
  if (word_ == "harmonic") {
    if (words.size() < 2) {
      values.error(word_, "harmonic needs a force constant");
      return;
    }
    const auto constant = values.number(words[1]);
    if (!constant) return;
    force_constant_ = *constant;
    if (force_constant_ < 0.0) {
      values.error(words[1], "expected a force constant that is not negative");
      return;
    }
    kind_ = Kind::harmonic;
    next = 2;
  } else if (word_ == "huge_mass" || word_ == "fix") {
    kind_ = word_ == "fix" ? Kind::fix : Kind::huge_mass;
  } else {
    values.error(word_, fmt::format("expected harmonic, huge_mass, fix or no-position-constrain; "
                                    "found {}",
                                    quote(word_)));
    return;
  }
  file_ = file;
  has_places_ = kind_ == Kind::harmonic;
  const std::size_t width = has_places_ ? 4 : 1;
  if ((words.size() - next) % width != 0) {
    values.error(word_, fmt::format("expected {} for each atom, {} words; found {} words",
                                    has_places_ ? "0 or 1 and three coordinates" : "0 or 1", width,
                                    words.size() - next));
    return;
  }
  std::int64_t id = 0;
  for (; next < words.size(); next += width) {
    ++id;
    const auto is_free = values.integer(words[next], 0, 1);
    if (!is_free) return;
    for (std::size_t k = 1; k < width; ++k) {
      if (!values.number(words[next + k])) return;
    }
    if (*is_free == 1) continue;
    if (!listed_.empty() && listed_.back().second == id - 1) {
      listed_.back().second = id;
    } else {
      listed_.emplace_back(id, id);
    }
  }
  listed_.emplace_back(id + 1, id);  // marks the end of the file
}

std::vector<PositionConstrain::Run> PositionConstrain::next_species(std::int64_t count,
                                                                    std::span<const double> mass) {
  const auto atoms = static_cast<std::int64_t>(mass.size());
  const auto number = static_cast<std::int64_t>(species_.size());
  const Species& species = species_.emplace_back(Species{count, atoms, next_id_});
  next_id_ += count * atoms;
  if (count == 0 || !freezes()) return {{count, {}}};

  std::set<std::int64_t> chosen;
  for (const auto& [of, molecule] : molecules_.value_or(Molecules())) {
    if (of == number && molecule < count) chosen.insert(molecule);
  }
  const std::set<std::int64_t> begins = begins_of_runs(species, chosen);
  std::vector<Run> runs;
  for (auto begin = begins.begin(); begin != begins.end(); ++begin) {
    const auto next = std::next(begin);
    const std::int64_t size = (next == begins.end() ? count : *next) - *begin;
    std::vector<char> frozen;
    for (std::int64_t atom = 0; atom < atoms; ++atom) {
      const bool held = !molecules_ || chosen.contains(*begin);
      frozen.push_back(held && holds(species.first_id + *begin * atoms + atom,
                                     mass[static_cast<std::size_t>(atom)])
                           ? 1
                           : 0);
    }
    if (!runs.empty() && runs.back().frozen == frozen) {
      runs.back().count += size;
    } else {
      runs.push_back({size, std::move(frozen)});
    }
  }
  constexpr std::size_t most_runs = 200;
  if (kind_ == Kind::huge_mass && runs.size() > 1) {
    values_->error(
        word_,
        "huge_mass changes the masses of all molecules of a species in MODYLAS; expected "
        "the same atoms of each molecule of a species");
    runs.resize(1);
  } else if (runs.size() > most_runs) {
    values_->error(word_, fmt::format("the molecules of a species are fixed in {} different runs; "
                                      "at most {} are taken over",
                                      runs.size(), most_runs));
    runs.resize(1);
  }
  return runs;
}

std::set<std::int64_t> PositionConstrain::begins_of_runs(
    const Species& species, const std::set<std::int64_t>& chosen) const {
  // The frozen atoms can differ from those of the molecule before only where a listed range begins
  // or ends.
  std::set<std::int64_t> begins{0};
  const auto differs = [&](std::int64_t molecule) {
    for (const std::int64_t at : {molecule, molecule + 1}) {
      if (at > 0 && at < species.count) begins.insert(at);
    }
  };
  const std::int64_t first = species.first_id;
  const std::int64_t last = first + species.count * species.atoms - 1;
  const auto differs_at = [&](std::int64_t id) {
    if (id >= first && id <= last) differs((id - first) / species.atoms);
  };
  for (const std::int64_t id : free_) differs_at(id);
  for (const auto& [begin, end] : listed_) {
    differs_at(begin);
    differs_at(end);
  }
  for (const std::int64_t molecule : chosen) differs(molecule);
  return begins;
}

bool PositionConstrain::holds(std::int64_t id, double mass) const {
  if (heavy_only_ && !(mass > heavy_mass)) return false;
  if (free_.contains(id)) return false;
  if (file_.empty()) return true;
  const auto after = std::ranges::upper_bound(listed_, id, {}, &Range::first);
  return after != listed_.begin() && std::prev(after)->second >= id;
}

void PositionConstrain::check_ensemble(const ForeignDraft& draft) {
  if (kind_ == Kind::huge_mass && draft.input.barostat.is_used()) {
    values_->error(word_,
                   "huge_mass does not go with a box that changes (NPT), as MODYLAS says, "
                   "too; type = harmonic does");
  } else if (kind_ == Kind::huge_mass && draft.input.minimizes()) {
    values_->error(word_,
                   "huge_mass does not go with ensemble = opt, as MODYLAS says, too; type = "
                   "fix does");
  } else if (kind_ == Kind::fix && !draft.input.minimizes()) {
    values_->error(word_,
                   "type = fix holds atoms with ensemble = opt only; type = huge_mass does "
                   "so in NVE and NVT");
  } else if (kind_ == Kind::huge_mass) {
    values_->warning(word_,
                     "atoms with huge_mass become a [[freeze]]: their degrees of freedom do "
                     "not count in temperatures, in which MODYLAS counts them");
  } else if (kind_ == Kind::harmonic && draft.input.minimizes()) {
    values_->warning(word_,
                     "type = harmonic in ensemble = opt: Sterna minimizes with the springs; "
                     "MODYLAS does not move these atoms");
  }
}

/// The ids of the atoms of listed molecules, as ranges.
std::vector<PositionConstrain::Range> PositionConstrain::held_ranges() const {
  std::vector<Range> ranges;
  for (const auto& [number, molecule] : *molecules_) {
    const Species& species = species_[static_cast<std::size_t>(number)];
    const std::int64_t begin = species.first_id + molecule * species.atoms;
    ranges.emplace_back(begin, begin + species.atoms - 1);
  }
  std::ranges::sort(ranges);
  std::vector<Range> joined;
  for (const Range& range : ranges) {
    if (!joined.empty() && range.first <= joined.back().second + 1) {
      joined.back().second = std::max(joined.back().second, range.second);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

/// The held atoms in Sterna's selection language; empty: all atoms.
std::string PositionConstrain::selection() const {
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : " and ") + more; };
  if (heavy_only_) add(fmt::format("prop mass > {}", heavy_mass));
  if (molecules_) {
    std::string ids = "id";
    for (const auto& [begin, end] : held_ranges()) ids += fmt::format(" {}:{}", begin, end);
    add(ids);
  }
  if (!free_.empty()) {
    std::string ids = "not id";
    for (const std::int64_t id : free_) ids += fmt::format(" {}", id);
    add(ids);
  }
  return text;
}

void PositionConstrain::write(ForeignDraft& draft, const std::string& path) {
  if (kind_ == Kind::none || !values_->ok()) return;
  check_ensemble(draft);
  for (std::size_t n = 0; molecules_ && n < molecules_->size(); ++n) {
    const auto& [number, molecule] = (*molecules_)[n];
    if (number < static_cast<std::int64_t>(species_.size()) &&
        molecule < species_[static_cast<std::size_t>(number)].count) {
      continue;
    }
    values_->error(molecule_words_[n],
                   fmt::format("there is no molecule {} of a species {}; both count from 0",
                               molecule, number));
  }
  if (molecules_ && molecules_->empty()) {
    values_->error(molecules_word_, "molecules = specified, but none is listed");
  }
  if (!free_.empty() && *free_.rbegin() >= next_id_) {
    values_->error(word_, fmt::format("<allow atom unconstrain> has the atom {}, but the last one "
                                      "is {}; both count from 0",
                                      *free_.rbegin() - 1, next_id_ - 2));
  }
  if (!file_.empty() && listed_.back().first != next_id_) {
    values_->error(word_, fmt::format("the file has {} atoms; expected {}", listed_.back().second,
                                      next_id_ - 1));
  }
  if (!values_->ok() || kind_ != Kind::harmonic) return;
  if (force_constant_ == 0.0) return;
  RestraintSection& restraint = draft.input.tables<RestraintSection>().emplace_back();
  decide(draft, "restraint[0]");
  restraint.stiffness = 2.0 * force_constant_;
  decide(draft, "restraint[0].stiffness");
  restraint.virial = RestraintVirial::ignored;
  decide(draft, "restraint[0].virial");
  if (draft.input.barostat.is_used()) {
    restraint.reference_scaling = ReferenceScaling::none;
    decide(draft, "restraint[0].reference_scaling");
  }
  if (has_places_) {
    restraint.reference_file =
        file_.empty() ? std::filesystem::path(path).filename().string() : file_;
    decide(draft, "restraint[0].reference_file");
  }
  std::string select = file_.empty() ? selection() : std::string();
  // With a reference file and no selection, all atoms are held. Without this the file, which may
  // have only some atoms, would decide.
  if (select.empty() && has_places_ && file_.empty()) select = "all";
  if (select.empty()) return;
  draft.input.section<AtomGroupSections>().all.push_back({group_name, std::move(select)});
  restraint.groups = {group_name};
  for (const char* key : {"group[0]", "group[0].name", "group[0].select", "restraint[0].groups"}) {
    decide(draft, key);
  }
}

void PositionConstrain::decide(ForeignDraft& draft, std::string_view key) const {
  draft.decide(key, values_->document().diagnostic(word_, Severity::error, {}));
}

}  // namespace sterna::md::modylas
