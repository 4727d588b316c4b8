#include "md/simulation/starting/start_configuration.hpp"
#include "md/model/contact_distance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "md/core/sort_by.hpp"
#include "md/forces/molecular/input/molecule_model_from_input.hpp"
#include "md/forces/pair/input/pair_functions_from_input.hpp"

namespace sterna::md {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::int64_t most_sites = std::int64_t{1} << 47;

struct LatticeShape {
  std::span<const Vec3> basis;  ///< in units of the cell's edge, in [0, 1)
  double spacing;               ///< distance of nearest sites in units of the cell's edge
};

LatticeShape shape_of(CrystalLattice lattice) {
  static constexpr std::array<Vec3, 1> sc{{{0.5, 0.5, 0.5}}};
  static constexpr std::array<Vec3, 2> bcc{{{0.25, 0.25, 0.25}, {0.75, 0.75, 0.75}}};
  static constexpr std::array<Vec3, 4> fcc{
      {{0.25, 0.25, 0.25}, {0.75, 0.75, 0.25}, {0.75, 0.25, 0.75}, {0.25, 0.75, 0.75}}};
  static constexpr std::array<Vec3, 8> diamond{{{0.125, 0.125, 0.125},
                                                {0.625, 0.625, 0.125},
                                                {0.625, 0.125, 0.625},
                                                {0.125, 0.625, 0.625},
                                                {0.375, 0.375, 0.375},
                                                {0.875, 0.875, 0.375},
                                                {0.875, 0.375, 0.875},
                                                {0.375, 0.875, 0.875}}};
  switch (lattice) {
    case CrystalLattice::diamond:
    case CrystalLattice::zincblende:
      return {diamond, 0.25 * std::numbers::sqrt3};
    case CrystalLattice::simple_cubic:
      return {sc, 1.0};
    case CrystalLattice::body_centered_cubic:
      return {bcc, 0.5 * std::numbers::sqrt3};
    case CrystalLattice::face_centered_cubic:
      break;
  }
  return {fcc, 0.5 * std::numbers::sqrt2};
}

void require(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

void require_positive(double value, std::string_view name) {
  require(std::isfinite(value) && value > 0.0,
          fmt::format("{} must be positive, not {}", name, value));
}

/// The smallest n with n^3 * basis >= particles.
std::int64_t cubic_cells(std::int64_t particles, std::int64_t basis) {
  const std::int64_t cells = (particles + basis - 1) / basis;
  auto n = static_cast<std::int64_t>(std::cbrt(static_cast<double>(cells)));
  while (n * n * n < cells) ++n;
  while (n > 1 && (n - 1) * (n - 1) * (n - 1) >= cells) --n;
  return n;
}

double cube_edge(std::int64_t particles, double density) {
  require(particles > 0 && particles <= most_sites / 8,
          fmt::format("the number of particles must be from 1 to {}, not {}", most_sites / 8,
                      particles));
  require_positive(density, "the density");
  const double edge = std::cbrt(static_cast<double>(particles) / density);
  require_positive(edge, "the edge of the box");
  return edge;
}

/// The cubic lattice that holds the particles in a cube with the largest distance of sites.
struct Packing {
  CrystalLattice lattice;
  std::int64_t cells;
  double spacing;
};

Packing widest_packing(std::int64_t particles, double edge) {
  Packing best{CrystalLattice::simple_cubic, 0, 0.0};
  for (const CrystalLattice lattice :
       {CrystalLattice::face_centered_cubic, CrystalLattice::body_centered_cubic,
        CrystalLattice::simple_cubic}) {
    const LatticeShape shape = shape_of(lattice);
    const std::int64_t cells =
        cubic_cells(particles, static_cast<std::int64_t>(shape.basis.size()));
    const double spacing = edge / static_cast<double>(cells) * shape.spacing;
    if (spacing > best.spacing) best = {lattice, cells, spacing};
  }
  return best;
}

/// Splits `total` into integers in proportion to the fractions. Each share is rounded down, and the
/// remainder goes to the largest fractional parts, earlier types first.
std::vector<std::int64_t> shares(std::int64_t total, std::span<const double> fractions) {
  require(!fractions.empty(), "there is no particle type");
  double sum = 0.0;
  for (const double fraction : fractions) {
    require(std::isfinite(fraction) && fraction >= 0.0,
            fmt::format("the fraction of a type must not be negative, as {} is", fraction));
    sum += fraction;
  }
  require_positive(sum, "the sum of the fractions of the types");
  std::vector<std::int64_t> counts;
  std::vector<double> remainders;
  std::int64_t left = total;
  for (const double fraction : fractions) {
    const double share = static_cast<double>(total) * (fraction / sum);
    counts.push_back(std::min(left, static_cast<std::int64_t>(share)));
    remainders.push_back(share - std::floor(share));
    left -= counts.back();
  }
  std::vector<std::size_t> order(fractions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  sort_by(order, [&](std::size_t type) { return -remainders[type]; });
  for (std::size_t i = 0; left > 0; i = (i + 1) % order.size()) {
    if (fractions[order[i]] == 0.0) continue;
    ++counts[order[i]];
    --left;
  }
  return counts;
}

}  // namespace

StartConfiguration::StartConfiguration(CrystalLattice lattice,
                                       const std::array<std::int64_t, 3>& cells, const Box& box,
                                       std::int64_t particles, std::span<const double> fractions,
                                       std::uint64_t seed)
    : basis_(shape_of(lattice).basis),
      cells_(cells),
      box_(box),
      sites_(cells[0] * cells[1] * cells[2] * static_cast<std::int64_t>(basis_.size())),
      particles_(particles),
      vacancies_(particles < sites_ ? Vacancies::one_each_run : Vacancies::none),
      vacancy_stream_(seed, RandomPurpose::vacancy),
      displacement_stream_(seed, RandomPurpose::displacement),
      orientation_(seed),
      site_order_(static_cast<std::uint64_t>(sites_), vacancy_stream_),
      type_order_(static_cast<std::uint64_t>(particles), RandomStream(seed, RandomPurpose::type)),
      type_counts_(shares(particles, fractions)) {
  for (int axis = 0; axis < 3; ++axis) {
    cell_edge_[axis] = box_.length[axis] / static_cast<double>(cells_[axis]);
  }
  guaranteed_distance_ = cell_edge_.x * shape_of(lattice).spacing;
  if (lattice == CrystalLattice::zincblende) {
    require(fractions.size() == 2 && particles_ == sites_,
            "zincblende is a full lattice of two types");
    type_by_sublattice_ = true;
    type_counts_ = {sites_ / 2, sites_ / 2};
  }
}

StartConfiguration StartConfiguration::lattice(CrystalLattice lattice, std::array<int, 3> cells,
                                               double density, std::span<const double> fractions,
                                               std::uint64_t seed) {
  require_positive(density, "the density");
  const auto basis = static_cast<std::int64_t>(shape_of(lattice).basis.size());
  std::array<std::int64_t, 3> counts{};
  std::int64_t sites = basis;
  for (int axis = 0; axis < 3; ++axis) {
    require(cells[axis] > 0,
            fmt::format("the number of cells must be positive, not {}", cells[axis]));
    counts[axis] = cells[axis];
    require(sites <= most_sites / counts[axis],
            fmt::format("the lattice has more than {} sites", most_sites));
    sites *= counts[axis];
  }
  const double edge = std::cbrt(static_cast<double>(basis) / density);
  require_positive(edge, "the edge of a cell");
  const Box box{{edge * cells[0], edge * cells[1], edge * cells[2]}};
  return StartConfiguration(lattice, counts, box, sites, fractions, seed);
}

StartConfiguration StartConfiguration::lattice(CrystalLattice lattice, std::int64_t particles,
                                               double density, std::span<const double> fractions,
                                               std::uint64_t seed) {
  const double edge = cube_edge(particles, density);
  const std::int64_t n =
      cubic_cells(particles, static_cast<std::int64_t>(shape_of(lattice).basis.size()));
  return StartConfiguration(lattice, {n, n, n}, Box{{edge, edge, edge}}, particles, fractions,
                            seed);
}

double StartConfiguration::largest_minimum_distance(std::int64_t particles, double density) {
  return widest_packing(particles, cube_edge(particles, density)).spacing;
}

StartConfiguration StartConfiguration::random(std::int64_t particles, double density,
                                              double minimum_distance,
                                              std::span<const double> fractions,
                                              std::uint64_t seed) {
  const double edge = cube_edge(particles, density);
  require(std::isfinite(minimum_distance) && minimum_distance >= 0.0,
          fmt::format("the minimum distance must not be negative, as {} is", minimum_distance));
  const Box box{{edge, edge, edge}};
  const double space = edge / std::cbrt(static_cast<double>(particles));
  if (space >= 2.0 * minimum_distance) {
    const auto wanted =
        static_cast<std::int64_t>(edge / std::max(2.0 * minimum_distance, 0.5 * space));
    const std::int64_t n = std::max(wanted, cubic_cells(particles, 1));
    const double cube = edge / static_cast<double>(n);
    if (cube >= 1.5 * minimum_distance) {
      StartConfiguration start(CrystalLattice::simple_cubic, {n, n, n}, box, particles, fractions,
                               seed);
      start.vacancies_ = Vacancies::permuted;
      start.displacement_ = Displacement::cube;
      start.jitter_ = 0.5 * (cube - minimum_distance);
      start.guaranteed_distance_ = minimum_distance;
      return start;
    }
  }
  const Packing packing = widest_packing(particles, edge);
  require(packing.spacing >= minimum_distance,
          fmt::format("{} particles at a density of {} cannot all be {} apart; the largest minimum "
                      "distance is {}",
                      particles, density, minimum_distance, packing.spacing));
  StartConfiguration start(packing.lattice, {packing.cells, packing.cells, packing.cells}, box,
                           particles, fractions, seed);
  start.displacement_ = Displacement::ball;
  start.jitter_ = 0.5 * (packing.spacing - minimum_distance);
  start.guaranteed_distance_ = minimum_distance;
  return start;
}

StartConfiguration StartConfiguration::from_input(const Input& input) {
  std::vector<double> fractions;
  std::vector<char> turns;
  double diameter = 0.0;
  for (std::size_t n = 0; n < input.types.size(); ++n) {
    fractions.push_back(input.types[n].fraction);
    turns.push_back(0);
    diameter = std::max(diameter, type_pair_from_input(input, n, n).sigma);
  }
  for (const Input::Component& named : input.components) {
    const Component component = component_from_input(named, input.units);
    fractions.push_back(named.fraction);
    turns.push_back(component.rotational_degrees_of_freedom() > 0);
    diameter = std::max(diameter, contact_distance(component));
  }
  StartConfiguration start = [&] {
    const Input::Start& asked = input.start;
    const std::uint64_t seed = input.run.seed;
    if (asked.kind == StartKind::random) {
      double distance = asked.minimum_distance;
      if (distance == 0.0) {
        distance = std::min(0.85 * diameter,
                            0.9 * largest_minimum_distance(asked.particles, asked.density));
      }
      return random(asked.particles, asked.density, distance, fractions, seed);
    }
    require(asked.kind == StartKind::lattice,
            fmt::format("a start of kind \"{}\" is not generated",
                        asked.kind ? choice_name(*asked.kind) : ""));
    if (asked.cells != std::array<int, 3>{0, 0, 0}) {
      return lattice(asked.lattice, asked.cells, asked.density, fractions, seed);
    }
    return lattice(asked.lattice, asked.particles, asked.density, fractions, seed);
  }();
  start.turns_ = std::move(turns);
  return start;
}

std::optional<std::int64_t> StartConfiguration::index_at(std::int64_t site) const {
  switch (vacancies_) {
    case Vacancies::none:
      return site;
    case Vacancies::permuted: {
      const auto index = static_cast<std::int64_t>(site_order_(static_cast<std::uint64_t>(site)));
      if (index >= particles_) return std::nullopt;
      return index;
    }
    case Vacancies::one_each_run:
      break;
  }
  const auto sites = static_cast<std::uint64_t>(sites_);
  const auto empty = static_cast<std::uint64_t>(sites_ - particles_);
  // Run k is made of the sites s with k * sites <= s * empty < (k + 1) * sites.
  const auto run =
      static_cast<std::uint64_t>(Wide{static_cast<std::uint64_t>(site)} * empty / sites);
  const auto begin = static_cast<std::uint64_t>((Wide{run} * sites + empty - 1) / empty);
  const auto end = static_cast<std::uint64_t>((Wide{run + 1} * sites + empty - 1) / empty);
  const auto hole =
      static_cast<std::int64_t>(begin + vacancy_stream_.sequence(run, 0).below(end - begin));
  if (site == hole) return std::nullopt;
  return site - static_cast<std::int64_t>(run) - (site > hole ? 1 : 0);
}

std::int64_t StartConfiguration::type_of(std::int64_t index) const {
  if (type_counts_.size() == 1) return 0;
  auto place = static_cast<std::int64_t>(type_order_(static_cast<std::uint64_t>(index)));
  std::int64_t type = 0;
  while (place >= type_counts_[static_cast<std::size_t>(type)]) {
    place -= type_counts_[static_cast<std::size_t>(type)];
    ++type;
  }
  return type;
}

ParticleRecord StartConfiguration::particle(std::int64_t index, std::int64_t type,
                                            Vec3 position) const {
  const std::int64_t id = index + 1;
  if (displacement_ != Displacement::none) {
    auto sequence = displacement_stream_.sequence(static_cast<std::uint64_t>(id), 0);
    if (displacement_ == Displacement::cube) {
      for (int axis = 0; axis < 3; ++axis) {
        position[axis] += jitter_ * (2.0 * sequence.uniform() - 1.0);
      }
    } else {
      const double radius = jitter_ * std::cbrt(sequence.uniform());
      const double height = 2.0 * sequence.uniform() - 1.0;
      const double angle = 2.0 * std::numbers::pi * sequence.uniform();
      const double across = std::sqrt(1.0 - height * height);
      position += radius * Vec3{across * std::cos(angle), across * std::sin(angle), height};
    }
    int image[3];
    position = box_.wrap(position, image);
  }
  ParticleRecord record{{position.x, position.y, position.z, type}, Vec3{}, id, Image{0, 0, 0}};
  const auto component = static_cast<std::size_t>(type);
  if (component < turns_.size() && turns_[component]) record.orientation = orientation_.draw(id);
  return record;
}

void StartConfiguration::visit(const Region& region, const Visitor& visitor) const {
  // The range of cells whose particles may lie in the region: the cells that it overlaps, and one
  // more on each side, because of rounding and of displacements, which are shorter than a cell.
  std::array<std::int64_t, 3> first{}, count{};
  for (int axis = 0; axis < 3; ++axis) {
    if (!(region.upper[axis] > region.lower[axis])) return;
    const auto cell = [&](double at) {
      const double cells = static_cast<double>(cells_[axis]);
      return static_cast<std::int64_t>(std::clamp(std::floor(at / cell_edge_[axis]), 0.0, cells));
    };
    first[axis] = cell(region.lower[axis]) - 1;
    count[axis] = cell(region.upper[axis]) + 2 - first[axis];
    if (count[axis] >= cells_[axis]) first[axis] = 0, count[axis] = cells_[axis];
    if (first[axis] < 0) first[axis] += cells_[axis];
  }
  const auto basis_count = static_cast<std::int64_t>(basis_.size());
  for (std::int64_t k = 0; k < count[2]; ++k) {
    const std::int64_t cz = (first[2] + k) % cells_[2];
    for (std::int64_t j = 0; j < count[1]; ++j) {
      const std::int64_t cy = (first[1] + j) % cells_[1];
      for (std::int64_t i = 0; i < count[0]; ++i) {
        const std::int64_t cx = (first[0] + i) % cells_[0];
        const std::int64_t cell = (cz * cells_[1] + cy) * cells_[0] + cx;
        for (std::int64_t b = 0; b < basis_count; ++b) {
          const Vec3& offset = basis_[static_cast<std::size_t>(b)];
          const Vec3 position{(static_cast<double>(cx) + offset.x) * cell_edge_.x,
                              (static_cast<double>(cy) + offset.y) * cell_edge_.y,
                              (static_cast<double>(cz) + offset.z) * cell_edge_.z};
          if (displacement_ == Displacement::none && !region.contains(position)) continue;
          const auto index = index_at(cell * basis_count + b);
          if (!index) continue;
          const std::int64_t type = type_by_sublattice_ ? b / 4 : type_of(*index);
          const ParticleRecord record = particle(*index, type, position);
          if (region.contains(record.position.vector())) visitor(record);
        }
      }
    }
  }
}

}  // namespace sterna::md
