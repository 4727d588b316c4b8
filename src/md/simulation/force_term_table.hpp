#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/registry.hpp"
#include "md/domain/decomposition.hpp"
#include "md/forces/force_term.hpp"
#include "md/input/input.hpp"
#include "md/input/physics_row.hpp"
#include "md/simulation/interaction.hpp"
#include "md/system/added_fields.hpp"
#include "md/system/molecule_places.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The arguments from which a term is made. All of them outlive the term.
struct TermRequest {
  const comm::Context& context;
  const Input& input;
  const Interaction& interaction;
  const Decomposition& decomposition;
  const Box& box;
  double skin;                                             ///< length
  std::shared_ptr<const MoleculePlaces> places = nullptr;  ///< of flexible molecules; null: none
  /// The added fields of the particles, to which a term may add its own; it then has numbers for all
  /// local particles. Null only outside of a run.
  AddedFields* fields = nullptr;
  /// The terms of the rows before, which live as long as the term that is made.
  std::span<const std::unique_ptr<ForceTerm>> earlier = {};
};

/// A kind of force term besides the short-range forces of the neighbor list.
struct ForceTermRow {
  std::string_view name;      ///< `ForceTerm::name`
  std::string_view sentence;  ///< description for the user
  /// Collective. Null if the input does not ask for such a term. Throws std::invalid_argument if it
  /// asks for a combination that is impossible.
  std::unique_ptr<ForceTerm> (*make)(const TermRequest& request);
  /// The sections, checks and advice of the term's input. Null if another row or kind of physics
  /// has them.
  PhysicsRow (*physics)() = nullptr;
};

/// The rows. A new one stands in a file of its own in `force_terms/`.
namespace force_term {
#define STERNA_FORCE_TERM(name) ForceTermRow name();
#include "md/simulation/force_term_list.inc"
#undef STERNA_FORCE_TERM
}  // namespace force_term

/// All kinds, in the order in which they add to the forces.
const Registry<ForceTermRow>& force_term_table();

/// Collective. The terms that an input asks for, in the order of the table.
std::vector<std::unique_ptr<ForceTerm>> make_force_terms(const TermRequest& request);

}  // namespace sterna::md
