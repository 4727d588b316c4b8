// Idea:    a rank computes the energies of its own atoms; the forces of these energies on ghosts are
//          returned.
// Paper:   Tadmor, Elliott, Sethna, Miller and Becker, JOM 63, 17 (2011).
// Cost:    a halo of its own, as wide as the model's influence distance, and full rows. A model takes
//          1 to 300 microseconds an atom, against which both are small.
// Hazards: a model is code of others: it may print, and it may report an error for a place of atoms
//          that its tables do not have.
#include "md/forces/kim/kim_forces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "md/core/agreement.hpp"
#include "md/core/display_text.hpp"

namespace sterna::md {

KimForces::KimForces(const comm::Context& context, const Decomposition& decomposition,
                     KimModel model, Options options)
    : context_(context),
      model_(std::move(model)),
      options_(std::move(options)),
      neighborhood_(
          context, decomposition,
          {.range = options_.length_unit * std::max(model_.influence_distance(), model_.cutoff()),
           .skin = options_.skin,
           .cutoff = options_.length_unit * model_.cutoff(),
           .ghost_steps = model_.needs_rows_of_ghosts() ? std::numeric_limits<int>::max() : 0,
           .unlisted_types = [&] {
             std::vector<char> unlisted;
             for (const int code : options_.code_of_type) unlisted.push_back(code < 0);
             return unlisted;
           }()}) {}

void KimForces::rebuild(const ParticleStore& particles) {
  neighborhood_.rebuild(particles);
  const ParticleStore& atoms = neighborhood_.atoms();
  // A type that the model does not know is in no row, so any code of the model does.
  const int any = *std::ranges::max_element(options_.code_of_type);
  code_.resize(atoms.total_count());
  is_local_.resize(atoms.total_count());
  for (std::size_t i = 0; i < atoms.total_count(); ++i) {
    const int code = options_.code_of_type[static_cast<std::size_t>(atoms.position[i].type)];
    code_[i] = code < 0 ? any : code;
    is_local_[i] = i < atoms.local_count() && code >= 0 ? 1 : 0;
  }
}

void KimForces::finish(ParticleStore& particles, EnergyAndVirial* sums) {
  neighborhood_.finish();
  const ParticleStore& atoms = neighborhood_.atoms();
  const double per_length = 1.0 / options_.length_unit;
  coordinates_.resize(3 * atoms.total_count());
  force_.resize(coordinates_.size());
  for (std::size_t i = 0; i < atoms.total_count(); ++i) {
    const Position& p = atoms.position[i];
    coordinates_[3 * i] = per_length * p.x;
    coordinates_[3 * i + 1] = per_length * p.y;
    coordinates_[3 * i + 2] = per_length * p.z;
  }
  double energy = 0.0;
  const bool well =
      model_.compute({code_, is_local_, coordinates_, neighborhood_.rows()}, force_, energy);
  agree(context_, well ? std::string()
                       : fmt::format("the model {} of KIM reports an error at step {} on rank {}: "
                                     "it may not know such places of atoms, for example a density "
                                     "beyond its tables",
                                     quote(options_.model), step_, context_.rank()));
  const double unit = options_.energy_unit * per_length;
  const std::span<PaddedForce> force = neighborhood_.force();
  for (std::size_t i = 0; i < force.size(); ++i) {
    force[i] = {unit * force_[3 * i], unit * force_[3 * i + 1], unit * force_[3 * i + 2], 0.0};
  }
  if (sums != nullptr) sums->energy += options_.energy_unit * energy;
  neighborhood_.return_forces(particles, sums);
}

ForceTerm::Settings KimForces::settings() const {
  return {{"kim_model", options_.model},
          {"kim_influence_distance", options_.length_unit * model_.influence_distance()}};
}

std::string KimForces::description() const {
  return fmt::format("forces of the KIM model {}, influence distance {:.4g} A", options_.model,
                     model_.influence_distance());
}

}  // namespace sterna::md
