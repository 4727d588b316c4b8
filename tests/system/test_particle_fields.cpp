#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string_view>
#include <type_traits>
#include <vector>

#include "md/system/particle_fields.hpp"

using namespace sterna::md;

namespace {

constexpr ParticleKind point{};
constexpr ParticleKind body{.rotating = true};
constexpr ParticleKind atom{.molecules = true};

std::vector<std::string_view> names_of_ghosts(const ParticleKind& kind, SentToGhosts when) {
  std::vector<std::string_view> names;
  for_each_field_of_ghosts(kind, std::array{when},
                           [&](const auto& field) { names.push_back(field.name); });
  return names;
}

ParticleRecord example() {
  return {{0.5, 1.5, 2.5, 3}, {4.0, 5.0, 6.0}, 7, {8, 9, 10}, {0.5, 0.5, -0.5, 0.5}, {1, 2, 3}};
}

}  // namespace

TEST_CASE("each field has one name, and each array one field that it belongs to") {
  std::set<std::string_view> names;
  std::size_t fields = 0;
  std::size_t bytes_of_arrays = 0;
  for_each_field([&](const auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    names.insert(field.name);
    ++fields;
    if (field.has_array()) bytes_of_arrays += sizeof(typename Field::ElementType);
    CHECK(field.offset + sizeof(typename Field::Numbers) <= sizeof(typename Field::ElementType));
  });
  CHECK(names.size() == fields);
  CHECK(bytes_of_arrays == 32 + 24 + 24 + 8 + 12 + 32 + 24 + 24);
}

TEST_CASE("ghosts hear of positions in each step, of orientations and ids where they have some") {
  using Names = std::vector<std::string_view>;
  CHECK(names_of_ghosts(point, SentToGhosts::every_step) == Names{"position"});
  CHECK(names_of_ghosts(point, SentToGhosts::at_rebuild) == Names{"type"});
  CHECK(names_of_ghosts(body, SentToGhosts::every_step) == Names{"position", "orientation"});
  CHECK(names_of_ghosts(atom, SentToGhosts::at_rebuild) == Names{"id", "type"});
}

TEST_CASE("a record of a checkpoint has the size of versions 1 and 2") {
  CHECK(bytes_in_files(point) == 72);
  CHECK(bytes_in_files(body) == 128);
  CHECK(trajectory_field_names() == std::vector<std::string_view>{"position", "velocity", "force",
                                                                  "image", "orientation",
                                                                  "angular_momentum"});
}

TEST_CASE("what belongs to a particle comes back from the store, and only its arrays are there") {
  for (const bool rotating : {false, true}) {
    CAPTURE(rotating);
    ParticleStore particles;
    particles.set_rotating(rotating);
    particles.resize_local(2);
    CHECK(particles.orientation.size() == (rotating ? 2 : 0));
    CHECK(particles.torque.size() == (rotating ? 2 : 0));
    CHECK(particles.force.size() == 2);
    set_particle(particles, 1, example());
    const ParticleRecord found = particle(particles, 1);
    for_each_field([&](const auto& field) {
      if (!field.belongs_to_particle() || !is_kept(field.kept, particles.kind())) return;
      CAPTURE(field.name);
      CHECK(field.get(found.*field.in_record) == field.get(example().*field.in_record));
    });
    if (!rotating) CHECK(found.orientation == Quaternion{});

    particles.resize_ghosts(3);
    CHECK(particles.position.size() == 5);
    CHECK(particles.orientation.size() == (rotating ? 5 : 0));
    CHECK(particles.id.size() == 2);
    particles.resize_ghosts(0);
    particles.set_ghost_ids(true);
    particles.resize_ghosts(3);
    CHECK(particles.id.size() == 5);
    CHECK(particles.velocity.size() == 2);
  }
}

TEST_CASE("numbers are shown wrapped into the box, and what is not a number as it is") {
  ParticleStore particles;
  particles.resize_local(1);
  ParticleRecord record = example();
  const Box box{{1.0, 2.0, 4.0}};
  record.position = {1.25, -0.5, 2.0, 3};
  set_particle(particles, 0, record);
  for_each_field([&](const auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (Field::is_position) {
      CHECK(shown(field, particles, box, 0) == typename Field::Numbers{0.25, 1.5, 2.0});
    } else if constexpr (Field::is_image) {
      CHECK(shown(field, particles, box, 0) == typename Field::Numbers{9, 8, 10});
    } else if constexpr (std::is_same_v<typename Field::StoredType, std::int32_t>) {
      CHECK(shown(field, particles, box, 0) == typename Field::Numbers{3});
    }
  });
  particles.position[0].y = std::numeric_limits<double>::quiet_NaN();
  for_each_field([&](const auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (Field::is_position) {
      CHECK(std::isnan(shown(field, particles, box, 0)[1]));
      CHECK(shown(field, particles, box, 0)[0] == 1.25);
    }
  });
}
