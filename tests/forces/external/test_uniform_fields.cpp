// Constant forces, gravity and electric fields.
#include <doctest/doctest.h>

#include <vector>

#include "forces/external/external_support.hpp"
#include "md/forces/external/uniform_fields.hpp"

using namespace sterna::md;

namespace {

const Box box{{10.0, 12.0, 14.0}, {2.0, -1.0, 1.5}};
const std::vector<Vec3> places{{1.0, 3.2, 8.1}, {9.9, 3.0, 8.3}, {5.0, 4.1, 5.9}, {5.0, 3.9, 5.7}};

}  // namespace

TEST_CASE("forces and torques of fields are differences of the energy") {
  const std::vector<UniformFields::Field> fields{{.force = {0.1, 0.2, -0.4}},
                                                 {.acceleration = {0.0, 0.0, -0.7}, .type = 1},
                                                 {.electric_field = {1.5, -0.3, 0.8}}};
  UniformFields term(box, test::components(), 2.0, fields);
  ParticleStore store = test::molecules_at(places);
  CHECK(test::error_of_forces(term, store) < 1e-8);
  test::energy_of(term, store);
  // The atom feels the constant force only.
  CHECK(store.force[0] == Vec3{0.1, 0.2, -0.4});
  // Mass 2.5; charge 0.3 in units of which two are one.
  CHECK(store.force[1].x == doctest::Approx(0.1 + 0.15 * 1.5));
  CHECK(store.force[1].z == doctest::Approx(-0.4 - 2.5 * 0.7 + 0.15 * 0.8));
}

TEST_CASE("the energy follows a molecule through the images of the box") {
  const std::vector<UniformFields::Field> fields{{.force = {0.5, -0.25, 2.0}}};
  UniformFields term(box, test::components(), 1.0, fields);
  ParticleStore store = test::molecules_at(places);
  const double before = test::energy_of(term, store);
  for (std::size_t i = 0; i < store.local_count(); ++i) {
    // The same place, as a rebuild would write it after a path through the faces.
    const Vec3 moved = store.position[i].vector() - box.translation(1.0, -2.0, 3.0);
    store.position[i] = {moved.x, moved.y, moved.z, store.position[i].type};
    store.image[i] = {1, -2, 3};
  }
  CHECK(test::energy_of(term, store) == doctest::Approx(before).epsilon(1e-12));
}
