#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/core/precision.hpp"
#include "md/forces/short_range_forces.hpp"
#include "md/input/input.hpp"
#include "md/input/many_body_input.hpp"
#include "md/input/physics_row.hpp"
#include "md/model/library/published_model.hpp"

namespace sterna::md {

/// A many-body potential of an input's types, in internal units.
class ManyBodyPotential {
 public:
  virtual ~ManyBodyPotential() = default;

  /// The longest of all pairs of types.
  virtual double cutoff() const = 0;
  /// The minima of the energies of two lone atoms: the shortest distance and the deepest energy.
  virtual double shortest_dimer() const = 0;
  virtual double deepest_dimer() const = 0;
  /// A skin for the neighbor list that serves most states.
  virtual double usual_skin() const = 0;
  /// What a user should know of these parameters, a sentence each.
  virtual std::vector<std::string> warnings() const { return {}; }
  /// The forces; `has_it`: by type, whether it has this potential.
  virtual std::unique_ptr<ShortRangeForces> forces(std::vector<char> has_it, Precision precision,
                                                   std::string_view kernels) const = 0;
};

/// A potential whose parameters are a model.
template <class Model>
class ModelPotential : public ManyBodyPotential {
 public:
  /// `skin`: the usual one, in cutoffs.
  ModelPotential(Model model, double skin)
      : model_(std::move(model)), skin_(skin), dimer_(model_.strongest_dimer()) {}
  double cutoff() const final { return model_.cutoff(); }
  double shortest_dimer() const final { return dimer_.length; }
  double deepest_dimer() const final { return dimer_.energy; }
  double usual_skin() const final { return skin_ * model_.cutoff(); }

 protected:
  Model model_;

 private:
  double skin_;
  typename Model::Dimer dimer_;  ///< kept, because its scan takes long and each sampled step asks
};

/// All that the rest of the engine knows of one many-body potential. Its names are those of
/// `many_body_names`.
struct ManyBodyRow {
  ManyBodyKind kind;
  std::string_view noun;  ///< in messages: "Tersoff's potential"
  ParameterFile file;
  bool needs_file;                        ///< no parameters are known by name
  std::string_view second_file_key = {};  ///< of [interaction], if there is a second file
  std::vector<AddedKey> (*keys)();
  /// The potential of the input's types. `text`: of the file, if the input names one. Throws
  /// ManyBodyInputError for unknown parameters and mistakes in the file.
  std::unique_ptr<ManyBodyPotential> (*potential)(const Input& input, std::string_view text);
  /// The publications of the published parameters that the input's types use; null if there are none.
  std::vector<std::string_view> (*citations)(const Input& input) = nullptr;
  std::span<const Citation> papers = {};  ///< all of these
};

/// The rows, in the order of `many_body_names`.
std::span<const ManyBodyRow> many_body_rows();

ManyBodyRow tersoff_row();
ManyBodyRow stillinger_weber_row();
ManyBodyRow embedded_atom_row();
ManyBodyRow snap_row();
ManyBodyRow ace_row();

/// Throws ManyBodyInputError: no published parameters of `noun` have the name that a type has.
[[noreturn]] void throw_no_published_parameters(const Input& input, std::size_t type,
                                                ManyBodyKind kind, std::string_view noun,
                                                std::span<const std::string_view> known);

}  // namespace sterna::md
