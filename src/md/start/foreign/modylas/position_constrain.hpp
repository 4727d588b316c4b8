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

/// Atoms that are held: the block `<position constrain>` of a .mdff file or, if there is none, a
/// file NAME.posiconst (formerly posi_const.dat). Sources: MODYLAS 1.1.0, its module
/// position_constrain and the reader of sessions 1.0.0. The harmonic energy is K r^2, which counts
/// in no virial; heavy atoms are those above 1.5 u; numbers of species, molecules and atoms count
/// from 0.
class PositionConstrain {
 public:
  enum class Kind { none, harmonic, huge_mass, fix };

  /// Reads the block of a .mdff file.
  void read(Values& values, const Block& block);
  /// Reads a .posiconst file, with the path relative to the input's folder.
  void read_file(Values& values, const std::string& file);

  Kind kind() const { return kind_; }
  /// Whether held atoms do not move at all.
  bool freezes() const { return kind_ == Kind::huge_mass || kind_ == Kind::fix; }

  /// Consecutive molecules of a species in which the same atoms are frozen.
  struct Run {
    std::int64_t count;
    std::vector<char> frozen;  ///< by atom
  };
  /// The runs of the next species. `mass`: of its atoms.
  std::vector<Run> next_species(std::int64_t count, std::span<const double> mass);

  /// Writes the [[restraint]] to the draft, with warnings. Must be called when all species are
  /// known. `path`: the .mdff file, which may contain the positions.
  void write(ForeignDraft& draft, const std::string& path);

 private:
  using Range = std::pair<std::int64_t, std::int64_t>;  ///< ids from 1, both ends included
  using Molecules = std::vector<std::pair<std::int64_t, std::int64_t>>;
  /// A species that was read.
  struct Species {
    std::int64_t count, atoms, first_id;
  };
  void atoms(const Block& block);
  void positions(const Block& block);
  /// The molecules of a species at which a run of molecules with the same frozen atoms may begin.
  /// `chosen`: those that the input names.
  std::set<std::int64_t> begins_of_runs(const Species& species,
                                        const std::set<std::int64_t>& chosen) const;
  /// Whether an atom is held if its molecule is.
  bool holds(std::int64_t id, double mass) const;
  void check_ensemble(const ForeignDraft& draft);
  std::vector<Range> held_ranges() const;
  std::string selection() const;
  void decide(ForeignDraft& draft, std::string_view key) const;

  Values* values_ = nullptr;
  std::string_view word_;  ///< place of the kind, for messages
  std::string_view molecules_word_;
  Kind kind_ = Kind::none;
  double force_constant_ = 0.0;
  bool heavy_only_ = false;
  bool has_places_ = false;
  std::string file_;  ///< the .posiconst file; empty: none
  /// Numbers of species and molecule; nothing: all.
  std::optional<Molecules> molecules_;
  std::vector<std::string_view> molecule_words_;
  std::set<std::int64_t> free_;  ///< ids of free atoms, from 1
  std::vector<Range> listed_;    ///< held atoms in a .posiconst file
  std::vector<Species> species_;
  std::int64_t next_id_ = 1;
};

}  // namespace sterna::md::modylas
