#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "domain/domain_support.hpp"
#include "md/core/unstable_run.hpp"
#include "md/domain/migration.hpp"
#include "md/domain/regular_grid.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/reduction_batch.hpp"

using namespace sterna;
using namespace sterna::md;
using sterna::md::test::uniform;

namespace {

std::int64_t global_sum(const comm::Context& context, std::int64_t value) {
  comm::ReductionBatch(context, "test").sum(value).run();
  return value;
}

/// Whether every id of 0 to count-1 is on exactly one rank.
bool all_there_once(const comm::Context& context, const ParticleStore& particles,
                    std::int64_t count) {
  std::vector<std::int64_t> seen(static_cast<std::size_t>(count), 0);
  std::int64_t strange = 0;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const std::int64_t id = particles.id[i];
    if (id < 0 || id >= count) {
      ++strange;
    } else {
      ++seen[static_cast<std::size_t>(id)];
    }
  }
  comm::ReductionBatch(context, "test").sum(seen.data(), seen.size()).sum(strange).run();
  return strange == 0 && std::all_of(seen.begin(), seen.end(), [](auto n) { return n == 1; });
}

bool all_at_home(const comm::Context& context, const Decomposition& decomposition,
                 const ParticleStore& particles) {
  const Region own = decomposition.region(context.rank());
  std::int64_t strangers = 0;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    strangers += !own.contains(particles.position[i].vector());
  }
  return global_sum(context, strangers) == 0;
}

Vec3 start_position(std::int64_t id, const Box& box) {
  const auto key = static_cast<std::uint64_t>(id);
  return {uniform(key, 0) * box.length.x, uniform(key, 1) * box.length.y,
          uniform(key, 2) * box.length.z};
}

Vec3 step_of(std::int64_t id, std::int64_t step, double size) {
  const auto key = static_cast<std::uint64_t>(id);
  const auto purpose = static_cast<std::uint64_t>(100 + 3 * step);
  return {size * (2 * uniform(key, purpose) - 1), size * (2 * uniform(key, purpose + 1) - 1),
          size * (2 * uniform(key, purpose + 2) - 1)};
}

Vec3 velocity_of(std::int64_t id) {
  return {0.5 + static_cast<double>(id), -1.0, 0.25};
}

ParticleRecord record_of(std::int64_t id, const Vec3& p) {
  return {{p.x, p.y, p.z, id % 5}, velocity_of(id), id, {0, 0, 0}};
}

bool payload_intact(const ParticleStore& particles, std::size_t i) {
  const std::int64_t id = particles.id[i];
  return particles.position[i].type == id % 5 && particles.velocity[i] == velocity_of(id);
}

std::vector<std::string> available_methods(const comm::Context& context) {
  std::vector<std::string> names{"auto"};
  for (const auto& method : comm::sparse_methods()) {
    if (comm::why_sparse_method_unavailable(context, method.name).empty()) {
      names.emplace_back(method.name);
    }
  }
  return names;
}

}  // namespace

TEST_CASE("random walks keep every particle, its images and its payload, with every method") {
  const comm::Context context;
  const RegularGrid grid({{9.0, 6.3, 7.1}}, context.size());
  constexpr std::int64_t kCount = 500;
  constexpr double kSize = 0.45;
  std::vector<test::Ghost> reference;
  for (const auto& method : available_methods(context)) {
    CAPTURE(method);
    ParticleStore particles;
    std::vector<ParticleRecord> records;
    for (std::int64_t id = context.rank(); id < kCount; id += context.size()) {
      records.push_back(record_of(id, start_position(id, grid.box())));
    }
    Distribution(context, grid).append(records, particles);
    CHECK(all_there_once(context, particles, kCount));
    CHECK(all_at_home(context, grid, particles));
    Migration migration(context, grid, 1.0, {method});
    std::int64_t wrong = 0, moved = 0;
    constexpr std::int64_t kSteps = 60;
    for (std::int64_t step = 0; step < kSteps; ++step) {
      for (std::size_t i = 0; i < particles.local_count(); ++i) {
        const Vec3 d = step_of(particles.id[i], step, kSize);
        particles.position[i].x += d.x;
        particles.position[i].y += d.y;
        particles.position[i].z += d.z;
      }
      const auto order_before = std::vector(particles.id.begin(), particles.id.end());
      particles.resize_ghosts(3);
      migration.migrate(particles, step);
      CHECK(particles.ghost_count() == 0);
      moved += static_cast<std::int64_t>(migration.departed());
      // Those that stayed keep their order.
      auto at = order_before.begin();
      for (std::size_t i = 0; i < particles.local_count() - migration.arrived(); ++i, ++at) {
        at = std::find(at, order_before.end(), particles.id[i]);
        if (at == order_before.end()) {
          ++wrong;
          break;
        }
      }
      if (step % 20 == 19) {
        CHECK(all_there_once(context, particles, kCount));
        CHECK(all_at_home(context, grid, particles));
      }
    }
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      Vec3 expected = start_position(particles.id[i], grid.box());
      for (std::int64_t step = 0; step < kSteps; ++step) {
        expected += step_of(particles.id[i], step, kSize);
      }
      const Image image = particles.image[i];
      const Vec3 length = grid.box().length;
      const Vec3 unwrapped = particles.position[i].vector() +
                             Vec3{image.x * length.x, image.y * length.y, image.z * length.z};
      const Vec3 d = unwrapped - expected;
      wrong += std::abs(d.x) + std::abs(d.y) + std::abs(d.z) > 1e-10;
      wrong += !payload_intact(particles, i);
    }
    CHECK(wrong == 0);
    if (context.size() > 1) CHECK(global_sum(context, moved) > kCount);
    // The same order with every method, not only the same set.
    std::vector<test::Ghost> result;
    for (const Position& p : particles.position) result.push_back(test::as_ghost(p));
    if (reference.empty()) reference = result;
    const bool same = result == reference;
    CHECK(same);
  }
}

void check_turns(const comm::Context& context, const std::vector<char>& turning) {
  const bool only_some = std::ranges::count(turning, 0) > 0;
  CAPTURE(only_some);
  const RegularGrid grid({{9.0, 6.3, 7.1}}, context.size());
  constexpr std::int64_t kCount = 300;
  for (const auto& method : available_methods(context)) {
    CAPTURE(method);
    ParticleStore particles;
    particles.set_turning_types(turning);
    std::vector<ParticleRecord> records;
    for (std::int64_t id = context.rank(); id < kCount; id += context.size()) {
      records.push_back(record_of(id, start_position(id, grid.box())));
      records.back().orientation = test::orientation_of(id, 0);
      records.back().angular_momentum = 3.0 * velocity_of(id);
    }
    Distribution(context, grid, {.rotating = true, .only_some_rotate = only_some})
        .append(records, particles);
    Migration migration(
        context, grid, 1.0,
        {.exchange_method = method, .rotating = true, .only_some_rotate = only_some});
    std::int64_t wrong = 0, moved = 0;
    for (std::int64_t step = 0; step < 30; ++step) {
      for (std::size_t i = 0; i < particles.local_count(); ++i) {
        const Vec3 d = step_of(particles.id[i], step, 0.45);
        particles.position[i].x += d.x;
        particles.position[i].y += d.y;
        particles.position[i].z += d.z;
      }
      migration.migrate(particles, step);
      moved += static_cast<std::int64_t>(migration.departed());
      for (std::size_t i = 0; i < particles.local_count(); ++i) {
        const std::int64_t id = particles.id[i];
        wrong += !payload_intact(particles, i);
        const bool turns = turning[static_cast<std::size_t>(id % 5)] != 0;
        wrong += particles.orientation[i] != (turns ? test::orientation_of(id, 0) : Quaternion{});
        wrong += particles.angular_momentum[i] != (turns ? 3.0 * velocity_of(id) : Vec3{});
      }
      wrong += particles.angular_momentum.size() != particles.local_rotors();
    }
    CHECK(wrong == 0);
    CHECK(all_there_once(context, particles, kCount));
    CHECK(all_at_home(context, grid, particles));
    if (context.size() > 1) CHECK(global_sum(context, moved) > kCount);
    ParticleStore atoms;
    CHECK_THROWS_AS(migration.migrate(atoms, 0), std::logic_error);
    CHECK_THROWS_AS(particles.set_rotating(false), std::logic_error);
  }
}

TEST_CASE("those that rotate take orientation and angular momentum along, with every method") {
  check_turns(comm::Context(), {1, 1, 1, 1, 1});
}

TEST_CASE("where only some rotate, the others migrate without orientations") {
  check_turns(comm::Context(), {0, 0, 1, 0, 0});
  check_turns(comm::Context(), {1, 0, 1, 1, 1});
}

TEST_CASE("a molecule that turns among atoms migrates as two items, and atoms as ever") {
  const comm::Context context;
  const RegularGrid grid({{9.0, 6.3, 7.1}}, context.size());
  const auto bytes = [&](const std::vector<char>& turning, bool only_some) {
    ParticleStore particles;
    particles.set_turning_types(turning);
    std::vector<ParticleRecord> records;
    for (std::int64_t id = context.rank(); id < 3000; id += context.size()) {
      records.push_back(record_of(id, start_position(id, grid.box())));
      records.back().position.type = id == 0 ? 1 : 0;
    }
    const bool rotating = particles.rotating();
    Distribution(context, grid, {.rotating = rotating, .only_some_rotate = only_some})
        .append(records, particles);
    Migration migration(context, grid, 1.0, {.rotating = rotating, .only_some_rotate = only_some});
    for (std::int64_t step = 0; step < 5; ++step) {
      for (std::size_t i = 0; i < particles.local_count(); ++i) {
        const Vec3 d = step_of(particles.id[i], step, 0.45);
        particles.position[i].x += d.x;
        particles.position[i].y += d.y;
        particles.position[i].z += d.z;
      }
      migration.migrate(particles, step);
    }
    return global_sum(context, static_cast<std::int64_t>(migration.verdict().bytes_sent));
  };
  const std::int64_t of_atoms = bytes({0, 0}, false), with_one = bytes({0, 1}, true);
  CHECK(with_one <= of_atoms + of_atoms / 100);
  if (context.size() > 1) {
    CHECK(of_atoms > 0);
    CHECK(bytes({1, 1}, false) > of_atoms + of_atoms / 2);
  }
}

TEST_CASE("particles go anywhere where that was asked for") {
  const comm::Context context;
  const RegularGrid grid({{16.0, 3.0, 3.0}}, context.size(), {context.size(), 1, 1});
  constexpr std::int64_t kCount = 300;
  for (const auto& method : available_methods(context)) {
    CAPTURE(method);
    ParticleStore particles;
    if (context.rank() == 0) {
      particles.resize_local(kCount);
      for (std::int64_t id = 0; id < kCount; ++id) {
        const auto i = static_cast<std::size_t>(id);
        const Vec3 p = start_position(id, {{160.0, 30.0, 30.0}}) - Vec3{70.0, 10.0, 10.0};
        particles.position[i] = {p.x, p.y, p.z, id % 5};
        particles.velocity[i] = velocity_of(id);
        particles.id[i] = id;
        particles.image[i] = {0, 0, 0};
      }
    }
    Migration migration(context, grid, 0.0, {method, true});
    migration.migrate(particles, 0);
    CHECK(all_there_once(context, particles, kCount));
    CHECK(all_at_home(context, grid, particles));
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      const Vec3 p =
          start_position(particles.id[i], {{160.0, 30.0, 30.0}}) - Vec3{70.0, 10.0, 10.0};
      const Image image = particles.image[i];
      const Vec3 d =
          particles.position[i].vector() + Vec3{image.x * 16.0, image.y * 3.0, image.z * 3.0} - p;
      wrong += std::abs(d.x) + std::abs(d.y) + std::abs(d.z) > 1e-12;
      wrong += !payload_intact(particles, i);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("distribution in chunks, from some ranks, with nothing from the others") {
  const comm::Context context;
  const RegularGrid grid({{5.0, 5.0, 5.0}}, context.size());
  Distribution distribution(context, grid);
  ParticleStore particles;
  constexpr std::int64_t kCount = 400;
  const int holder = context.size() - 1;
  for (std::int64_t first = 0; first < kCount; first += 100) {
    std::vector<ParticleRecord> records;
    if (context.rank() == holder) {
      for (std::int64_t id = first; id < first + 100; ++id) {
        records.push_back(record_of(id, start_position(id, grid.box()) + Vec3{5.0, -10.0, 0.0}));
        records.back().image = {3, 0, -1};
      }
    }
    distribution.append(records, particles);
  }
  CHECK(all_there_once(context, particles, kCount));
  CHECK(all_at_home(context, grid, particles));
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const Image image = particles.image[i];
    const Vec3 d = particles.position[i].vector() +
                   Vec3{(image.x - 4) * 5.0, (image.y + 2) * 5.0, (image.z + 1) * 5.0} -
                   start_position(particles.id[i], grid.box());
    wrong += std::abs(d.x) + std::abs(d.y) + std::abs(d.z) > 1e-12;
    wrong += !payload_intact(particles, i);
    wrong += i > 0 && particles.id[i - 1] >= particles.id[i];
  }
  CHECK(wrong == 0);
}

TEST_CASE("an impossible position on one rank is an error on all that names the particle") {
  const comm::Context context;
  const RegularGrid grid({{8.0, 4.0, 4.0}}, context.size(), {context.size(), 1, 1});
  const Region own = grid.region(context.rank());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  Migration migration(context, grid, 0.1);
  for (const double bad : {nan, infinity, -infinity, 1e300, -1e12}) {
    ParticleStore particles;
    particles.resize_local(2);
    const Vec3 inside = 0.5 * (own.lower + own.upper);
    for (std::size_t i = 0; i < 2; ++i) {
      particles.position[i] = {inside.x, inside.y, inside.z, 0};
      particles.id[i] = 4711 + static_cast<std::int64_t>(i);
      particles.image[i] = {0, 0, 0};
    }
    const bool last = context.rank() == context.size() - 1;
    if (last) particles.position[1].y = bad;
    std::string message;
    try {
      migration.migrate(particles, 37);
    } catch (const UnstableRun& error) {
      message = error.what();
    }
    CAPTURE(message);
    CHECK(message.find("particle 4712") != std::string::npos);
    CHECK(message.find("step 37") != std::string::npos);
    CHECK(particles.local_count() == 2);
    const std::vector<ParticleRecord> records{{{last ? bad : 1.0, 0, 0, 0}, {}, 99, {0, 0, 0}}};
    CHECK_THROWS_AS(Distribution(context, grid).append(records, particles), UnstableRun);
  }
  if (context.size() >= 4) {
    ParticleStore particles;
    particles.resize_local(1);
    particles.position[0] = {own.lower.x + 4.0, 1.0, 1.0, 0};
    particles.id[0] = 12;
    particles.image[0] = {0, 0, 0};
    std::string message;
    try {
      migration.migrate(particles, 8);
    } catch (const UnstableRun& error) {
      message = error.what();
    }
    CAPTURE(message);
    CHECK(message.find("particle 12 went to") != std::string::npos);
    CHECK(message.find("at step 8") != std::string::npos);
  }
  // The exchange is still in order on all ranks.
  ParticleStore particles;
  particles.resize_local(1);
  particles.position[0] = {own.upper.x, 1.0, 1.0, 0};
  particles.velocity[0] = {0, 0, 0};
  particles.id[0] = context.rank();
  particles.image[0] = {0, 0, 0};
  migration.migrate(particles, 38);
  CHECK(particles.local_count() == 1);
  CHECK(particles.id[0] == (context.rank() + context.size() - 1) % context.size());
  CHECK(particles.image[0].x == (context.rank() == 0 ? 1 : 0));
}
