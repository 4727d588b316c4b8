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

TEST_CASE("among atoms, only those that turn have orientations, momenta and torques") {
  ParticleStore particles;
  particles.set_turning_types({0, 1});
  CHECK(particles.rotating());
  CHECK(particles.only_some_rotate());
  ParticleRecord record = example();
  for (std::size_t i = 0; i < 200; ++i) {
    record.position.type = i % 65 == 64 ? 1 : 0;
    particles.resize_local(i + 1);
    set_particle(particles, i, record);
  }
  CHECK(particles.local_rotors() == 3);
  CHECK(particles.orientation.size() == 3);
  CHECK(particles.torque.size() == 3);
  std::vector<std::size_t> visited;
  particles.for_each_rotor([&](std::uint32_t i) { visited.push_back(i); });
  CHECK(visited == std::vector<std::size_t>{64, 129, 194});
  CHECK(particle(particles, 129).orientation == example().orientation);
  CHECK(particle(particles, 128).orientation == Quaternion{});
  particles.torque[194] = {1.0, 2.0, 3.0};
  CHECK(particles.torque.span()[2] == Vec3{1.0, 2.0, 3.0});
  // What is written to others is lost, and does not reach any particle.
  particles.torque[0] = {4.0, 5.0, 6.0};
  CHECK(particles.torque[1] == Vec3{});

  particles.resize_ghosts(70);
  for (std::size_t k = 0; k < 70; ++k) particles.position[200 + k].type = k % 50 == 0 ? 1 : 0;
  particles.place_rotors();
  CHECK(particles.orientation.size() == 5);
  CHECK(particles.torque.size() == 3);
  CHECK(particles.turns(250));
  CHECK(particles.rotor_number(250) == 4);
  particles.resize_local(130);
  CHECK(particles.local_rotors() == 2);
  CHECK(particles.orientation.size() == 2);
  record.position.type = 1;
  CHECK_THROWS_AS(set_particle(particles, 0, record), std::logic_error);
  CHECK_THROWS_AS(particles.set_rotating(false), std::logic_error);
}

TEST_CASE(
    "one that turns among atoms takes less than 1 % of the store, and all of them take most") {
  const auto bytes = [](const std::vector<char>& turning) {
    ParticleStore particles;
    particles.set_turning_types(turning);
    particles.resize_local(10000);
    for (std::size_t i = 0; i < 10000; ++i) particles.position[i].type = i == 4321 ? 1 : 0;
    particles.resize_ghosts(3000);
    for (std::size_t i = 10000; i < 13000; ++i) particles.position[i].type = i == 11000 ? 1 : 0;
    particles.place_rotors();
    return static_cast<double>(particles.bytes());
  };
  const double of_atoms = bytes({0, 0});
  CHECK(of_atoms == 10000.0 * (32 + 24 + 24 + 8 + 12) + 3000.0 * 32);
  CHECK(bytes({0, 1}) < 1.003 * of_atoms);
  CHECK(bytes({0, 1}) > of_atoms);
  CHECK(bytes({1, 1}) > 1.7 * of_atoms);
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
