#include "md/forces/molecular/molecular_forces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ranges>
#include <set>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "md/core/cross_product.hpp"
#include "md/forces/molecular/molecular_kernels.hpp"
#include "md/forces/molecular/site_columns.hpp"

namespace sterna::md {

namespace {

/// The sites of a component at one point; an index is -1 if there is no such site.
struct PointSites {
  Vec3 position;
  int lennard_jones = -1, charge = -1;
};

/// Returns points with at most one Lennard-Jones site and one charge each. Dipoles and quadrupoles
/// share the columns of a point, but no loop with other sites.
std::vector<PointSites> points_of(const Component& component) {
  std::vector<PointSites> points;
  const auto place = [&points](const Vec3& position, int PointSites::*member, std::size_t index) {
    for (PointSites& point : points) {
      if (point.position == position && point.*member < 0) {
        point.*member = static_cast<int>(index);
        return;
      }
    }
    points.push_back({.position = position});
    points.back().*member = static_cast<int>(index);
  };
  for (std::size_t k = 0; k < component.lennard_jones.size(); ++k) {
    if (component.lennard_jones[k].epsilon != 0.0) {
      place(component.lennard_jones[k].position, &PointSites::lennard_jones, k);
    }
  }
  for (std::size_t k = 0; k < component.charges.size(); ++k) {
    if (component.charges[k].charge != 0.0) {
      place(component.charges[k].position, &PointSites::charge, k);
    }
  }
  return points;
}

Vec3 vector_of(const Vec3& force) {
  return force;
}
Vec3 vector_of(const SingleForce& force) {
  return {static_cast<double>(force.x), static_cast<double>(force.y), static_cast<double>(force.z)};
}

/// Returns the grid of two components, and orders their points as the grid needs them.
SiteGrid site_grid_of(std::vector<PointSites>& here, std::vector<PointSites>& there,
                      bool with_charges, bool same_cutoff) {
  const std::size_t size = here.size();
  if (there.size() != size || size < 2 || size > 3) return SiteGrid::none;
  std::size_t charges = 0, lennard_jones = 0;
  for (auto* const points : {&here, &there}) {
    std::stable_partition(points->begin(), points->end(),
                          [](const PointSites& point) { return point.lennard_jones >= 0; });
    for (const PointSites& point : *points) {
      charges += with_charges && point.charge >= 0 ? 1 : 0;
      lennard_jones += point.lennard_jones >= 0 ? 1 : 0;
    }
  }
  const bool all_charges = charges == 2 * size, all_lennard_jones = lennard_jones == 2 * size;
  const bool one_lennard_jones = here[0].lennard_jones >= 0 && here[1].lennard_jones < 0 &&
                                 there[0].lennard_jones >= 0 && there[1].lennard_jones < 0;
  if (charges == 0 && all_lennard_jones) {
    return size == 3 ? SiteGrid::three_lennard_jones : SiteGrid::two_lennard_jones;
  }
  if (size == 2 || !all_charges || !same_cutoff) return SiteGrid::none;
  if (all_lennard_jones) return SiteGrid::three_charges_and_lennard_jones;
  return one_lennard_jones ? SiteGrid::three_charges_one_lennard_jones : SiteGrid::none;
}

/// Returns the grids of Lennard-Jones sites and of charges, each considered alone.
SiteGrids separate_grids(const std::vector<PointSites>& here, const std::vector<PointSites>& there,
                         bool with_charges) {
  const auto have = [&](std::ptrdiff_t count, int PointSites::*site) {
    const auto has = [site](const PointSites& point) { return point.*site >= 0; };
    return std::ranges::count_if(here, has) == count && std::ranges::count_if(there, has) == count;
  };
  SiteGrids grids;
  if (have(3, &PointSites::lennard_jones)) grids.first = SiteGrid::three_lennard_jones;
  if (have(2, &PointSites::lennard_jones)) grids.first = SiteGrid::two_lennard_jones;
  // With charges, a single Lennard-Jones site may share its distance with a charge instead.
  if (!with_charges && have(1, &PointSites::lennard_jones)) {
    grids.first = SiteGrid::one_lennard_jones;
  }
  grids.of_three_charges = with_charges && have(3, &PointSites::charge);
  return grids;
}

/// Returns the kind of a multipole term if it is between the two centers, otherwise `none`.
CentralMultipole central_multipole_of(const SiteTerm& term) {
  if (term.point_a != 0 || term.point_b != 0) return CentralMultipole::none;
  if (term.kind == SitePair::dipole_dipole) return CentralMultipole::dipole;
  if (term.kind == SitePair::quadrupole_quadrupole) return CentralMultipole::quadrupole;
  return CentralMultipole::none;
}

/// Returns the smallest sigma of the Lennard-Jones terms.
double smallest_sigma(std::span<const SiteTerm> terms) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const SiteTerm& term : terms) {
    const auto [twelve_c12, six_c6, shift, charges] = term.coefficient;
    if (six_c6 > 0.0) smallest = std::min(smallest, std::pow(0.5 * twelve_c12 / six_c6, 1.0 / 6.0));
  }
  return smallest;
}

}  // namespace

MolecularForces::Kinds MolecularForces::kinds_of_pairs(const MoleculeModel& model) {
  const LargeBodies bodies(model, model.electrostatics != MoleculeModel::Electrostatics::none);
  Kinds kinds{};
  for (std::size_t k = 0; k < model.components.size(); ++k) {
    kinds.large = kinds.large || bodies.is_large(k);
    kinds.others = kinds.others || (k >= model.atom_types && !bodies.is_large(k));
  }
  return kinds;
}

MolecularForces::MolecularForces(const MoleculeModel& model, Precision precision,
                                 std::string_view kernels, Pairs pairs)
    : kernels_(select_molecular_kernels(kernels)),
      precision_(precision),
      pairs_(pairs),
      has_all_pairs_(model.atom_types == 0 && pairs == Pairs::all),
      site_cutoff_(model.cutoff_kind == MoleculeModel::Cutoff::site),
      cutoff_squared_(model.cutoff * model.cutoff),
      lennard_jones_cutoff_squared_(model.lennard_jones_cutoff * model.lennard_jones_cutoff),
      large_bodies_(model, model.electrostatics != MoleculeModel::Electrostatics::none) {
  const bool with_charges =
      model.electrostatics != MoleculeModel::Electrostatics::none ||
      std::any_of(model.components.begin(), model.components.end(),
                  [](const Component& c) { return !c.dipoles.empty() || !c.quadrupoles.empty(); });
  std::vector<SiteColumns> columns;
  for (std::size_t k = 0; k < model.components.size(); ++k) {
    const bool is_large = large_bodies_.is_large(k);
    const SiteColumns& added = columns.emplace_back(
        is_large ? SiteColumns::of_large_body() : SiteColumns(model.components[k], with_charges));
    extents_.push_back(is_large ? large_bodies_.extent(k) : added.extent());
    layouts_.push_back({.record_begin = 0,
                        .record_vectors = 0,
                        .vector_begin = static_cast<std::uint32_t>(vectors_.size()),
                        .point_count = static_cast<std::uint32_t>(added.points.size()),
                        .direction_count = static_cast<std::uint32_t>(added.directions.size()),
                        .summed_vectors = 0});
    vectors_.insert(vectors_.end(), added.vectors.begin(), added.vectors.end());
    column_count_ = std::max<std::size_t>(column_count_, column_of(1 + layouts_.back().vectors()));
  }
  double reach = 0.0;
  for (std::size_t a = 0; a < model.components.size(); ++a) {
    for (std::size_t b = 0; b < model.components.size(); ++b) {
      term_begin_.push_back(static_cast<std::uint32_t>(terms_.size()));
      const bool with_large = large_bodies_.is_large(a) || large_bodies_.is_large(b);
      const bool is_other_terms = (pairs == Pairs::with_large_bodies && !with_large) ||
                                  (pairs == Pairs::without_large_bodies && with_large);
      const bool by_cells =
          large_bodies_.add_pair(model, a, b, columns) && pairs != Pairs::without_large_bodies;
      if (by_cells) {
        site_grids_.push_back({.loop = PairLoop::bodies});
      } else if (model.are_atoms(a, b) || with_large || is_other_terms) {
        site_grids_.emplace_back();
      } else {
        add_radial_terms(model, a, b, columns[a], columns[b]);
        add_multipole_terms(model, a, b, columns[a], columns[b]);
      }
      choose_loop(columns[a], columns[b]);
      if (by_cells || terms_.size() > term_begin_.back()) {
        reach = std::max(reach, extents_[a] + extents_[b]);
      }
      if (site_grids_.back().loop == PairLoop::columns) {
        layouts_[a].summed_vectors = layouts_[a].vectors();
      }
      add_named_vectors();
    }
  }
  range_ = model.cutoff + (site_cutoff_ ? reach : 0.0);
  large_bodies_.round();
  named_begin_.push_back(static_cast<std::uint32_t>(named_.size()));
  term_begin_.push_back(static_cast<std::uint32_t>(terms_.size()));
  const auto points =
      static_cast<std::size_t>(site_grids_.size() == 1 ? shape_of(site_grids_[0].first).points : 0);
  shared_rows_ = precision == Precision::mixed && kernels_.shared_rows && points > 0 &&
                 terms_.size() == points * points;
  half_lists_ = shared_rows_ || model.components.size() > 1 || terms_.size() != 1 ||
                terms_[0].kind != SitePair::lennard_jones;
  add_records(columns);
  scratch_.resize(molecular_scratch_size(model.components.size(), column_count_));
}

bool MolecularForces::needs_in_list(int type) const {
  for (int other = 0; other < static_cast<int>(layouts_.size()); ++other) {
    if (acts_between(type, other)) return true;
  }
  return false;
}

bool MolecularForces::acts_between(int a, int b) const {
  if (has_all_pairs_) return true;
  const std::size_t pair =
      static_cast<std::size_t>(a) * layouts_.size() + static_cast<std::size_t>(b);
  return term_begin_[pair] < term_begin_[pair + 1] || site_grids_[pair].loop == PairLoop::bodies;
}

double MolecularForces::range_between(int a, int b) const {
  if (!site_cutoff_) return range_;
  return std::sqrt(cutoff_squared_) + extents_[static_cast<std::size_t>(a)] +
         extents_[static_cast<std::size_t>(b)];
}

bool MolecularForces::can_act_around_few(std::span<const char> turning) const {
  for (int a = 0; a < static_cast<int>(layouts_.size()); ++a) {
    // A type of these rows is one of the few, or acts on these only.
    if (acts_between(a, a) != (turning[static_cast<std::size_t>(a)] != 0)) return false;
    for (int b = 0; b < static_cast<int>(layouts_.size()); ++b) {
      if (acts_between(a, b) && !acts_between(a, a) && !acts_between(b, b)) return false;
    }
  }
  return half_lists_ && pairs_ != Pairs::with_large_bodies;
}

void MolecularForces::add_records(const std::vector<SiteColumns>& columns) {
  const bool by_axes = half_lists_ && !shared_rows_;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    SiteLayout& layout = layouts_[k];
    layout.record_begin = static_cast<std::uint32_t>(body_.size());
    const auto add = [&](const std::vector<Vec3>& vectors) {
      body_.insert(body_.end(), vectors.begin(), vectors.end());
    };
    if (by_axes) {
      add(columns[k].axes);
    } else {
      add(columns[k].points);
      add(columns[k].directions);
    }
    layout.record_vectors = static_cast<std::uint32_t>(body_.size()) - layout.record_begin;
    record_stride_ = std::max<std::size_t>(record_stride_, layout.record_length());
  }
}

void MolecularForces::add_named_vectors() {
  named_begin_.push_back(static_cast<std::uint32_t>(named_.size()));
  std::set<std::uint32_t> slots;
  for (std::size_t k = term_begin_.back(); k < terms_.size(); ++k) {
    slots.insert(slot_of(terms_[k].point_b));
    slots.insert(slot_of(terms_[k].direction_b));
  }
  slots.erase(0);  // slot 0: the center, or no direction
  named_.insert(named_.end(), slots.begin(), slots.end());
}

void MolecularForces::choose_loop(const SiteColumns& columns_a, const SiteColumns& columns_b) {
  // The loops for whole pairs of molecules support only the cutoff of centers.
  if (site_cutoff_) return;
  SiteGrids grids = site_grids_.back();
  const std::span terms = std::span(terms_).subspan(term_begin_.back());
  const int points = shape_of(grids.first).points;
  const auto in_grids =
      static_cast<std::size_t>(points * points + (grids.of_three_charges ? 9 : 0));
  if (points == 0 || terms.size() > in_grids + 1) return;
  if (terms.size() == in_grids + 1) {
    grids.multipole = central_multipole_of(terms.back());
    if (grids.multipole == CentralMultipole::none) return;
  }
  const auto is_axis = [&](const SiteTerm& term, std::size_t axis) {
    SiteVector itself{};
    itself.along[axis] = 1.0;
    return std::ranges::equal(columns_b.vectors[slot_of(term.point_b)].along, itself.along);
  };
  // The linear loop computes squared distances of sites as differences, which may lose digits.
  const bool keeps_digits =
      precision_ != Precision::mixed ||
      std::max(columns_a.extent(), columns_b.extent()) <= smallest_sigma(terms.first(in_grids));
  if (columns_a.linear() && columns_b.linear() && keeps_digits) {
    grids.loop = PairLoop::linear;
  } else if (points == 3 && columns_b.axes.size() == 2 && is_axis(terms[0], 0) &&
             is_axis(terms[1], 1)) {
    grids.loop = PairLoop::planar;
  }
  if (std::ranges::find(molecule_pair_shapes, grids) != std::end(molecule_pair_shapes)) {
    site_grids_.back() = grids;
  }
}

void MolecularForces::add_radial_terms(const MoleculeModel& model, std::size_t a, std::size_t b,
                                       const SiteColumns& columns_a, const SiteColumns& columns_b) {
  const Component& first = model.components[a];
  const Component& second = model.components[b];
  const bool with_charges = model.electrostatics != MoleculeModel::Electrostatics::none;
  const bool shifted = model.shifted[a * model.components.size() + b] != 0;
  // In single precision the small energies of Lennard-Jones sites would vanish beside those of
  // large charges. So the charges of two molecules are summed first, and have canceled when the
  // Lennard-Jones sites follow. Grids sum the two separately.
  const bool same_cutoff = lennard_jones_cutoff_squared_ == cutoff_squared_;
  std::vector<PointSites> here = points_of(first), there = points_of(second);
  SiteGrids grids{.first = site_grid_of(here, there, with_charges, same_cutoff)};
  const bool together = grids.first != SiteGrid::none;
  if (!together) grids = separate_grids(here, there, with_charges);
  site_grids_.push_back(grids);
  const bool apart = !together && (grids.first != SiteGrid::none || grids.of_three_charges);
  const bool may_share = together || (!apart && precision_ != Precision::mixed && same_cutoff);
  std::vector<SiteTerm> lennard_jones_terms, charge_terms;
  for (const PointSites& p : here) {
    for (const PointSites& q : there) {
      SiteTerm term{};
      term.point_a = columns_a.point(p.position);
      term.point_b = columns_b.point(q.position);
      const bool lennard_jones = p.lennard_jones >= 0 && q.lennard_jones >= 0;
      const bool charges = with_charges && p.charge >= 0 && q.charge >= 0;
      if (lennard_jones) {
        const auto& i = first.lennard_jones[static_cast<std::size_t>(p.lennard_jones)];
        const auto& j = second.lennard_jones[static_cast<std::size_t>(q.lennard_jones)];
        const auto [epsilon, sigma] = model.mixed(a, i, b, j);
        const double sigma6 = std::pow(sigma, 6);
        const double c6 = 4.0 * epsilon * sigma6;
        const double c12 = c6 * sigma6;
        const double r6 = std::pow(model.lennard_jones_cutoff, -6);
        term.coefficient[0] = 12.0 * c12;
        term.coefficient[1] = 6.0 * c6;
        term.coefficient[2] = shifted ? r6 * (c12 * r6 - c6) : 0.0;
      }
      if (charges) {
        term.coefficient[3] = first.charges[static_cast<std::size_t>(p.charge)].charge *
                              second.charges[static_cast<std::size_t>(q.charge)].charge;
      }
      if (may_share && lennard_jones && charges) {
        term.kind = SitePair::lennard_jones_and_charges;
        charge_terms.push_back(term);
        continue;
      }
      if (lennard_jones) {
        term.kind = SitePair::lennard_jones;
        lennard_jones_terms.push_back(term);
      }
      if (charges) {
        term.kind = SitePair::charge_charge;
        charge_terms.push_back(term);
      }
    }
  }
  std::array parts{&charge_terms, &lennard_jones_terms};
  if (!together && grids.first != SiteGrid::none) std::swap(parts[0], parts[1]);
  for (const auto* part : parts) terms_.insert(terms_.end(), part->begin(), part->end());
}

void MolecularForces::add_multipole_terms(const MoleculeModel& model, std::size_t a, std::size_t b,
                                          const SiteColumns& columns_a,
                                          const SiteColumns& columns_b) {
  const Component& first = model.components[a];
  const Component& second = model.components[b];
  const auto add = [&](SitePair kind, const Vec3& position_a, const Vec3& position_b,
                       double coefficient, std::uint32_t direction_a, std::uint32_t direction_b) {
    terms_.push_back({.kind = kind,
                      .point_a = columns_a.point(position_a),
                      .point_b = columns_b.point(position_b),
                      .direction_a = direction_a,
                      .direction_b = direction_b,
                      .coefficient = {coefficient}});
  };
  const double epsilon = model.reaction_field_epsilon;
  const double field =
      model.electrostatics == MoleculeModel::Electrostatics::reaction_field
          ? 2.0 * (epsilon - 1.0) / ((2.0 * epsilon + 1.0) * std::pow(model.cutoff, 3))
          : 0.0;
  // A long-range solver computes charges and dipoles, but no quadrupoles.
  const bool with_dipoles = model.electrostatics != MoleculeModel::Electrostatics::none;

  for (const auto& charge : first.charges) {
    if (charge.charge == 0.0) continue;
    for (std::size_t k = 0; k < second.dipoles.size() && with_dipoles; ++k) {
      add(SitePair::charge_dipole, charge.position, second.dipoles[k].position, charge.charge, 0,
          columns_b.dipole_direction[k]);
    }
    for (std::size_t k = 0; k < second.quadrupoles.size(); ++k) {
      add(SitePair::charge_quadrupole, charge.position, second.quadrupoles[k].position,
          0.5 * charge.charge * second.quadrupoles[k].moment, 0, columns_b.quadrupole_direction[k]);
    }
  }
  for (std::size_t i = 0; i < first.dipoles.size(); ++i) {
    const auto& dipole = first.dipoles[i];
    const std::uint32_t direction = columns_a.dipole_direction[i];
    for (const auto& charge : second.charges) {
      if (charge.charge == 0.0 || !with_dipoles) continue;
      add(SitePair::dipole_charge, dipole.position, charge.position, charge.charge, direction, 0);
    }
    for (std::size_t k = 0; k < second.dipoles.size() && with_dipoles; ++k) {
      add(SitePair::dipole_dipole, dipole.position, second.dipoles[k].position, field, direction,
          columns_b.dipole_direction[k]);
    }
    for (std::size_t k = 0; k < second.quadrupoles.size(); ++k) {
      add(SitePair::dipole_quadrupole, dipole.position, second.quadrupoles[k].position,
          1.5 * second.quadrupoles[k].moment, direction, columns_b.quadrupole_direction[k]);
    }
  }
  for (std::size_t i = 0; i < first.quadrupoles.size(); ++i) {
    const auto& quadrupole = first.quadrupoles[i];
    const std::uint32_t direction = columns_a.quadrupole_direction[i];
    for (const auto& charge : second.charges) {
      if (charge.charge == 0.0) continue;
      add(SitePair::quadrupole_charge, quadrupole.position, charge.position,
          0.5 * charge.charge * quadrupole.moment, direction, 0);
    }
    for (std::size_t k = 0; k < second.dipoles.size(); ++k) {
      add(SitePair::quadrupole_dipole, quadrupole.position, second.dipoles[k].position,
          1.5 * quadrupole.moment, direction, columns_b.dipole_direction[k]);
    }
    for (std::size_t k = 0; k < second.quadrupoles.size(); ++k) {
      add(SitePair::quadrupole_quadrupole, quadrupole.position, second.quadrupoles[k].position,
          0.75 * quadrupole.moment * second.quadrupoles[k].moment, direction,
          columns_b.quadrupole_direction[k]);
    }
  }
}

void MolecularForces::rebuild(const PairList& list, const ParticleStore& particles) {
  in_rows_.clear();
  near_.is_used = false;
  if (list.is_around_few()) {
    find_in_rows(list, particles);
    if (around_few_) number_rows(list, particles);
  }
  const std::size_t count = record_count(particles);
  if (list.rows().half != half_lists_) {
    throw std::logic_error("the list is not of the kind, half or full, that these molecules read");
  }
  if (half_lists_) {
    kinds_ = shared_rows_ ? 1 + layouts_[0].point_count : record_stride_ > 0 ? 2 : 1;
    stride_ = count + 1;
    (precision_ == Precision::mixed ? collected_single_.resize(kinds_ * stride_)
                                    : collected_.resize(kinds_ * stride_));
    clear_collected(0, stride_);
  }
  // A record of zeros for the dummy follows the last molecule's record.
  const auto make_room = [&](auto& sites) {
    using Real = std::decay_t<decltype(sites[0])>;
    sites.resize((count + 1) * record_stride_);
    std::fill(sites.end() - record_stride_, sites.end(), Real{0});
  };
  if (precision_ == Precision::mixed) {
    make_room(sites_single_);
    fixed_scale_ = list.extent() / (2.0 * fixed_half_range);
    fixed_position_.resize(count + 1);
    fixed_position_[count] = fixed_dummy;
  } else {
    make_room(sites_);
  }
  if (!particles.rotating()) unused_torque_.resize(particles.local_count());
}

void MolecularForces::find_in_rows(const PairList& list, const ParticleStore& particles) {
  in_rows_.clear();
  const PairWork rows = list.rows();
  for (const std::uint32_t run : list.cells(PairList::Cells::boundary)) {
    const CellRange range = rows.cells[run];
    for (std::uint32_t i = range.begin; i < range.begin + range.count; ++i) {
      in_rows_.push_back(i);
      in_rows_.insert(in_rows_.end(), rows.plain + rows.row_begin[i],
                      rows.plain + rows.row_begin[i + 1]);
    }
  }
  std::ranges::sort(in_rows_);
  in_rows_.erase(std::ranges::unique(in_rows_).begin(), in_rows_.end());
  local_in_rows_ = static_cast<std::size_t>(
      std::ranges::lower_bound(in_rows_, particles.local_count()) - in_rows_.begin());
}

void MolecularForces::number_rows(const PairList& list, const ParticleStore& particles) {
  near_.is_used = true;
  const auto place_of = [&](std::uint32_t particle) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(in_rows_, particle) -
                                      in_rows_.begin());
  };
  near_.runs.clear();
  near_.run_numbers.clear();
  near_.row_begin.assign(local_in_rows_ + 1, 0);
  near_.neighbors.clear();
  const PairWork rows = list.rows();
  for (const std::uint32_t run : list.cells(PairList::Cells::boundary)) {
    const CellRange range = rows.cells[run];
    near_.run_numbers.push_back(static_cast<std::uint32_t>(near_.runs.size()));
    // Neighbors in the store that have rows are neighbors here, too.
    near_.runs.push_back({place_of(range.begin), range.count});
    for (std::uint32_t k = 0; k < range.count; ++k) {
      const std::uint32_t i = near_.runs.back().begin + k;
      near_.row_begin[i] = static_cast<std::uint32_t>(near_.neighbors.size());
      for (std::uint32_t e = rows.row_begin[range.begin + k];
           e < rows.row_begin[range.begin + k + 1]; ++e) {
        near_.neighbors.push_back(place_of(rows.plain[e]));
      }
      near_.row_begin[i + 1] = static_cast<std::uint32_t>(near_.neighbors.size());
    }
  }
  near_.whole_below =
      static_cast<std::uint32_t>(list.half_shell() ? in_rows_.size() : local_in_rows_);
  near_.position.resize(in_rows_.size() + 1);
  near_.position[in_rows_.size()] = particles.position.data()[particles.total_count()];
  near_.rotors.clear();
  for (const std::uint32_t i : in_rows_) {
    near_.rotors.push_back(
        particles.turns(i) ? static_cast<std::uint32_t>(particles.rotor_number(i)) : no_rotor);
  }
  near_.of_rotors.renew(2 * particles.orientation.size());
  std::ranges::fill(near_.of_rotors.span(), Vec3{});
}

Vec3 MolecularForces::collected_at(std::size_t place, std::size_t kind) const {
  if (kind >= kinds_) return {};
  const std::size_t at = kind * stride_ + place;
  return precision_ == Precision::mixed ? vector_of(collected_single_[at])
                                        : vector_of(collected_[at]);
}

void MolecularForces::add_forces_of_ghosts(const ParticleStore& particles,
                                           const CollectedForces& sums) {
  if (!near_.is_used) return;
  const std::size_t rotors = particles.orientation.size(), local = particles.local_rotors();
  for (std::size_t kind = 0; kind < 2; ++kind) {
    std::ranges::fill(near_.of_rotors.span().subspan(kind * rotors + local, rotors - local),
                      Vec3{});
  }
  for (std::size_t place = local_in_rows_; place < in_rows_.size(); ++place) {
    const Vec3 force = collected_at(place, 0);
    if (const std::uint32_t rotor = near_.rotors[place]; rotor != no_rotor) {
      near_.of_rotors[rotor] = force;
      near_.of_rotors[rotors + rotor] = collected_at(place, 1);
      continue;
    }
    std::visit(
        [&](auto forces) {
          auto& sum = forces[in_rows_[place]];
          using Real = std::decay_t<decltype(sum.x)>;
          sum.x += static_cast<Real>(force.x / sums.unit);
          sum.y += static_cast<Real>(force.y / sums.unit);
          sum.z += static_cast<Real>(force.z / sums.unit);
        },
        sums.forces);
  }
}

void MolecularForces::clear_collected(std::size_t begin, std::size_t end) {
  const auto clear = [&]<class Force>(Force* forces) {
    for (std::size_t kind = 0; kind < kinds_; ++kind) {
      std::fill(forces + kind * stride_ + begin, forces + kind * stride_ + end, Force{});
    }
  };
  precision_ == Precision::mixed ? clear(collected_single_.data()) : clear(collected_.data());
}

void MolecularForces::clear_collected_in_rows(std::size_t first) {
  const auto clear = [&]<class Force>(Force* forces) {
    for (std::size_t kind = 0; kind < kinds_; ++kind) {
      for (const std::uint32_t i : std::span(in_rows_).subspan(first)) {
        forces[kind * stride_ + i] = Force{};
      }
    }
  };
  precision_ == Precision::mixed ? clear(collected_single_.data()) : clear(collected_.data());
}

CollectedForces MolecularForces::collected_forces(ParticleStore&) {
  if (near_.is_used) {
    return {.forces = near_.of_rotors.span(), .kinds = 2, .are_of_rotors = true};
  }
  // A component without a site at its center has no force there.
  const auto at_center = [](const SiteTerm& term) { return term.point_a < first_vector_column; };
  const std::size_t first = !shared_rows_ || std::ranges::any_of(terms_, at_center) ? 0 : 1;
  const std::size_t begin = first * stride_, size = (kinds_ - first) * stride_;
  if (precision_ == Precision::mixed) {
    return {.forces = std::span(collected_single_.data() + begin, size), .kinds = kinds_ - first};
  }
  return {.forces = std::span(collected_.data() + begin, size), .kinds = kinds_ - first};
}

void MolecularForces::add_up_points(ParticleStore& particles, Vec3* torques) const {
  const std::uint32_t points = layouts_[0].point_count;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const float* const sites = sites_single_.data() + i * record_stride_;
    Vec3 force = vector_of(collected_single_[i]), torque;
    for (std::uint32_t v = 0; v < points; ++v) {
      const std::size_t slot = slot_of(first_vector_column + 4 * v);
      const Vec3 f = vector_of(collected_single_[slot * stride_ + i]);
      force += f;
      const float* const site = sites + 4 * v;
      torque += cross(vector_of(SingleForce{site[0], site[1], site[2], 0.0f}), f);
    }
    particles.force[i] = force;
    torques[i] = torque;
  }
}

void MolecularForces::add_near(ParticleStore& particles) {
  for (std::size_t place = 0; place < local_in_rows_; ++place) {
    particles.force[in_rows_[place]] += collected_at(place, 0);
    if (near_.rotors[place] != no_rotor) {
      particles.torque.data()[near_.rotors[place]] += collected_at(place, 1);
    }
  }
  const std::size_t rotors = particles.orientation.size();
  std::size_t number = 0;
  particles.for_each_rotor([&](std::uint32_t i) {
    particles.force[i] += std::exchange(near_.of_rotors[number], {});
    particles.torque.data()[number] += std::exchange(near_.of_rotors[rotors + number], {});
    ++number;
  });
}

void MolecularForces::add_and_clear_collected(ParticleStore& particles) {
  const auto add = [&]<class Force>(Force* forces) {
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      particles.force[i] += vector_of(forces[i]);
      forces[i] = Force{};
      const auto type = static_cast<std::size_t>(particles.position[i].type);
      if (kinds_ < 2 || layouts_[type].record_vectors == 0) continue;
      if (particles.rotating()) particles.torque[i] += vector_of(forces[stride_ + i]);
      forces[stride_ + i] = Force{};
    }
  };
  precision_ == Precision::mixed ? add(collected_single_.data()) : add(collected_.data());
}

void MolecularForces::set_forces(const PairList& list, ParticleStore& particles, const Mover*) {
  if (near_.is_used) return add_near(particles);
  if (list.is_around_few()) return add_and_clear_collected(particles);
  if (!half_lists_) return;
  Vec3* const torques = particles.rotating() ? particles.torque.data() : unused_torque_.data();
  const auto copy = [&](const auto* forces) {
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      particles.force[i] = vector_of(forces[i]);
      if (particles.only_some_rotate()) continue;
      torques[i] = kinds_ > 1 ? vector_of(forces[stride_ + i]) : Vec3{};
    }
    if (!particles.only_some_rotate()) return;
    std::size_t number = 0;
    particles.for_each_rotor([&](std::uint32_t i) {
      torques[number++] = kinds_ > 1 ? vector_of(forces[stride_ + i]) : Vec3{};
    });
  };
  if (shared_rows_) {
    add_up_points(particles, torques);
  } else {
    precision_ == Precision::mixed ? copy(collected_single_.data()) : copy(collected_.data());
  }
  clear_collected(0, particles.local_count());
}

template <class Places>
void MolecularForces::place_sites(const ParticleStore& particles, const Places& places,
                                  const Vec3& center) {
  const bool near = near_.is_used;
  const auto particle_at = [&](std::size_t slot) { return near ? in_rows_[slot] : slot; };
  const auto place = [&](auto& sites) {
    using Real = std::decay_t<decltype(sites[0])>;
    for (const std::size_t slot : places) {
      const std::size_t i = particle_at(slot);
      const SiteLayout& layout = layouts_[static_cast<std::size_t>(particles.position[i].type)];
      if (layout.record_vectors == 0) continue;
      const auto turn = particles.orientation[i].matrix();
      const Vec3* const body = body_.data() + layout.record_begin;
      Real* record = sites.data() + slot * record_stride_;
      for (std::uint32_t v = 0; v < layout.record_vectors; ++v) {
        *record++ = static_cast<Real>(dot(turn[0], body[v]));
        *record++ = static_cast<Real>(dot(turn[1], body[v]));
        *record++ = static_cast<Real>(dot(turn[2], body[v]));
        *record++ = Real{0};
      }
    }
  };
  if (precision_ == Precision::mixed) {
    place(sites_single_);
    const double steps = 1.0 / fixed_scale_;
    for (const std::size_t slot : places) {
      const Position& p = particles.position[particle_at(slot)];
      fixed_position_[slot] = {static_cast<std::int32_t>((p.x - center.x) * steps),
                               static_cast<std::int32_t>((p.y - center.y) * steps),
                               static_cast<std::int32_t>((p.z - center.z) * steps),
                               static_cast<std::int32_t>(p.type)};
    }
  } else {
    place(sites_);
  }
}

void MolecularForces::compute(const PairList& list, ParticleStore& particles, PairList::Cells which,
                              EnergyAndVirial* sums) {
  const std::size_t local = particles.local_count();
  const Vec3 center = list.grid().center();
  if (near_.is_used) {
    // All rows are of the boundary.
    if (which == PairList::Cells::boundary) {
      place_sites(particles, std::views::iota(std::size_t{0}, in_rows_.size()), center);
      for (std::size_t place = 0; place < in_rows_.size(); ++place) {
        near_.position[place] = particles.position[in_rows_[place]];
      }
      clear_collected(0, stride_);
    }
  } else if (list.is_around_few()) {
    const std::span<const std::uint32_t> all(in_rows_);
    if (which == PairList::Cells::interior) {
      place_sites(particles, all.first(local_in_rows_), center);
    } else if (which == PairList::Cells::boundary) {
      place_sites(particles, all.subspan(local_in_rows_), center);
      clear_collected_in_rows(local_in_rows_);
    }
  } else if (which == PairList::Cells::interior) {
    place_sites(particles, std::views::iota(std::size_t{0}, local), center);
  } else if (which == PairList::Cells::boundary) {
    place_sites(particles, std::views::iota(local, particles.total_count()), center);
    if (half_lists_) clear_collected(local, particles.total_count());
  }
  MolecularWork work{};
  work.rows = list.rows();
  work.rows.position = particles.position.data();
  if (near_.is_used) {
    work.rows.position = near_.position.data();
    work.rows.local = static_cast<std::uint32_t>(local_in_rows_);
    work.rows.total = static_cast<std::uint32_t>(in_rows_.size());
    work.rows.cells = near_.runs.data();
    work.rows.row_begin = near_.row_begin.data();
    work.rows.plain = near_.neighbors.data();
    work.rows.whole_below = near_.whole_below;
  }
  work.rows.fixed_position = fixed_position_.data();
  work.rows.fixed_scale = fixed_scale_;
  work.component_count = layouts_.size();
  work.layouts = layouts_.data();
  work.terms = terms_.data();
  work.term_begin = term_begin_.data();
  work.site_grids = site_grids_.data();
  work.named = named_.data();
  work.named_begin = named_begin_.data();
  work.vectors = vectors_.data();
  work.column_count = column_count_;
  large_bodies_.put_into(work);
  work.record_stride = record_stride_;
  work.sites = sites_.data();
  work.sites_single = sites_single_.data();
  work.site_cutoff = site_cutoff_;
  work.range_squared = range_ * range_;
  work.cutoff_squared = cutoff_squared_;
  work.lennard_jones_cutoff_squared = lennard_jones_cutoff_squared_;
  work.scratch = scratch_.data();
  work.rows.force = collected_.data();
  work.rows.collected = collected_single_.data();
  work.torques = work.rows;
  work.torques.force += collected_.size() > 0 ? stride_ : 0;
  work.torques.collected += collected_single_.size() > 0 ? stride_ : 0;
  work.point_force = collected_single_.data();
  work.point_stride = stride_;
  work.force = particles.force.data();
  work.torque = particles.rotating() ? particles.torque.data() : unused_torque_.data();
  std::span<const std::uint32_t> cells = list.cells(which);
  if (near_.is_used && which == PairList::Cells::boundary) cells = near_.run_numbers;
  const auto compute =
      precision_ == Precision::mixed ? kernels_.compute_mixed : kernels_.compute_double;
  compute(work, cells.data(), cells.size(), sums != nullptr);
  if (sums != nullptr) {
    if (which == PairList::Cells::interior) lennard_jones_energy_ = coulomb_energy_ = 0.0;
    lennard_jones_energy_ += work.lennard_jones;
    coulomb_energy_ += work.energy - work.lennard_jones;
    sums->energy += work.energy;
    for (int k = 0; k < 6; ++k) sums->virial[k] += work.virial[k];
  }
}

}  // namespace sterna::md
