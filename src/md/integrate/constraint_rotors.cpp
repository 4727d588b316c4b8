#include "md/integrate/constraint_rotors.hpp"

#include <algorithm>
#include <functional>

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
  std::ranges::stable_sort(bodies_, std::less<>(), &Body::group);
}

std::span<const ConstraintSet::Atom> ConstraintRotors::atoms_of(const Body& body,
                                                                const ConstraintSet& set) {
  const std::uint32_t first =
      set.constraints[body.first_constraint].first - body.group->constraints.front().first;
  return std::span(set.atoms).subspan(first, body.group->atoms.size());
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
void ConstraintRotors::put(std::span<const Body> bodies, const VectorOf& vector_of) {
  for (std::size_t lane = 0; lane < rotors_together; ++lane) {
    const std::size_t body = std::min(lane, bodies.size() - 1);
    for (std::size_t k = 0; k < bodies[body].group->atoms.size(); ++k) {
      put_into(work_.velocity[k], lane, vector_of(body, k));
    }
  }
}

void ConstraintRotors::turn(const ConstraintSet& set, double timestep, std::span<Vec3> velocity,
                            std::span<Vec3> end) {
  for_each_batch(set, [&](std::span<const Body> bodies) {
    const ConstraintRotor& rotor = *bodies.front().group->rotor;
    put(bodies, [&](std::size_t body, std::size_t k) {
      return velocity[atoms_of(bodies[body], set)[k].vector];
    });
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

void ConstraintRotors::fit(const ConstraintSet& set, std::span<Vec3> shift) const {
  for (const Body& body : bodies_) {
    const ConstraintGroup& group = *body.group;
    std::vector<Vec3> places(group.atoms.size());
    for (std::size_t k = 1; k < places.size(); ++k) {
      places[k] = places[static_cast<std::size_t>(group.parent[k])] +
                  set.constraints[body.first_constraint + k - 1].connection;
    }
    const std::vector<Vec3> fitted = group.rotor->fit(places);
    const auto atoms = atoms_of(body, set);
    for (std::size_t k = 0; k < atoms.size(); ++k) shift[atoms[k].vector] = fitted[k] - places[k];
  }
}

void ConstraintRotors::project(std::span<const Body> bodies, const ConstraintSet& set,
                               std::span<const Vec3> vectors) {
  put(bodies, [&](std::size_t body, std::size_t k) {
    return vectors[atoms_of(bodies[body], set)[k].vector];
  });
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
      put(bodies, [](std::size_t, std::size_t) { return Vec3{}; });
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
    put(bodies, [&](std::size_t body, std::size_t k) {
      return acceleration[atoms_of(bodies[body], set)[k].vector] - centripetal(body, k);
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
