#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/registry.hpp"
#include "md/domain/decomposition.hpp"
#include "md/forces/force_term.hpp"
#include "md/input/input.hpp"
#include "md/simulation/interaction.hpp"
#include "md/system/molecule_places.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// What a term can be made from. All of it outlives the term.
struct TermRequest {
  const comm::Context& context;
  const Input& input;
  const Interaction& interaction;
  const Decomposition& decomposition;
  const Box& box;
  double skin;                                             ///< length
  std::shared_ptr<const MoleculePlaces> places = nullptr;  ///< of flexible molecules
};

/// A kind of force term besides the short-range forces of the neighbor list.
struct ForceTermRow {
  std::string_view name;      ///< `ForceTerm::name`
  std::string_view sentence;  ///< what it is, for people
  /// Collective. Nothing where the input does not ask for such a term. Throws
  /// std::invalid_argument where it asks for what cannot be.
  std::unique_ptr<ForceTerm> (*make)(const TermRequest& request);
};

/// All kinds, in the order in which they add to the forces. A new one is a row here.
const Registry<ForceTermRow>& force_term_table();

/// Collective. The terms that an input asks for, in the order of the table.
std::vector<std::unique_ptr<ForceTerm>> make_force_terms(const TermRequest& request);

}  // namespace sterna::md
