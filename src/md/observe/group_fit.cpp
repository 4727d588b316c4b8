#include "md/observe/group_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "md/system/best_fit.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

GroupFit::GroupFit(const ObserverRequest& request, const std::vector<std::string>& groups,
                   bool mass_weighted, const std::string& name)
    : context_(request.context),
      mass_weighted_(mass_weighted),
      groups_(groups_from_input(request.input, request.topology, groups)),
      whole_(request.context, request.topology, groups_, name) {
  for (const AtomGroup& group : groups_) {
    std::vector<std::int64_t>& ids = ids_.emplace_back();
    for (std::int64_t id = 1; id <= request.topology.atom_count(); ++id) {
      if (group.contains(id, 0)) ids.push_back(id);
    }
  }
}

void GroupFit::gather(const Frame& frame) {
  molecules_ = whole_.gather(frame);
  masses_ = frame.masses;
  if (!reference_.empty()) return;
  for (std::size_t g = 0; g < groups_.size(); ++g) keep_reference(g);
}

/// Atoms of a group that this rank has: their places in the order of the group's ids.
void GroupFit::place_atoms(std::size_t group) {
  places_.clear(), positions_.clear(), weights_.clear();
  const std::vector<std::int64_t>& ids = ids_[group];
  for (const WholeMolecules::Molecule& molecule : molecules_) {
    const auto& atoms = whole_.topology().molecules()[molecule.kind].atoms;
    const auto end = molecule.first_id + static_cast<std::int64_t>(atoms.size());
    for (auto id = std::ranges::lower_bound(ids, molecule.first_id); id != ids.end() && *id < end;
         ++id) {
      const auto k = static_cast<std::size_t>(*id - molecule.first_id);
      places_.push_back(static_cast<std::size_t>(id - ids.begin()));
      positions_.push_back(molecule.positions[k]);
      weights_.push_back(mass_weighted_ ? masses_[static_cast<std::size_t>(atoms[k].type)] : 1.0);
    }
  }
}

/// About their center, on all ranks.
void GroupFit::keep_reference(std::size_t group) {
  place_atoms(group);
  const Vec3 middle = center();
  std::vector<double> all(3 * ids_[group].size(), 0.0);
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const Vec3 from_center = positions_[k] - middle;
    for (int axis = 0; axis < 3; ++axis) {
      all[3 * places_[k] + static_cast<std::size_t>(axis)] = from_center[axis];
    }
  }
  comm::ReductionBatch batch(context_, "reference of a fit", comm::ReductionOrder::fixed);
  batch.sum(all.data(), all.size()).run();
  std::vector<Vec3>& of_group = reference_.emplace_back();
  for (std::size_t k = 0; k < all.size(); k += 3) {
    of_group.push_back({all[k], all[k + 1], all[k + 2]});
  }
}

Vec3 GroupFit::center() {
  double sums[4] = {};
  for (std::size_t k = 0; k < positions_.size(); ++k) {
    for (int axis = 0; axis < 3; ++axis) sums[axis] += weights_[k] * positions_[k][axis];
    sums[3] += weights_[k];
  }
  comm::ReductionBatch batch(context_, "center of a fit", comm::ReductionOrder::fixed);
  batch.sum(sums, 4).run();
  weight_ = sums[3];
  return weight_ > 0.0 ? (1.0 / weight_) * Vec3{sums[0], sums[1], sums[2]} : Vec3{};
}

GroupFit::Fit GroupFit::fit(std::size_t group) {
  place_atoms(group);
  const Vec3 middle = center();
  if (!(weight_ > 0.0)) return {{}, {}, 0.0};
  const std::vector<Vec3>& reference = reference_[group];
  std::array<double, 10> sums{};  // the matrix, then the squares
  for (std::size_t k = 0; k < places_.size(); ++k) {
    positions_[k] -= middle;
    const Vec3 here = positions_[k], there = reference[places_[k]];
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) {
        sums[static_cast<std::size_t>(3 * a + b)] += weights_[k] * here[a] * there[b];
      }
    }
    sums[9] += weights_[k] * (dot(here, here) + dot(there, there));
  }
  comm::ReductionBatch batch(context_, "fit", comm::ReductionOrder::fixed);
  batch.sum(sums.data(), sums.size()).run();
  const BestFit best = best_fit(std::span(sums).first<9>());
  for (std::size_t k = 0; k < places_.size(); ++k) {
    positions_[k] = best.rotation.to_lab(positions_[k]) - reference[places_[k]];
  }
  return {places_, positions_, std::sqrt(std::max(0.0, (sums[9] - 2.0 * best.overlap) / weight_))};
}

/// How many groups have a reference, and of each the number of its atoms and their coordinates.
std::vector<double> GroupFit::reference() const {
  std::vector<double> all{static_cast<double>(reference_.size())};
  for (const auto& of_group : reference_) {
    all.push_back(static_cast<double>(of_group.size()));
    for (const Vec3& at : of_group) all.insert(all.end(), {at.x, at.y, at.z});
  }
  return all;
}

std::size_t GroupFit::set_reference(std::span<const double> values) {
  if (values.empty()) return 0;
  const bool has_reference = values[0] > 0.0;
  if (has_reference && values[0] != static_cast<double>(groups_.size())) return 0;
  std::size_t at = 1;
  std::vector<std::vector<Vec3>> reference;
  for (std::size_t g = 0; has_reference && g < groups_.size(); ++g) {
    const std::size_t size = ids_[g].size();
    if (at >= values.size() || values[at] != static_cast<double>(size)) return 0;
    ++at;
    if (values.size() - at < 3 * size) return 0;
    std::vector<Vec3>& of_group = reference.emplace_back();
    for (std::size_t k = 0; k < size; ++k, at += 3) {
      of_group.push_back({values[at], values[at + 1], values[at + 2]});
    }
  }
  reference_ = std::move(reference);
  return at;
}

}  // namespace sterna::md
