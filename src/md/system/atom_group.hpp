#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/units.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/selection_expression.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// Some of the particles, by a name, as an expression of the selection language selects them. Atoms
/// of flexible molecules are told apart by their places in their molecules; without these each
/// particle is a molecule and a residue, which has the name of its type and its id as its number.
///
/// A group that asks for positions is another one in each frame.
class AtomGroup {
 public:
  /// What particles are, as an expression asks for it.
  struct Particle {
    std::string name, type, molecule, residue;
    double mass, charge;  ///< in the units of the input
  };
  /// `topology` lives as long as the group; empty: there are no flexible molecules. `particles`:
  /// of the atoms of its kinds of molecules, one kind after the other, or of each type.
  AtomGroup(std::string name, const SelectionExpression& expression, const Topology& topology,
            const std::vector<Particle>& particles, const UnitSystem& units);

  const std::string& name() const { return name_; }
  bool depends_on_position() const { return depends_on_position_; }

  /// Any image of the position will do.
  bool contains(std::int64_t id, const Position& position, const Box& box) const;
  /// The same of a group that does not ask for positions. `type` is not read where there are
  /// flexible molecules.
  bool contains(std::int64_t id, std::int64_t type) const;

  /// Whether any atom of this kind of molecule can be in it.
  bool may_contain_molecule(std::size_t kind) const;
  /// Whether any of those can that a row of the constructor's `particles` describes.
  bool may_contain_row(std::size_t row) const { return may_contain_[row] != 0; }

 private:
  struct Test {
    SelectionExpression::Step step;
    std::vector<char> of_row{};  ///< of texts, masses and charges: the result of each row
    double unit = 1.0;           ///< of positions: what an internal length is in those of the input
  };
  bool evaluate(std::int64_t id, std::int64_t type, const Vec3* place) const;
  bool run(std::size_t row, std::int64_t residue, std::int64_t id, const Vec3* place) const;

  std::string name_;
  const Topology* topology_;
  std::vector<Test> tests_;
  std::vector<std::size_t> first_row_;  ///< of each kind of molecule
  std::vector<char> may_contain_;       ///< of each row
  bool depends_on_position_ = false;
  bool depends_on_row_only_ = false;  ///< then `may_contain_` is the answer
};

}  // namespace sterna::md
