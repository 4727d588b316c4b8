// Idea:    molecules that a rank has as a whole are computed in parallel lanes, and so are
//          molecules with atoms on several ranks that it computes for all of these
//          (system/spanning_molecules.hpp). Of other molecules each rank computes every term of its
//          own atoms, once, and keeps the forces on its own atoms and their share of the energy. A
//          term across a border is computed on two or more ranks, and no forces are exchanged.
//          Images are chosen at rebuilds, from each atom of a chain to the next one, so a molecule
//          may be longer than the box, or bonded to itself through it.
// Source:  general.
// Cost:    for long molecules, terms across borders are computed several times: in a cube of 10 nm,
//          about a fifth of all.
// Hazards: the atoms of a term must be within the halo of the rank of any of them.
// Others:  one rank for each term of a long molecule, with forces sent back.

#include "md/forces/bonded/bonded_forces.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

#include "md/core/agreement.hpp"
#include "md/forces/bonded/bonded_table.hpp"
#include "md/simd/instruction_set.hpp"

namespace sterna::md {
namespace {

const BondedKernels& select_bonded_kernels(std::string_view name) {
  return select_kernels(available_kernels<BondedKernels>(STERNA_KERNEL_FAMILY(bonded_kernels)),
                        name);
}

template <class Work>
EnergyAndVirial sums_of(const Work& work) {
  EnergyAndVirial sums;
  sums.energy = work.energy;
  std::copy_n(work.virial, 6, sums.virial);
  return sums;
}

}  // namespace

BondedForces::BondedForces(const comm::Context& context,
                           std::shared_ptr<const MoleculePlaces> places, Precision precision,
                           std::string_view kernels)
    : context_(context),
      places_(std::move(places)),
      precision_(precision),
      kernels_(select_bonded_kernels(kernels)) {
  const auto& table = bonded_table();
  kind_of_.assign(table.size(), 0);
  for (std::uint32_t number = 0; number < table.size(); ++number) {
    if (!places_->topology().has_terms(number)) continue;
    kind_of_[number] = static_cast<std::uint32_t>(kinds_.size());
    Kind& kind = kinds_.emplace_back();
    kind.number = number;
    const std::span<const double> coefficients = places_->topology().coefficients(number);
    kind.coefficients.assign(coefficients.begin(), coefficients.end());
    kind.coefficients.resize(coefficients.size() + 3);
    parts_.push_back({table[number].energy_name, 0.0, 0.0});
  }
  sums_of_kind_.resize(kinds_.size());
  for (const Topology::Molecule& molecule : places_->topology().molecules()) {
    auto& all = molecules_.emplace_back().terms;
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
      Molecule::Terms terms{kind, {}, {}};
      for (const Topology::Term& term : molecule.terms) {
        if (term.kind != kinds_[kind].number) continue;
        terms.atoms.insert(terms.atoms.end(), term.atoms.begin(), term.atoms.begin() + term.size);
        terms.row.push_back(term.coefficients);
      }
      if (!terms.row.empty()) all.push_back(std::move(terms));
    }
  }
}

void BondedForces::rebuild(const ParticleStore& particles) {
  for (Kind& kind : kinds_) {
    kind.places.clear();
    kind.row.clear();
  }
  const Topology& topology = places_->topology();
  std::string missing;
  for (std::uint32_t i = 0; i < particles.local_count() && missing.empty(); ++i) {
    if (places_->in_whole(i) || places_->spanning().has(i)) continue;
    const Topology::Place place = topology.place_of(particles.id[i]);
    const auto& terms = topology.molecules()[place.molecule].terms;
    for (const std::uint32_t t : topology.terms_of(place)) {
      add(kinds_[kind_of_[terms[t].kind]], particles, i, place, terms[t], missing);
    }
  }
  agree(context_, missing);
}

void BondedForces::add(Kind& kind, const ParticleStore& particles, std::uint32_t particle,
                       const Topology::Place& place, const Topology::Term& term,
                       std::string& missing) {
  const std::size_t size = term.size;
  const auto id = [&](std::size_t k) { return place.first_id + term.atoms[k]; };
  std::array<std::uint32_t, std::tuple_size_v<decltype(Topology::Term::atoms)>> places;
  std::size_t own = 0;
  while (id(own) != particles.id[particle]) {
    // A term with several local atoms is added once, by the first of them.
    if (places_->local(id(own))) return;
    ++own;
  }
  places[own] = particle;
  const auto follow = [&](std::size_t from, std::size_t to) {
    const auto found = places_->nearest(id(to), particles.position[places[from]].vector());
    if (!found && missing.empty()) {
      missing = places_->missing(id(own), id(to), context_.rank());
    }
    places[to] = found.value_or(places[from]);
  };
  for (std::size_t k = own; k-- > 0;) follow(k + 1, k);
  for (std::size_t k = own + 1; k < size; ++k) follow(k - 1, k);
  kind.places.insert(kind.places.end(), places.begin(), places.begin() + term.size);
  kind.row.push_back(term.coefficients);
}

void BondedForces::compute_spanning(SpanningMolecules& molecules, bool with_sums) {
  for (std::uint32_t molecule = 0; molecule < molecules_.size(); ++molecule) {
    compute_molecules(molecule, molecules.of_kind(molecule, room_), with_sums);
  }
}

void BondedForces::finish(ParticleStore& particles, EnergyAndVirial* sums) {
  for (std::uint32_t molecule = 0; molecule < molecules_.size(); ++molecule) {
    compute_molecules(molecule, places_->whole_batch(molecule, particles.force.data(), room_),
                      sums != nullptr);
  }
  compute_one_by_one(particles, sums != nullptr);
  if (sums == nullptr) return;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    parts_[k].energy = sums_of_kind_[k].energy;
    parts_[k].virial = sums_of_kind_[k].virial_trace();
    *sums += sums_of_kind_[k];
    sums_of_kind_[k] = {};
  }
}

void BondedForces::compute_molecules(std::uint32_t molecule, const MoleculeBatch& molecules,
                                     bool with_sums) {
  const auto& own = molecules_[molecule].terms;
  if (own.empty() || molecules.count == 0) return;
  std::vector<TermsOfMolecule> terms;
  for (const Molecule::Terms& of_kind : own) {
    const Kind& kind = kinds_[of_kind.kind];
    terms.push_back({kind.number,
                     of_kind.row.size(),
                     of_kind.atoms.data(),
                     of_kind.row.data(),
                     kind.coefficients.data(),
                     0.0,
                     {}});
  }
  MoleculeWork work{molecules, terms.data(), terms.size(), with_sums};
  (precision_ == Precision::mixed ? kernels_.molecules_mixed : kernels_.molecules_in_double)(work);
  for (std::size_t k = 0; k < own.size(); ++k) {
    sums_of_kind_[own[k].kind] += sums_of(terms[k]);
  }
}

void BondedForces::compute_one_by_one(ParticleStore& particles, bool with_sums) {
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    const Kind& kind = kinds_[k];
    BondedWork work{};
    work.position = particles.position.data();
    work.count = kind.row.size();
    work.places = kind.places.data();
    work.local_of_ghost = places_->local_of_ghosts().data();
    work.local_count = particles.local_count();
    work.row = kind.row.data();
    work.coefficients = kind.coefficients.data();
    work.with_sums = with_sums;
    work.force = particles.force.data();
    const BondedKernels::OfTerm& compute = kernels_.terms[kind.number];
    (precision_ == Precision::mixed ? compute.mixed : compute.in_double)(work);
    sums_of_kind_[k] += sums_of(work);
  }
}

ForceTerm::Settings BondedForces::settings() const {
  const Topology& topology = places_->topology();
  Settings settings{{"molecules", topology.molecule_count()}, {"atoms", topology.atom_count()}};
  for (const Kind& kind : kinds_) {
    std::int64_t count = 0;
    for (const Topology::Run& run : topology.runs()) {
      const auto& terms = topology.molecules()[run.molecule].terms;
      count += run.count * std::ranges::count(terms, kind.number, &Topology::Term::kind);
    }
    settings.emplace_back(std::string(bonded_table()[kind.number].energy_name), count);
  }
  return settings;
}

}  // namespace sterna::md
