#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "md/core/box.hpp"
#include "md/input/thermostat_parts.hpp"
#include "md/system/atom_group.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/selection.hpp"

namespace sterna::md {

/// The molecules that a thermostat acts on, and the kinds of their motion.
class SelectedMotion {
 public:
  /// `groups`: the molecules are in any of them; empty: all are.
  SelectedMotion(const Selection& where = {}, std::vector<AtomGroup> groups = {},
                 ThermalMotion kind = ThermalMotion::all)
      : where_(where), groups_(std::move(groups)), kind_(kind) {}

  const Selection& where() const { return where_; }
  bool has_translation() const { return kind_ != ThermalMotion::rotation; }
  bool has_rotation() const { return kind_ != ThermalMotion::translation; }
  bool is_everything() const {
    return where_.is_everything() && groups_.empty() && kind_ == ThermalMotion::all;
  }
  bool contains(const ParticleStore& particles, std::size_t i, const Box& box) const {
    const Position& position = particles.position[i];
    if (!where_.contains(position, box)) return false;
    return groups_.empty() || std::ranges::any_of(groups_, [&](const AtomGroup& group) {
             return group.contains(particles.id[i], position, box);
           });
  }

 private:
  Selection where_;
  std::vector<AtomGroup> groups_;
  ThermalMotion kind_;
};

}  // namespace sterna::md
