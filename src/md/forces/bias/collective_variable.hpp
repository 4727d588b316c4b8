#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/axis.hpp"
#include "md/core/box.hpp"
#include "md/core/registry.hpp"
#include "md/forces/bias/group_members.hpp"

namespace sterna::md {

/// A number that follows from the positions of groups of atoms, with its derivatives. The atoms of a
/// group may be on any ranks. Ranks never gather the atoms of a large group: each adds what it has to
/// some sums, from which the number follows. In each step `BiasForces` calls, on all ranks,
///
///     add_sums(groups, sums)            this rank's share; centers of groups are summed besides
///     add_second_sums(groups, ...)      where a variable needs a second reduction
///     evaluate(groups, sums, ...)       from the sums over all ranks
///     add_forces(factor, ...)           factor times the derivatives by this rank's atoms
class CollectiveVariable {
 public:
  using Groups = std::span<const GroupMembers>;

  virtual ~CollectiveVariable() = default;

  /// The number of sums that the variable needs besides the centers of its groups.
  virtual std::size_t sum_count(Groups) const { return 0; }
  virtual void add_sums(Groups, std::span<double> /*sums*/) {}
  virtual std::size_t second_sum_count(Groups) const { return 0; }
  virtual void add_second_sums(Groups, std::span<const double> /*sums*/, const Box&,
                               std::span<double> /*second*/) {}

  /// Why these groups, whose atoms are counted, cannot have the variable; empty: they can.
  virtual std::string problem_of(Groups) const { return {}; }

  /// The value, in internal units and radians. Keeps what `add_forces` needs.
  virtual double evaluate(Groups groups, std::span<const double> sums,
                          std::span<const double> second, const Box& box) = 0;
  /// The derivatives by a strain, after `evaluate`; the same on all ranks.
  virtual StrainDerivatives strain() const = 0;
  /// Adds `factor` times the derivatives to the forces of this rank's atoms, after `evaluate`.
  virtual void add_forces(double factor, Groups groups, std::span<Vec3> forces) const = 0;

  /// The length after which the value repeats; 0: it does not.
  virtual double period(const Box&) const { return 0.0; }
  /// The least value of a period.
  virtual double least() const { return 0.0; }

  /// Whether it needs the number of each member in the order of ids (`GroupMembers::number`).
  virtual bool needs_numbers() const { return false; }
  /// Whether it needs positions of a start or of a file to compare with: of its first group, relative
  /// to their center, in the order of ids.
  virtual bool needs_reference() const { return false; }
  virtual void set_reference(std::vector<Vec3>) {}
  virtual std::span<const Vec3> reference() const { return {}; }
};

/// A variable of the centers of its groups alone.
class CenterVariable : public CollectiveVariable {
 public:
  double evaluate(Groups groups, std::span<const double>, std::span<const double>,
                  const Box& box) final;
  StrainDerivatives strain() const final { return strain_; }
  void add_forces(double factor, Groups groups, std::span<Vec3> forces) const final;

 protected:
  /// The value for these centers, its derivatives by each of them, and those by a strain.
  virtual double of_centers(std::span<const Vec3> centers, const Box& box,
                            std::span<Vec3> gradients, StrainDerivatives& strain) const = 0;

 private:
  std::vector<Vec3> gradients_;
  StrainDerivatives strain_{};
};

/// What an input says of a variable, in internal units.
struct VariableOptions {
  std::string name, kind;
  std::vector<std::string> groups;
  Axis axis = Axis::z;
  double radius = 0.0;         ///< of a coordination number
  int power = 6;               ///< of the numerator of its switching function
  int lower_power = 12;        ///< of the denominator
  double cutoff = 0.0;         ///< of a coordination number; 0: none
  bool mass_weighted = false;  ///< of a fit
  std::string reference_file;  ///< relative to the input
};

/// What the values of a variable are.
enum class VariableUnit { length, angle, number };

/// A kind of variable, declared in its file.
struct VariableRow {
  std::string_view name;
  std::string_view sentence;
  std::size_t least_groups, most_groups;
  VariableUnit unit;
  std::vector<std::string_view> keys = {};  ///< which keys of [[variable]] only some kinds have
  std::vector<std::string_view> aliases = {};
  /// Whether it stays where all atoms are shifted alike.
  bool (*is_translation_invariant)(std::size_t groups) = [](std::size_t) { return true; };
  /// Whether it stays where all atoms are rotated alike, far from any image.
  bool is_rotation_invariant = true;
  /// Along which axes a group must be shorter than the box.
  std::array<bool, 3> (*narrow_axes)(const VariableOptions& options) = [](const VariableOptions&) {
    return std::array{true, true, true};
  };
  std::unique_ptr<CollectiveVariable> (*make)(const VariableOptions& options) = nullptr;
};

/// The rows, each defined in the variable's own file.
namespace variable {
#define STERNA_VARIABLE(name) VariableRow name();
#include "md/forces/bias/variable_list.inc"
#undef STERNA_VARIABLE
}  // namespace variable

/// All kinds, in the order of the reference page.
const Registry<VariableRow>& variable_table();

}  // namespace sterna::md
