// Idea:    the particles around a rank are sorted into cells of half the range, and what turns with
//          them is turned once for all molecules that are inserted. The cells are visited from the
//          nearest on, so that an overlap is found with the first neighbors.
// Source:  Widom, J. Chem. Phys. 39, 2808 (1963).
// Cost:    for each molecule, its pairs of sites within the range in plain double precision; most
//          molecules in a liquid overlap with one of the first.
// Hazards: a potential without a hard core, whose energy falls without end at short distances, has
//          its barrier as its core.
// Others:  grids of energies, where many molecules meet a rigid host.

#include "md/observe/inserted_molecule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "md/forces/molecular/input/molecule_model_from_input.hpp"
#include "md/forces/pair/input/pair_functions_from_input.hpp"
#include "md/neighbors/pair_list.hpp"

namespace sterna::md {
namespace {

/// The distance along each axis is in cells of a fraction of the range.
constexpr int insertion_cells_in_range = 2;

double extent_of(const Component& component) {
  double farthest = 0.0;
  const auto reach = [&](const auto& sites) {
    for (const auto& site : sites) farthest = std::max(farthest, length(site.position));
  };
  reach(component.lennard_jones);
  reach(component.charges);
  reach(component.dipoles);
  reach(component.quadrupoles);
  return farthest;
}

/// The id of what has none. It differs from `no_particle`.
constexpr std::int64_t unknown_particle = -2;

}  // namespace

Quaternion random_orientation(RandomSequence& numbers) {
  Quaternion turn{};
  do {
    turn = {numbers.normal(), numbers.normal(), numbers.normal(), numbers.normal()};
  } while (!(turn.norm_squared() > 0.0));
  return turn.normalized();
}

InsertedMolecule::InsertedMolecule(const comm::Context& context, const Input& input,
                                   const Topology& topology, std::span<const std::size_t> kinds,
                                   double hard)
    : model_(molecule_model_from_input(input)),
      hard_(hard),
      corrected_(input.interaction.tail_correction == TailCorrection::homogeneous),
      topology_(topology) {
  for (const Component& component : model_.components) shapes_.push_back(shape_of(component));
  std::vector<PairFunction> functions;
  std::vector<std::vector<PairFunction>> layers;
  const std::size_t atoms = model_.atom_types;
  if (atoms > 0) {
    functions = pair_functions_from_input(input);
    layers = added_layers_from_input(input);
  }
  const std::size_t count = this->kinds();
  tails_.resize(count * count);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      if (!model_.are_atoms(a, b)) {
        pairs_.push_back(sites_between(a, b));
        continue;
      }
      std::vector<PairFunction> of_pair{functions[a * atoms + b]};
      for (const auto& layer : layers) of_pair.push_back(layer[a * atoms + b]);
      for (const PairFunction& function : of_pair) {
        const PairFunction::Tail tail = function.tail();
        tails_[a * count + b].energy += tail.energy;
        tails_[a * count + b].near_energy += tail.near_energy;
      }
      pairs_.push_back(functions_between(std::move(of_pair)));
    }
  }
  for (const KindPair& pair : pairs_) range_ = std::max(range_, std::sqrt(pair.range_squared));
  add_charges(context, input, kinds);
  if (corrected_ && count > atoms) molecules_beyond_.emplace(model_);
  const int far = insertion_cells_in_range;
  for (int z = -far; z <= far; ++z) {
    for (int y = -far; y <= far; ++y) {
      for (int x = -far; x <= far; ++x) offsets_.push_back({x, y, z});
    }
  }
  std::ranges::stable_sort(offsets_, {}, [](const CellOffset& offset) {
    return offset.x * offset.x + offset.y * offset.y + offset.z * offset.z;
  });
}

void InsertedMolecule::add_charges(const comm::Context& context, const Input& input,
                                   std::span<const std::size_t> inserted) {
  const Input::Electrostatics& wanted = input.electrostatics;
  if (!wanted.is_used() || wanted.ends_at_cutoff()) return;
  const double factor = 1.0 / std::sqrt(wanted.permittivity);
  atom_charge_factor_ = factor;
  for (const Component& component : model_.components) {
    auto& sites = charge_sites_.emplace_back();
    for (const auto& site : component.charges) {
      if (site.charge != 0.0) sites.push_back({site.position, factor * site.charge, {}});
    }
    for (const auto& site : component.dipoles) {
      sites.push_back({site.position, 0.0, factor * site.moment});
    }
  }
  const auto has_charges = [&](std::size_t kind) { return !charge_sites_[kind].empty(); };
  if (std::ranges::none_of(inserted, has_charges)) return;
  range_ = std::max(range_, model_.cutoff);
  // The energy is as exact as the forces of the run.
  charges_.emplace(context, wanted.accuracy);
  for (std::size_t a = 0; a < kinds(); ++a) {
    for (std::size_t b = 0; b < kinds(); ++b) {
      const bool acts = has_charges(a) && (has_charges(b) || b < model_.atom_types);
      if (acts) pairs_[a * kinds() + b].range_squared = range_ * range_;
    }
  }
}

void InsertedMolecule::place_charges(std::size_t kind, std::int64_t id, const Vec3& center,
                                     const Quaternion& orientation,
                                     std::vector<InsertedCharges::Site>& sites) const {
  if (kind < model_.atom_types && !topology_.empty()) {
    const Topology::Place place = topology_.place_of(id);
    const double charge =
        topology_.molecules()[place.molecule].atoms[static_cast<std::size_t>(place.atom)].charge;
    if (charge != 0.0) sites.push_back({center, atom_charge_factor_ * charge, {}});
    return;
  }
  for (const InsertedCharges::Site& site : charge_sites_[kind]) {
    sites.push_back(
        {center + orientation.to_lab(site.position), site.charge, orientation.to_lab(site.dipole)});
  }
}

InsertedMolecule::Shape InsertedMolecule::shape_of(const Component& component) {
  Shape shape;
  const auto point = [&](const Vec3& position) {
    shape.vectors.push_back(position);
    return static_cast<std::uint32_t>(shape.points++);
  };
  for (const auto& site : component.lennard_jones) {
    shape.lennard_jones.push_back(point(site.position));
  }
  for (const auto& site : component.charges) shape.charges.push_back(point(site.position));
  for (const auto& site : component.dipoles) shape.dipoles.push_back(point(site.position));
  for (const auto& site : component.quadrupoles) shape.quadrupoles.push_back(point(site.position));
  const auto direction = [&](const Vec3& vector) {
    shape.vectors.push_back(vector);
    return static_cast<std::uint32_t>(shape.vectors.size() - 1);
  };
  for (const auto& site : component.dipoles) {
    shape.dipole_directions.push_back(direction(site.moment));
  }
  for (const auto& site : component.quadrupoles) {
    shape.quadrupole_directions.push_back(direction(site.axis));
  }
  return shape;
}

InsertedMolecule::KindPair InsertedMolecule::sites_between(std::size_t a, std::size_t b) const {
  const Component &first = model_.components[a], &second = model_.components[b];
  const Shape &here = shapes_[a], &there = shapes_[b];
  KindPair pair;
  const auto add = [&](Term term, std::uint32_t point_a, std::uint32_t point_b, double factor,
                       std::uint32_t direction_a = 0, std::uint32_t direction_b = 0) {
    if (factor == 0.0) return;
    pair.sites.push_back({term, point_a, point_b, direction_a, direction_b, factor, 0.0, 0.0, 0.0});
  };
  const double end = std::pow(model_.lennard_jones_cutoff, -6);
  for (std::size_t i = 0; i < first.lennard_jones.size(); ++i) {
    for (std::size_t j = 0; j < second.lennard_jones.size(); ++j) {
      const auto [epsilon, sigma] =
          model_.mixed(a, first.lennard_jones[i], b, second.lennard_jones[j]);
      if (epsilon == 0.0) continue;
      const double c6 = 4.0 * epsilon * std::pow(sigma, 6), c12 = c6 * std::pow(sigma, 6);
      // u = hard at (sigma / r)^6 = s.
      const double s = 0.5 * (1.0 + std::sqrt(1.0 + hard_ / epsilon));
      const bool is_shifted = model_.shifted[a * kinds() + b] != 0;
      pair.sites.push_back({Term::lennard_jones, here.lennard_jones[i], there.lennard_jones[j], 0,
                            0, c12, c6, is_shifted ? end * (c12 * end - c6) : 0.0,
                            sigma * sigma / std::cbrt(s)});
    }
  }
  const bool charges_here = model_.electrostatics != MoleculeModel::Electrostatics::none;
  for (std::size_t i = 0; i < first.charges.size(); ++i) {
    const double charge = first.charges[i].charge;
    for (std::size_t j = 0; j < second.charges.size() && charges_here; ++j) {
      add(Term::charges, here.charges[i], there.charges[j], charge * second.charges[j].charge);
    }
    for (std::size_t j = 0; j < second.dipoles.size() && charges_here; ++j) {
      add(Term::charge_dipole, here.charges[i], there.dipoles[j], charge, 0,
          there.dipole_directions[j]);
    }
    for (std::size_t j = 0; j < second.quadrupoles.size(); ++j) {
      add(Term::charge_quadrupole, here.charges[i], there.quadrupoles[j],
          charge * second.quadrupoles[j].moment, 0, there.quadrupole_directions[j]);
    }
  }
  for (std::size_t i = 0; i < first.dipoles.size(); ++i) {
    const std::uint32_t direction = here.dipole_directions[i];
    for (std::size_t j = 0; j < second.charges.size() && charges_here; ++j) {
      add(Term::dipole_charge, here.dipoles[i], there.charges[j], second.charges[j].charge,
          direction);
    }
    for (std::size_t j = 0; j < second.dipoles.size() && charges_here; ++j) {
      add(Term::dipoles, here.dipoles[i], there.dipoles[j], 1.0, direction,
          there.dipole_directions[j]);
      if (model_.electrostatics == MoleculeModel::Electrostatics::reaction_field) {
        const double epsilon = model_.reaction_field_epsilon;
        pair.sites.back().factor_2 =
            2.0 * (epsilon - 1.0) / ((2.0 * epsilon + 1.0) * std::pow(model_.cutoff, 3));
      }
    }
    for (std::size_t j = 0; j < second.quadrupoles.size(); ++j) {
      add(Term::dipole_quadrupole, here.dipoles[i], there.quadrupoles[j],
          second.quadrupoles[j].moment, direction, there.quadrupole_directions[j]);
    }
  }
  for (std::size_t i = 0; i < first.quadrupoles.size(); ++i) {
    const double moment = first.quadrupoles[i].moment;
    const std::uint32_t direction = here.quadrupole_directions[i];
    for (std::size_t j = 0; j < second.charges.size(); ++j) {
      add(Term::quadrupole_charge, here.quadrupoles[i], there.charges[j],
          moment * second.charges[j].charge, direction);
    }
    for (std::size_t j = 0; j < second.dipoles.size(); ++j) {
      add(Term::quadrupole_dipole, here.quadrupoles[i], there.dipoles[j], moment, direction,
          there.dipole_directions[j]);
    }
    for (std::size_t j = 0; j < second.quadrupoles.size(); ++j) {
      add(Term::quadrupoles, here.quadrupoles[i], there.quadrupoles[j],
          moment * second.quadrupoles[j].moment, direction, there.quadrupole_directions[j]);
    }
  }
  if (pair.sites.empty()) return pair;
  const bool by_site = model_.cutoff_kind == MoleculeModel::Cutoff::site;
  const double reach = model_.cutoff + (by_site ? extent_of(first) + extent_of(second) : 0.0);
  pair.range_squared = reach * reach;
  // Where both are one site, their centers tell an overlap before anything is turned.
  if (pair.sites.size() == 1 && first.is_single_lennard_jones() &&
      second.is_single_lennard_jones()) {
    pair.core_squared = pair.sites[0].core_squared;
  }
  return pair;
}

InsertedMolecule::KindPair InsertedMolecule::functions_between(
    std::vector<PairFunction> functions) const {
  KindPair pair;
  for (PairFunction& function : functions) {
    if (function.is_nothing()) continue;
    const double core = core_of(function), cutoff = function.cutoff();
    pair.core_squared = std::max(pair.core_squared, core * core);
    pair.range_squared = std::max(pair.range_squared, cutoff * cutoff);
    pair.functions.push_back(std::move(function));
  }
  return pair;
}

/// The largest distance at which the energy is `hard_`, searched from the cutoff inward. 0 if the
/// energy is finite everywhere and never so high.
double InsertedMolecule::core_of(const PairFunction& function) const {
  constexpr int looks = 4000;
  const double cutoff = function.cutoff();
  const auto at = [&](int k) { return cutoff * std::pow(1e-3, static_cast<double>(k) / looks); };
  double highest = -std::numeric_limits<double>::infinity(), barrier = 0.0, lowest = 0.0;
  for (int k = 1; k <= looks; ++k) {
    const double u = function.ended_energy(at(k));
    if (u >= hard_) {
      double inside = at(k), outside = at(k - 1);
      for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (inside + outside);
        (function.ended_energy(middle) >= hard_ ? inside : outside) = middle;
      }
      return inside;
    }
    if (u > highest) highest = u, barrier = at(k);
    lowest = u;
  }
  return lowest < -hard_ ? barrier : 0.0;
}

double InsertedMolecule::energy_of(const SitePair& pair, const Vec3& d, double r2, const Vec3* a,
                                   const Vec3* b) {
  const double y2 = 1.0 / r2;
  if (pair.term == Term::lennard_jones) {
    const double y6 = y2 * y2 * y2;
    return y6 * (pair.factor * y6 - pair.factor_2) - pair.shift;
  }
  const double y = std::sqrt(y2);
  const Vec3 n = y * d;  // from b to a
  const Vec3 &of_a = a[pair.direction_a], &of_b = b[pair.direction_b];
  // The field of a quadrupole, and what it does to a dipole at n from it.
  const auto on_dipole = [&](const Vec3& axis, const Vec3& dipole, const Vec3& from) {
    const double c = dot(axis, from), t = dot(dipole, from), g = dot(dipole, axis);
    return 1.5 * y2 * y2 * (2.0 * c * g + t * (1.0 - 5.0 * c * c));
  };
  switch (pair.term) {
    case Term::charges:
      return pair.factor * y;
    case Term::charge_dipole:
      return pair.factor * y2 * dot(of_b, n);
    case Term::dipole_charge:
      return -pair.factor * y2 * dot(of_a, n);
    case Term::charge_quadrupole: {
      const double c = dot(of_b, n);
      return 0.5 * pair.factor * y2 * y * (3.0 * c * c - 1.0);
    }
    case Term::quadrupole_charge: {
      const double c = dot(of_a, n);
      return 0.5 * pair.factor * y2 * y * (3.0 * c * c - 1.0);
    }
    case Term::dipoles: {
      const double g = dot(of_a, of_b);
      return y2 * y * (g - 3.0 * dot(of_a, n) * dot(of_b, n)) - pair.factor_2 * g;
    }
    case Term::dipole_quadrupole:
      return pair.factor * on_dipole(of_b, of_a, n);
    case Term::quadrupole_dipole:
      return pair.factor * on_dipole(of_a, of_b, -1.0 * n);
    case Term::quadrupoles: {
      const double p = dot(of_a, n), q = dot(of_b, n), g = dot(of_a, of_b);
      const double y5 = y2 * y2 * y;
      return 0.75 * pair.factor * y5 *
             (1.0 + 2.0 * g * g - 5.0 * (p * p + q * q + 4.0 * g * p * q) + 35.0 * p * p * q * q);
    }
    case Term::lennard_jones:
      break;
  }
  return 0.0;
}

void InsertedMolecule::turn(std::size_t kind, const Quaternion& orientation,
                            std::vector<Vec3>& vectors) const {
  const auto turn = orientation.matrix();
  for (const Vec3& body : shapes_[kind].vectors) {
    vectors.push_back({dot(turn[0], body), dot(turn[1], body), dot(turn[2], body)});
  }
}

void InsertedMolecule::find_cells(const Frame& frame) {
  const ParticleStore& particles = frame.particles;
  box_ = frame.box;
  shear_ = frame.box.shear();
  region_low_ = frame.list.grid().low();
  region_high_ = frame.list.grid().high();
  // Without any particle there is one cell without extent.
  low_ = {};
  Vec3 high;
  for (std::size_t i = 0; i < particles.total_count(); ++i) {
    const Vec3 at = shear_.unsheared(particles.position[i].vector());
    for (int axis = 0; axis < 3; ++axis) {
      low_[axis] = i == 0 ? at[axis] : std::min(low_[axis], at[axis]);
      high[axis] = i == 0 ? at[axis] : std::max(high[axis], at[axis]);
    }
  }
  const Vec3 edge = shear_.extent(range_ / insertion_cells_in_range);
  std::size_t count = 1;
  for (int axis = 0; axis < 3; ++axis) {
    per_edge_[axis] = edge[axis] > 0.0 ? 1.0 / edge[axis] : 0.0;
    cells_[axis] = 1 + static_cast<int>((high[axis] - low_[axis]) * per_edge_[axis]);
    count *= static_cast<std::size_t>(cells_[axis]);
  }
  cell_begin_.assign(count + 1, 0);
}

void InsertedMolecule::prepare(const Frame& frame) {
  const ParticleStore& particles = frame.particles;
  find_cells(frame);
  const std::size_t total = particles.total_count();
  std::vector<std::uint32_t> cell_of(total);
  for (std::size_t i = 0; i < total; ++i) {
    const Vec3 at = shear_.unsheared(particles.position[i].vector());
    std::size_t cell = 0;
    for (int axis = 2; axis >= 0; --axis) {
      const int along = static_cast<int>((at[axis] - low_[axis]) * per_edge_[axis]);
      cell = cell * static_cast<std::size_t>(cells_[axis]) +
             static_cast<std::size_t>(std::clamp(along, 0, cells_[axis] - 1));
    }
    cell_of[i] = static_cast<std::uint32_t>(cell);
    ++cell_begin_[cell + 1];
  }
  for (std::size_t cell = 1; cell < cell_begin_.size(); ++cell) {
    cell_begin_[cell] += cell_begin_[cell - 1];
  }
  neighbors_.resize(total);
  sorted_ = total;
  vectors_.clear();
  placed_charges_.clear();
  std::vector<InsertedCharges::Site> own;
  std::vector<std::uint32_t> next(cell_begin_.begin(), cell_begin_.end() - 1);
  for (std::size_t i = 0; i < total; ++i) {
    const auto kind = static_cast<std::size_t>(particles.position[i].type);
    const Quaternion orientation = particles.rotating() ? particles.orientation[i] : Quaternion{};
    Neighbor& neighbor = neighbors_[next[cell_of[i]]++];
    neighbor = {particles.position[i].vector(),
                static_cast<std::uint32_t>(kind),
                static_cast<std::uint32_t>(vectors_.size()),
                static_cast<std::uint32_t>(placed_charges_.size()),
                0,
                unknown_particle};
    if (i < particles.local_count() || particles.ghost_ids()) neighbor.id = particles.id[i];
    turn(kind, orientation, vectors_);
    if (!charges_) continue;
    const std::int64_t id = topology_.empty() ? 0 : particles.id[i];
    place_charges(kind, id, {}, orientation, placed_charges_);
    neighbor.charge_count = static_cast<std::uint32_t>(placed_charges_.size()) - neighbor.charges;
    if (i < particles.local_count()) {
      place_charges(kind, id, neighbor.center, orientation, own);
    }
  }
  if (!charges_) return;
  double extent = 0.0;
  for (const Component& component : model_.components) {
    extent = std::max(extent, extent_of(component));
  }
  charges_->prepare(frame.box, range_ - 2.0 * extent, own);
}

void InsertedMolecule::add(std::size_t kind, const Vec3& center, const Quaternion& orientation,
                           std::int64_t id) {
  const Vec3 reach = shear_.extent(range_);
  for (int a = -1; a <= 1; ++a) {
    for (int b = -1; b <= 1; ++b) {
      for (int c = -1; c <= 1; ++c) {
        const Vec3 image = center + box_.translation(a, b, c);
        const Vec3 at = shear_.unsheared(image);
        bool is_near = true;
        for (int axis = 0; axis < 3; ++axis) {
          is_near = is_near && at[axis] >= region_low_[axis] - reach[axis] &&
                    at[axis] <= region_high_[axis] + reach[axis];
        }
        if (!is_near) continue;
        neighbors_.push_back({image, static_cast<std::uint32_t>(kind),
                              static_cast<std::uint32_t>(vectors_.size()), 0, 0, id});
        turn(kind, orientation, vectors_);
      }
    }
  }
}

void InsertedMolecule::remove(std::int64_t id) {
  // Nothing is in range of it there.
  constexpr double away = std::numeric_limits<double>::infinity();
  for (Neighbor& neighbor : neighbors_) {
    if (neighbor.id == id) neighbor.center = {away, away, away};
  }
}

bool InsertedMolecule::place(std::size_t kind, const Vec3& center, std::int64_t except) {
  kind_ = kind;
  center_ = center;
  found_.clear();
  const Vec3 at = shear_.unsheared(center);
  int cell[3];
  for (int axis = 0; axis < 3; ++axis) {
    cell[axis] = static_cast<int>(std::floor((at[axis] - low_[axis]) * per_edge_[axis]));
  }
  const KindPair* const pairs = pairs_.data() + kind * kinds();
  const auto is_free_of = [&](std::uint32_t n) {
    const Vec3 d = center - neighbors_[n].center;
    const double r2 = dot(d, d);
    const KindPair& pair = pairs[neighbors_[n].kind];
    if (!(r2 < pair.range_squared) || neighbors_[n].id == except) return true;
    if (r2 < pair.core_squared) return false;
    found_.push_back(n);
    return true;
  };
  for (const CellOffset& offset : offsets_) {
    const int x = cell[0] + offset.x, y = cell[1] + offset.y, z = cell[2] + offset.z;
    if (x < 0 || y < 0 || z < 0 || x >= cells_[0] || y >= cells_[1] || z >= cells_[2]) continue;
    const auto index = static_cast<std::size_t>((z * cells_[1] + y) * cells_[0] + x);
    for (std::uint32_t n = cell_begin_[index]; n < cell_begin_[index + 1]; ++n) {
      if (!is_free_of(n)) return false;
    }
  }
  for (std::size_t n = sorted_; n < neighbors_.size(); ++n) {
    if (!is_free_of(static_cast<std::uint32_t>(n))) return false;
  }
  return true;
}

std::optional<double> InsertedMolecule::energy(const Quaternion& orientation) {
  own_.clear();
  turn(kind_, orientation, own_);
  const KindPair* const pairs = pairs_.data() + kind_ * kinds();
  const bool by_site = model_.cutoff_kind == MoleculeModel::Cutoff::site;
  const double end2 = model_.cutoff * model_.cutoff;
  const double lennard_jones_end2 = model_.lennard_jones_cutoff * model_.lennard_jones_cutoff;
  double energy = 0.0;
  for (const std::uint32_t n : found_) {
    const Neighbor& neighbor = neighbors_[n];
    const KindPair& pair = pairs[neighbor.kind];
    const Vec3 between = center_ - neighbor.center;
    const double r2 = dot(between, between);
    if (!pair.functions.empty()) {
      const double r = std::sqrt(r2);
      for (const PairFunction& function : pair.functions) energy += function.ended_energy(r);
      continue;
    }
    const Vec3* const other = vectors_.data() + neighbor.vectors;
    for (const SitePair& sites : pair.sites) {
      const Vec3 d = between + own_[sites.point_a] - other[sites.point_b];
      const double d2 = dot(d, d);
      if (d2 < sites.core_squared) return std::nullopt;
      const double end = sites.term == Term::lennard_jones ? lennard_jones_end2 : end2;
      if ((by_site ? d2 : r2) < end) energy += energy_of(sites, d, d2, own_.data(), other);
    }
  }
  return charges_ ? energy + energy_of_charges(orientation) : energy;
}

double InsertedMolecule::scaled_energy(const KindPair& pair, const Vec3& between, double factor,
                                       const Vec3* own, const Vec3* other) const {
  const bool by_site = model_.cutoff_kind == MoleculeModel::Cutoff::site;
  const double r2 = dot(between, between);
  double energy = 0.0;
  for (const PairFunction& function : pair.functions) {
    const double r = std::sqrt(r2);
    if (r < function.cutoff()) energy += function.energy(factor * r);
  }
  for (const SitePair& sites : pair.sites) {
    const Vec3 apart = own[sites.point_a] - other[sites.point_b];
    const double end =
        sites.term == Term::lennard_jones ? model_.lennard_jones_cutoff : model_.cutoff;
    const Vec3 at = between + apart;
    if ((by_site ? dot(at, at) : r2) >= end * end) continue;
    const Vec3 d = factor * between + apart;
    energy += energy_of(sites, d, dot(d, d), own, other);
  }
  return energy;
}

double InsertedMolecule::second_by_scale(const Frame& frame) {
  // A difference of fourth order: its error is 1e-8 of the repulsion, and rounding is as small.
  constexpr double step = 1e-3;
  const ParticleStore& particles = frame.particles;
  vectors_.clear();
  std::vector<std::uint32_t> begins(particles.total_count());
  for (std::size_t i = 0; i < particles.total_count(); ++i) {
    begins[i] = static_cast<std::uint32_t>(vectors_.size());
    turn(static_cast<std::size_t>(particles.position[i].type),
         particles.rotating() ? particles.orientation[i] : Quaternion{}, vectors_);
  }
  double sum = 0.0;
  frame.list.for_each_neighbor(
      particles, range_, [&](std::uint32_t i, std::uint32_t j, double r_squared) {
        const auto a = static_cast<std::size_t>(particles.position[i].type);
        const auto b = static_cast<std::size_t>(particles.position[j].type);
        const KindPair& pair = pairs_[a * kinds() + b];
        if (r_squared >= pair.range_squared) return;
        const Vec3 between = particles.position[i].vector() - particles.position[j].vector();
        const auto at = [&](double steps) {
          return scaled_energy(pair, between, 1.0 + steps * step, vectors_.data() + begins[i],
                               vectors_.data() + begins[j]);
        };
        const double near = at(1.0) + at(-1.0), far = at(2.0) + at(-2.0);
        // A pair comes twice.
        sum += 0.5 * (16.0 * near - far - 30.0 * at(0.0)) / (12.0 * step * step);
      });
  return sum;
}

double InsertedMolecule::energy_of_charges(const Quaternion& orientation) {
  if (charge_sites_[kind_].empty()) return 0.0;
  own_charges_.clear();
  place_charges(kind_, 0, center_, orientation, own_charges_);
  double energy = charges_->far(own_charges_);
  for (const std::uint32_t n : found_) {
    const Neighbor& neighbor = neighbors_[n];
    const auto sites = std::span(placed_charges_).subspan(neighbor.charges, neighbor.charge_count);
    for (const InsertedCharges::Site& site : sites) {
      for (const InsertedCharges::Site& mine : own_charges_) {
        energy += charges_->near(mine, site, mine.position - neighbor.center - site.position);
      }
    }
  }
  return energy;
}

double InsertedMolecule::correction_of_atoms(std::size_t kind, std::span<const double> counts,
                                             double volume) const {
  // What a sum over all pairs of particles, each with itself too, has more with one more of them.
  double energy = -0.5 * tails_[kind * kinds() + kind].near_energy;
  for (std::size_t b = 0; b < kinds(); ++b) {
    const double pairs = 2.0 * counts[b] + (b == kind ? 1.0 : 0.0);
    energy += 2.0 * std::numbers::pi / volume * pairs * tails_[kind * kinds() + b].energy;
  }
  return energy;
}

double InsertedMolecule::correction(std::size_t kind, std::span<const double> counts,
                                    double volume) const {
  if (!corrected_) return 0.0;
  double energy = correction_of_atoms(kind, counts, volume);
  if (molecules_beyond_) {
    std::vector<double> more(counts.begin(), counts.end());
    more[kind] += 1.0;
    energy +=
        (*molecules_beyond_)(more, volume).energy - (*molecules_beyond_)(counts, volume).energy;
  }
  return energy;
}

}  // namespace sterna::md
