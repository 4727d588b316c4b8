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

void ConstraintRotors::sort() {
  std::ranges::stable_sort(bodies_, {}, [](const Body& body) { return body.group->number; });
}

std::vector<Vec3> ConstraintRotors::places_of(const Body& body, const ConstraintSet& set) {
  const ConstraintGroup& group = *body.group;
  std::vector<Vec3> places(group.atoms.size());
  for (std::size_t k = 1; k < places.size(); ++k) {
    places[k] = places[static_cast<std::size_t>(group.parent[k])] +
                set.constraints[body.first_constraint + k - 1].connection;
  }
  return places;
}

template <class Use>
void ConstraintRotors::for_each_batch(const ConstraintSet& set, Use&& use) {
  std::span<const Body> rest = bodies_;
  while (!rest.empty()) {
    const ConstraintGroup& group = *rest.front().group;
    std::size_t count = 1;
    while (count < std::min(rest.size(), rotors_together) && rest[count].group == &group) ++count;
    for (std::size_t lane = 0; lane < rotors_together; ++lane) {
      // The last one again where there are no more.
      const Body& body = rest[std::min(lane, count - 1)];
      put_into(work_.place[0], lane, Vec3{});
      // The first constraints join each atom to its parent.
      for (std::size_t k = 1; k < group.atoms.size(); ++k) {
        const auto parent = static_cast<std::size_t>(group.parent[k]);
        const Vec3& connection = set.constraints[body.first_constraint + k - 1].connection;
        put_into(work_.place[k], lane, vector_in(work_.place[parent], lane) + connection);
      }
    }
    use(rest.first(count));
    rest = rest.subspan(count);
  }
}

template <class VectorOf>
void ConstraintRotors::put(std::span<const Body> bodies, const ConstraintSet& set,
                           const VectorOf& vector_of) {
  for (std::size_t lane = 0; lane < rotors_together; ++lane) {
    const std::size_t body = std::min(lane, bodies.size() - 1);
    const auto atoms = atoms_of(bodies[body], set);
    for (std::size_t k = 0; k < atoms.size(); ++k) {
      put_into(work_.velocity[k], lane, vector_of(body, k, atoms[k].vector));
    }
  }
}

void ConstraintRotors::turn(const ConstraintSet& set, double timestep, std::span<Vec3> velocity,
                            std::span<Vec3> end) {
  for_each_batch(set, [&](std::span<const Body> bodies) {
    const ConstraintRotor& rotor = *bodies.front().group->rotor;
    put(bodies, set, [&](std::size_t, std::size_t, std::size_t at) { return velocity[at]; });
    rotor.turn(work_, timestep);
    for (std::size_t lane = 0; lane < bodies.size(); ++lane) {
      const auto atoms = atoms_of(bodies[lane], set);
      for (std::size_t k = 0; k < atoms.size(); ++k) {
        velocity[atoms[k].vector] = (1.0 / timestep) * vector_in(work_.path[k], lane);
        end[atoms[k].vector] = vector_in(work_.velocity[k], lane);
      }
    }
  });
}

void ConstraintRotors::give_velocities(const ConstraintSet& set, std::span<const Vec3> end,
                                       ParticleStore& particles) const {
  for (const Body& body : bodies_) {
    for (const ConstraintSet::Atom& atom : atoms_of(body, set)) {
      if (atom.vector < particles.local_count()) particles.velocity[atom.vector] = end[atom.vector];
    }
  }
}

double ConstraintRotors::largest_deviation(const ConstraintSet& set) const {
  double largest = 0.0;
  for (const Body& body : bodies_) {
    const std::vector<Vec3> places = places_of(body, set);
    for (const auto& [first, second, distance] : body.group->constraints) {
      const Vec3 connection = places[first] - places[second];
      const double found = std::sqrt(dot(connection, connection));
      largest = largest_of(largest, std::abs(found - distance) / distance);
    }
  }
  return largest;
}

double ConstraintRotors::largest_velocity_along(const ConstraintSet& set,
                                                std::span<const Vec3> velocity) const {
  double largest = 0.0;
  for (const Body& body : bodies_) {
    const std::vector<Vec3> places = places_of(body, set);
    const auto atoms = atoms_of(body, set);
    for (const auto& [first, second, distance] : body.group->constraints) {
      const Vec3 apart = velocity[atoms[first].vector] - velocity[atoms[second].vector];
      largest =
          largest_of(largest, std::abs(dot(apart, places[first] - places[second])) / distance);
    }
  }
  return largest;
}

std::optional<std::uint32_t> ConstraintRotors::fit(const ConstraintSet& set,
                                                   std::span<Vec3> shift) {
  std::optional<std::uint32_t> failed;
  for_each_batch(set, [&](std::span<const Body> bodies) {
    bodies.front().group->rotor->fit(work_);
    for (std::size_t lane = 0; lane < bodies.size(); ++lane) {
      const auto atoms = atoms_of(bodies[lane], set);
      for (std::size_t k = 0; k < atoms.size(); ++k) {
        const Vec3 path = vector_in(work_.path[k], lane);
        if (!failed && !std::isfinite(dot(path, path))) failed = bodies[lane].first_constraint;
        shift[atoms[k].vector] = path;
      }
    }
  });
  return failed;
}

void ConstraintRotors::project(std::span<const Body> bodies, const ConstraintSet& set,
                               std::span<const Vec3> vectors) {
  put(bodies, set, [&](std::size_t, std::size_t, std::size_t at) { return vectors[at]; });
  bodies.front().group->rotor->project(work_);
}

void ConstraintRotors::project(const ConstraintSet& set, std::span<Vec3> velocity) {
  for_each_batch(set, [&](std::span<const Body> bodies) {
    project(bodies, set, velocity);
    for (std::size_t lane = 0; lane < bodies.size(); ++lane) {
      const auto atoms = atoms_of(bodies[lane], set);
      for (std::size_t k = 0; k < atoms.size(); ++k) {
        velocity[atoms[k].vector] = vector_in(work_.velocity[k], lane);
      }
    }
  });
}

EnergyAndVirial ConstraintRotors::constrain_accelerations(const ConstraintSet& set,
                                                          std::span<const Vec3> velocity,
                                                          std::span<Vec3> acceleration) {
  EnergyAndVirial sums;
  for_each_batch(set, [&](std::span<const Body> bodies) {
    const ConstraintRotor& rotor = *bodies.front().group->rotor;
    if (velocity.empty()) {
      put(bodies, set, [](std::size_t, std::size_t, std::size_t) { return Vec3{}; });
      rotor.project(work_);
    } else {
      project(bodies, set, velocity);
    }
    Vec3 turning[rotors_together];
    for (std::size_t lane = 0; lane < rotors_together; ++lane) {
      turning[lane] = vector_in(work_.angular_velocity, lane);
    }
    // What keeps an atom on its circle. The rest is a rigid motion.
    const auto centripetal = [&](std::size_t lane, std::size_t k) {
      return cross(turning[lane], cross(turning[lane], vector_in(work_.place[k], lane)));
    };
    put(bodies, set, [&](std::size_t body, std::size_t k, std::size_t at) {
      return acceleration[at] - centripetal(body, k);
    });
    rotor.project(work_);
    for (std::size_t lane = 0; lane < bodies.size(); ++lane) {
      const auto atoms = atoms_of(bodies[lane], set);
      for (std::size_t k = 0; k < atoms.size(); ++k) {
        const Vec3 place = vector_in(work_.place[k], lane);
        const Vec3 constrained = vector_in(work_.velocity[k], lane) + centripetal(lane, k);
        Vec3& given = acceleration[atoms[k].vector];
        const Vec3 force =
            (bodies[lane].share * rotor.whole_mass() * rotor.mass(k)) * (constrained - given);
        sums.virial[0] += place.x * force.x;
        sums.virial[1] += place.y * force.y;
        sums.virial[2] += place.z * force.z;
        sums.virial[3] += place.x * force.y;
        sums.virial[4] += place.x * force.z;
        sums.virial[5] += place.y * force.z;
        given = constrained;
      }
    }
  });
  return sums;
}

}  // namespace sterna::md
