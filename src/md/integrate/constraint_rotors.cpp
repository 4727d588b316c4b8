#include "md/integrate/constraint_rotors.hpp"

#include <algorithm>
#include <cmath>

#include "md/core/cross_product.hpp"

namespace sterna::md {
namespace {

Vec3 vector_in(const RotorWork::Numbers (&rows)[3], std::size_t lane) {
  return {rows[0][lane], rows[1][lane], rows[2][lane]};
}

void put_into(RotorWork::Numbers (&rows)[3], std::size_t lane, const Vec3& v) {
  for (int axis = 0; axis < 3; ++axis) rows[axis][lane] = v[axis];
}

}  // namespace

void ConstraintRotors::add(const ConstraintGroup& group, GroupsPart part,
                           std::span<const ConstraintSet::Atom> atoms) {
  Kind& kind = kinds_.try_emplace({part, group.number}, Kind{&group, {}, {}}).first->second;
  for (const ConstraintSet::Atom& atom : atoms) kind.atoms.push_back({atom.place, atom.vector});
}

void ConstraintRotors::complete() {
  for (auto& [key, kind] : kinds_) {
    // Vectors that have grown may hold up to twice the memory that they need.
    kind.atoms.shrink_to_fit();
    kind.connections.resize(kind.bodies() * (kind.size() - 1));
  }
}

void ConstraintRotors::update_connections(const ParticleStore& particles) {
  for (auto& [key, kind] : kinds_) {
    Vec3* connection = kind.connections.data();
    for (std::size_t body = 0; body < kind.bodies(); ++body) {
      const auto atoms = kind.atoms_of(body);
      for (std::size_t k = 1; k < atoms.size(); ++k) {
        const auto parent = static_cast<std::size_t>(kind.group->parent[k]);
        *connection++ = particles.position[atoms[k].place].vector() -
                        particles.position[atoms[parent].place].vector();
      }
    }
  }
}

std::vector<Vec3> ConstraintRotors::Kind::places_of(std::size_t body) const {
  std::vector<Vec3> places(size());
  const auto connection = connections_of(body);
  for (std::size_t k = 1; k < places.size(); ++k) {
    places[k] = places[static_cast<std::size_t>(group->parent[k])] + connection[k - 1];
  }
  return places;
}

template <class Use>
void ConstraintRotors::for_each_batch(GroupsPart part, Use&& use) {
  for (const auto& [key, kind] : kinds_) {
    if (part != GroupsPart::all && part != key.first) continue;
    const std::size_t bodies = kind.bodies();
    for (std::size_t first = 0; first < bodies; first += rotors_together) {
      const std::size_t count = std::min(bodies - first, rotors_together);
      for (std::size_t lane = 0; lane < rotors_together; ++lane) {
        // The last body fills the remaining lanes.
        const auto connection = kind.connections_of(first + std::min(lane, count - 1));
        put_into(work_.place[0], lane, Vec3{});
        for (std::size_t k = 1; k < kind.size(); ++k) {
          const auto parent = static_cast<std::size_t>(kind.group->parent[k]);
          put_into(work_.place[k], lane, vector_in(work_.place[parent], lane) + connection[k - 1]);
        }
      }
      use(Batch{kind, first, count});
    }
  }
}

template <class VectorOf>
void ConstraintRotors::put(const Batch& batch, const VectorOf& vector_of) {
  for (std::size_t lane = 0; lane < rotors_together; ++lane) {
    const std::size_t body = std::min(lane, batch.count - 1);
    const auto atoms = batch.atoms(body);
    for (std::size_t k = 0; k < atoms.size(); ++k) {
      put_into(work_.velocity[k], lane, vector_of(body, k, atoms[k].vector));
    }
  }
}

void ConstraintRotors::turn(GroupsPart part, double timestep, ParticleStore& particles,
                            const ConstGhostedVectors& velocity, Motion& motion) {
  const std::size_t local = particles.local_count();
  for_each_batch(part, [&](const Batch& batch) {
    put(batch, [&](std::size_t, std::size_t, std::size_t at) { return velocity[at]; });
    batch.kind.group->rotor->turn(work_, timestep);
    for (std::size_t lane = 0; lane < batch.count; ++lane) {
      const auto atoms = batch.atoms(lane);
      for (std::size_t k = 0; k < atoms.size(); ++k) {
        const std::uint32_t i = atoms[k].vector;
        if (i >= local) continue;
        const Vec3 path = (1.0 / timestep) * vector_in(work_.path[k], lane);
        const Vec3 change = path - particles.velocity[i];
        Position& position = particles.position[i];
        position.x += timestep * change.x;
        position.y += timestep * change.y;
        position.z += timestep * change.z;
        particles.velocity[i] = vector_in(work_.velocity[k], lane);
        motion.fastest_squared = std::max(motion.fastest_squared, dot(path, path));
        motion.largest_change_squared =
            std::max(motion.largest_change_squared, dot(change, change));
      }
    }
  });
}

double ConstraintRotors::longest_distance() const {
  double longest = 0.0;
  for (const auto& [key, kind] : kinds_) {
    for (std::size_t k = 0; k + 1 < kind.size(); ++k) {
      longest = std::max(longest, kind.group->constraints[k].distance);
    }
  }
  return longest;
}

double ConstraintRotors::largest_deviation() const {
  double largest = 0.0;
  for (const auto& [key, kind] : kinds_) {
    for (std::size_t body = 0; body < kind.bodies(); ++body) {
      const std::vector<Vec3> places = kind.places_of(body);
      for (const auto& [first, second, distance] : kind.group->constraints) {
        const Vec3 connection = places[first] - places[second];
        const double found = std::sqrt(dot(connection, connection));
        largest = largest_of(largest, std::abs(found - distance) / distance);
      }
    }
  }
  return largest;
}

double ConstraintRotors::largest_velocity_along(const ConstGhostedVectors& velocity) const {
  double largest = 0.0;
  for (const auto& [key, kind] : kinds_) {
    for (std::size_t body = 0; body < kind.bodies(); ++body) {
      const std::vector<Vec3> places = kind.places_of(body);
      const auto atoms = kind.atoms_of(body);
      for (const auto& [first, second, distance] : kind.group->constraints) {
        const Vec3 apart = velocity[atoms[first].vector] - velocity[atoms[second].vector];
        largest =
            largest_of(largest, std::abs(dot(apart, places[first] - places[second])) / distance);
      }
    }
  }
  return largest;
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> ConstraintRotors::fit(
    ParticleStore& particles, double& farthest) {
  std::optional<std::pair<std::uint32_t, std::uint32_t>> failed;
  for_each_batch(GroupsPart::all, [&](const Batch& batch) {
    batch.kind.group->rotor->fit(work_);
    for (std::size_t lane = 0; lane < batch.count; ++lane) {
      const auto atoms = batch.atoms(lane);
      for (std::size_t k = 0; k < atoms.size(); ++k) {
        const Vec3 path = vector_in(work_.path[k], lane);
        if (!failed && !std::isfinite(dot(path, path))) {
          failed.emplace(atoms[1].place, atoms[0].place);
        }
        if (atoms[k].vector >= particles.local_count()) continue;
        Position& position = particles.position[atoms[k].vector];
        position.x += path.x;
        position.y += path.y;
        position.z += path.z;
        farthest = std::max(farthest, std::sqrt(dot(path, path)));
      }
    }
  });
  return failed;
}

void ConstraintRotors::project(const Batch& batch, const ConstGhostedVectors& vectors) {
  put(batch, [&](std::size_t, std::size_t, std::size_t at) { return vectors[at]; });
  batch.kind.group->rotor->project(work_);
}

void ConstraintRotors::project(GroupsPart part, const GhostedVectors& velocity) {
  for_each_batch(part, [&](const Batch& batch) {
    project(batch, velocity);
    for (std::size_t lane = 0; lane < batch.count; ++lane) {
      const auto atoms = batch.atoms(lane);
      for (std::size_t k = 0; k < atoms.size(); ++k) {
        velocity[atoms[k].vector] = vector_in(work_.velocity[k], lane);
      }
    }
  });
}

EnergyAndVirial ConstraintRotors::constrain_accelerations(const ParticleStore& particles,
                                                          std::span<const double> weights,
                                                          const ConstGhostedVectors* velocity,
                                                          const ConstGhostedVectors& force,
                                                          std::span<Vec3> changed) {
  EnergyAndVirial sums;
  const std::size_t local = particles.local_count();
  const auto weight = [&](std::size_t at) {
    return weights[static_cast<std::size_t>(particles.position[at].type)];
  };
  for_each_batch(GroupsPart::all, [&](const Batch& batch) {
    const ConstraintRotor& rotor = *batch.kind.group->rotor;
    if (velocity == nullptr) {
      put(batch, [](std::size_t, std::size_t, std::size_t) { return Vec3{}; });
      rotor.project(work_);
    } else {
      project(batch, *velocity);
    }
    Vec3 turning[rotors_together];
    for (std::size_t lane = 0; lane < rotors_together; ++lane) {
      turning[lane] = vector_in(work_.angular_velocity, lane);
    }
    // The centripetal acceleration keeps an atom on its circle; the rest is a rigid motion.
    const auto centripetal = [&](std::size_t lane, std::size_t k) {
      return cross(turning[lane], cross(turning[lane], vector_in(work_.place[k], lane)));
    };
    put(batch, [&](std::size_t body, std::size_t k, std::size_t at) {
      return weight(at) * force[at] - centripetal(body, k);
    });
    rotor.project(work_);
    for (std::size_t lane = 0; lane < batch.count; ++lane) {
      const auto atoms = batch.atoms(lane);
      const auto own = std::ranges::count_if(
          atoms, [local](const Kind::Atom& atom) { return atom.vector < local; });
      const double share = static_cast<double>(own) / static_cast<double>(atoms.size());
      for (std::size_t k = 0; k < atoms.size(); ++k) {
        const std::uint32_t at = atoms[k].vector;
        const Vec3 place = vector_in(work_.place[k], lane);
        const Vec3 constrained = vector_in(work_.velocity[k], lane) + centripetal(lane, k);
        const Vec3 given = weight(at) * force[at];
        const Vec3 added = (share * rotor.whole_mass() * rotor.mass(k)) * (constrained - given);
        sums.virial[0] += place.x * added.x;
        sums.virial[1] += place.y * added.y;
        sums.virial[2] += place.z * added.z;
        sums.virial[3] += place.x * added.y;
        sums.virial[4] += place.x * added.z;
        sums.virial[5] += place.y * added.z;
        if (at < changed.size()) changed[at] = (1.0 / weight(at)) * constrained;
      }
    }
  });
  return sums;
}

}  // namespace sterna::md
