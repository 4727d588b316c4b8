#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "md/start/foreign/foreign_draft.hpp"
#include "md/start/foreign/modylas/document.hpp"
#include "md/start/foreign/modylas/values.hpp"

namespace sterna::md::modylas {

/// Atoms that are held: the block `<position constrain>` of a .mdff file or, where that has none, a
/// file NAME.posiconst (once posi_const.dat). Sources: MODYLAS 1.1.0, its module position_constrain
/// and the reader of sessions 1.0.0. Its harmonic energy is K r^2, which counts in no virial; heavy
/// atoms are those above 1.5 u; numbers of species, molecules and atoms count from 0.
class PositionConstrain {
 public:
  enum class Kind { none, harmonic, huge_mass, fix };

  /// Of a .mdff file.
  void read(Values& values, const Block& block);
  /// Of a .posiconst file with this path, from the input's folder.
  void read_file(Values& values, const std::string& file);

  Kind kind() const { return kind_; }
  /// Whether atoms do not move at all.
  bool freezes() const { return kind_ == Kind::huge_mass || kind_ == Kind::fix; }

  /// Molecules of a species that follow each other, with the same of their atoms frozen.
  struct Run {
    std::int64_t count;
    std::vector<char> frozen;  ///< by atom
  };
  /// Of the next species, where atoms are frozen. `mass`: of its atoms.
  std::vector<Run> next_species(std::int64_t count, std::span<const double> mass);

  /// When all species are known: the [[restraint]] and what else there is to say, into the draft.
  /// `path`: of the .mdff file, which may have the places.
  void write(ForeignDraft& draft, const std::string& path);

 private:
  using Range = std::pair<std::int64_t, std::int64_t>;  ///< ids from 1, ends included
  void atoms(const Block& block);
  void positions(const Block& block);
  void check_ensemble(const ForeignDraft& draft);
  std::vector<Range> held_ranges() const;
  std::string selection() const;
  void decide(ForeignDraft& draft, std::string_view key) const;

  Values* values_ = nullptr;
  std::string_view word_;  ///< for messages: where the kind stands
  std::string_view molecules_word_;
  Kind kind_ = Kind::none;
  double force_constant_ = 0.0;
  bool heavy_only_ = false;
  bool has_places_ = false;
  std::string file_;  ///< a .posiconst file
  /// Species and molecules; nothing: all.
  std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>> molecules_;
  std::vector<std::string_view> molecule_words_;
  std::set<std::int64_t> free_;  ///< ids of atoms, from 1
  std::vector<Range> listed_;    ///< of a .posiconst file
  /// Of the species up to now.
  struct Species {
    std::int64_t count, atoms, first_id;
  };
  std::vector<Species> species_;
  std::int64_t next_id_ = 1;
};

}  // namespace sterna::md::modylas
