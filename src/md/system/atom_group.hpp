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

/// A named group of particles, selected by an expression of the selection language. An atom of a
/// flexible molecule is known by its place in its molecule. Without flexible molecules each
/// particle is a molecule and a residue, with the name of its type and its id as its number.
///
/// If the expression asks for positions, the members can differ from frame to frame.
class AtomGroup {
 public:
  /// The properties of a particle that an expression can ask for.
  struct Particle {
    std::string name, type, molecule, residue;
    double mass, charge;  ///< in the units of the input
  };
  /// `topology` must outlive the group; an empty one has no flexible molecules. `particles` has a
  /// row for each atom of each kind of molecule, one kind after another, or for each type.
  AtomGroup(std::string name, const SelectionExpression& expression, const Topology& topology,
            const std::vector<Particle>& particles, const UnitSystem& units);

  const std::string& name() const { return name_; }
  bool depends_on_position() const { return depends_on_position_; }
  /// Whether particles that one row describes are all in the group, or none of them.
  bool depends_on_row_only() const { return depends_on_row_only_; }

  /// Any periodic image of the position gives the same result.
  bool contains(std::int64_t id, const Position& position, const Box& box) const;
  /// The same for a group that does not ask for positions. `type` is ignored if there are flexible
  /// molecules.
  bool contains(std::int64_t id, std::int64_t type) const;

  /// Whether any atom of this kind of molecule can be in the group.
  bool may_contain_molecule(std::size_t kind) const;
  /// Whether any particle that this row of the constructor's `particles` describes can be.
  bool may_contain_row(std::size_t row) const { return may_contain_[row] != 0; }

 private:
  struct Test {
    SelectionExpression::Step step;
    std::vector<char> of_row{};  ///< tests of texts, masses, charges: the result for each row
    double unit = 1.0;           ///< tests of positions: the input's unit, per internal unit
  };
  bool evaluate(std::int64_t id, std::int64_t type, const Vec3* place) const;
  bool run(std::size_t row, std::int64_t residue, std::int64_t id, const Vec3* place) const;

  std::string name_;
  const Topology* topology_;
  std::vector<Test> tests_;
  std::vector<std::size_t> first_row_;  ///< first row of each kind of molecule
  std::vector<char> may_contain_;       ///< for each row
  bool depends_on_position_ = false;
  bool depends_on_row_only_ = false;  ///< then `may_contain_` is the answer
};

}  // namespace sterna::md
