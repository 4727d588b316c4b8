#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "domain/domain_support.hpp"
#include "md/domain/halo.hpp"
#include "md/domain/halo_plan.hpp"
#include "md/domain/regular_grid.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/reduction_batch.hpp"

using namespace sterna;
using namespace sterna::md;
using namespace sterna::md::test;

namespace {

/// In order, as they lie in the store.
std::vector<Ghost> ghosts_of(const ParticleStore& particles) {
  std::vector<Ghost> ghosts;
  for (std::size_t i = particles.local_count(); i < particles.total_count(); ++i) {
    ghosts.push_back(as_ghost(particles.position[i]));
  }
  return ghosts;
}

/// What carries the bytes does not know of geometry: all methods for one case of thin regions.
std::vector<std::string> available_methods(const comm::Context& context) {
  std::vector<std::string> names{"auto"};
  for (const auto& method : comm::neighbor_methods()) {
    if (comm::why_neighbor_method_unavailable(context, method.name).empty()) {
      names.emplace_back(method.name);
    }
  }
  return names;
}

/// Where the particle with this number is after `step` steps.
Vec3 drifted(const Position& p, std::int64_t step) {
  const auto key = static_cast<std::uint64_t>(p.type);
  const auto purpose = static_cast<std::uint64_t>(200 + 3 * step);
  return p.vector() + 0.1 * Vec3{uniform(key, purpose) - 0.5, uniform(key, purpose + 1) - 0.5,
                                 uniform(key, purpose + 2) - 0.5};
}

/// Moves the own particles for some steps, and counts the ghosts that are not where their particle
/// went, shifted by the very box length.
std::size_t ghosts_left_behind(Halo& halo, ParticleStore& particles,
                               const std::vector<Position>& all, const Vec3& length) {
  const auto at_rebuild = ghosts_of(particles);
  const auto shift = [](double image, double from, double edge) {
    return std::round((image - from) / edge) * edge;
  };
  std::size_t wrong = 0;
  for (std::int64_t step = 0; step < 5; ++step) {
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      Position& p = particles.position[i];
      const Vec3 to = drifted(all[static_cast<std::size_t>(p.type)], step);
      p = {to.x, to.y, to.z, p.type};
    }
    halo.start_positions(particles);
    halo.finish_positions(particles);
    for (std::size_t g = 0; g < at_rebuild.size(); ++g) {
      const auto& [type, x, y, z] = at_rebuild[g];
      const Position& from = all[static_cast<std::size_t>(type)];
      const Vec3 to = drifted(from, step);
      const Ghost expected{type, to.x + shift(x, from.x, length.x),
                           to.y + shift(y, from.y, length.y), to.z + shift(z, from.z, length.z)};
      wrong += as_ghost(particles.position[particles.local_count() + g]) != expected;
    }
  }
  return wrong;
}

std::vector<Case> cases(int ranks) {
  return {
      {"chosen grid", {12, 11, 10}, {0, 0, 0}, 2.8},
      {"in a row, thin regions", {8, 8, 8}, {ranks, 1, 1}, 3.2},
      {"in a row, box below twice the halo", {5, 4, 5}, {1, 1, ranks}, 2.8},
      {"box below the halo", {2, 1.4, 2.5}, {1, ranks, 1}, 2.8},
      {"box below the halo, chosen grid", {2, 2, 2}, {0, 0, 0}, 2.8},
  };
}

}  // namespace

TEST_CASE("ghosts are exactly the images within the halo, whatever carries them") {
  const comm::Context context;
  const auto all_cases = cases(context.size());
  for (const Case& c : all_cases) {
    CAPTURE(c.what);
    const RegularGrid grid({c.length}, context.size(), c.grid);
    const auto all = make_positions(grid, c.width, 300);
    const auto expected = expected_ghosts(grid, context.rank(), c.width, all);
    for (const auto& halo_route : halo_routes()) {
      CAPTURE(halo_route.name);
      std::vector<Ghost> reference;
      for (const auto& exchange :
           &c == &all_cases[1] ? available_methods(context) : std::vector<std::string>{"auto"}) {
        CAPTURE(exchange);
        Halo halo(context, grid, c.width, {std::string(halo_route.name), exchange});
        ParticleStore particles = own_particles(context, grid, all);
        halo.rebuild(particles);
        const auto ghosts = ghosts_of(particles);
        CHECK(particles.local_count() + particles.ghost_count() == particles.total_count());
        auto sorted = ghosts;
        std::sort(sorted.begin(), sorted.end());
        const bool right = sorted == expected;
        CHECK(right);
        if (reference.empty()) reference = ghosts;
        const bool same_order = ghosts == reference;
        CHECK(same_order);
        CHECK(ghosts_left_behind(halo, particles, all, c.length) == 0);
        if (context.size() == 1) {
          CHECK(halo.sent_positions() == 0);
          CHECK(halo.copied_positions() == expected.size());
          CHECK(halo.verdicts().empty());
        }
      }
    }
  }
}

TEST_CASE("ghosts go to the places that were asked for") {
  const comm::Context context;
  const Case c{"thin regions", {8, 5, 4}, {0, 0, 0}, 2.8};
  const RegularGrid grid({c.length}, context.size(), c.grid);
  const auto all = make_positions(grid, c.width, 120);
  for (const auto& halo_route : halo_routes()) {
    CAPTURE(halo_route.name);
    Halo plain(context, grid, c.width, {std::string(halo_route.name), "auto"});
    Halo placed(context, grid, c.width, {std::string(halo_route.name), "auto"});
    ParticleStore plain_particles = own_particles(context, grid, all);
    ParticleStore placed_particles = own_particles(context, grid, all);
    std::size_t wrong = 0;
    for (std::uint64_t rebuild = 0; rebuild < 3; ++rebuild) {
      plain.rebuild(plain_particles);
      placed.rebuild(placed_particles);
      const std::size_t local = plain_particles.local_count();
      const std::size_t ghosts = plain_particles.ghost_count();
      CHECK(placed_particles.ghost_count() == ghosts);
      std::vector<std::uint32_t> slots(ghosts);
      for (std::size_t k = 0; k < ghosts; ++k) slots[k] = static_cast<std::uint32_t>(k);
      for (std::size_t k = ghosts; k > 1; --k) {
        const double draw = uniform(k, 300 + rebuild) * static_cast<double>(k);
        std::swap(slots[k - 1], slots[static_cast<std::size_t>(draw)]);
      }
      placed.order_ghosts(placed_particles, slots);
      for (std::int64_t step = 0; step < 3; ++step) {
        for (std::size_t k = 0; k < ghosts; ++k) {
          wrong += as_ghost(plain_particles.position[local + k]) !=
                   as_ghost(placed_particles.position[local + slots[k]]);
        }
        for (ParticleStore* particles : {&plain_particles, &placed_particles}) {
          for (std::size_t i = 0; i < local; ++i) {
            Position& p = particles->position[i];
            const Vec3 to = drifted(all[static_cast<std::size_t>(p.type)], step);
            p = {to.x, to.y, to.z, p.type};
          }
        }
        plain.start_positions(plain_particles);
        plain.finish_positions(plain_particles);
        placed.start_positions(placed_particles);
        placed.finish_positions(placed_particles);
      }
      for (ParticleStore* particles : {&plain_particles, &placed_particles}) {
        for (std::size_t i = 0; i < local; ++i) {
          particles->position[i] = all[static_cast<std::size_t>(particles->position[i].type)];
        }
      }
    }
    CHECK(wrong == 0);
  }
}

void check_orientations(const comm::Context& context, bool only_some) {
  for (const Case& c : cases(context.size())) {
    CAPTURE(c.what);
    const RegularGrid grid({c.length}, context.size(), c.grid);
    const auto all = make_positions(grid, c.width, 200);
    for (const auto& halo_route : halo_routes()) {
      CAPTURE(halo_route.name);
      Halo halo(context, grid, c.width, {std::string(halo_route.name), "auto"});
      ParticleStore particles;
      std::vector<char> turning(all.size(), 1);
      // A particle's type is its number. Some ranks and messages have none that turns.
      for (std::size_t k = 0; k < all.size() && only_some; ++k) turning[k] = k % 23 == 5 ? 1 : 0;
      particles.set_turning_types(turning);
      REQUIRE(particles.only_some_rotate() == only_some);
      for (const Position& p : all) {
        if (grid.owner(p.vector()) != context.rank()) continue;
        particles.resize_local(particles.local_count() + 1);
        particles.position[particles.local_count() - 1] = p;
      }
      particles.place_rotors();
      std::size_t wrong = 0;
      const auto turn = [&](std::int64_t step) {
        for (std::size_t i = 0; i < particles.local_count(); ++i) {
          particles.orientation[i] = orientation_of(particles.position[i].type, step);
        }
      };
      const auto look = [&](std::int64_t step) {
        for (std::size_t i = 0; i < particles.total_count(); ++i) {
          const std::int64_t type = particles.position[i].type;
          const bool turns = turning[static_cast<std::size_t>(type)] != 0;
          wrong += particles.turns(i) != turns;
          wrong += particles.orientation[i] != (turns ? orientation_of(type, step) : Quaternion{});
        }
      };
      for (std::int64_t rebuild = 0; rebuild < 3; ++rebuild) {
        turn(10 * rebuild);
        halo.rebuild(particles);
        look(10 * rebuild);
        const auto reached = sorted_ghosts(particles.position.data() + particles.local_count(),
                                           particles.ghost_count());
        const bool right = reached == expected_ghosts(grid, context.rank(), c.width, all);
        CHECK(right);
        if (rebuild > 0) {
          // Back to front.
          std::vector<std::uint32_t> slots(particles.ghost_count());
          for (std::size_t k = 0; k < slots.size(); ++k) {
            slots[k] = static_cast<std::uint32_t>(slots.size() - 1 - k);
          }
          halo.order_ghosts(particles, slots);
          look(10 * rebuild);
        }
        for (std::int64_t step = 10 * rebuild + 1; step < 10 * rebuild + 4; ++step) {
          turn(step);
          halo.start_positions(particles);
          halo.finish_positions(particles);
          look(step);
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("orientations travel with the positions of those that rotate") {
  check_orientations(comm::Context(), false);
}

TEST_CASE("where only some rotate, their orientations travel alone") {
  check_orientations(comm::Context(), true);
}

TEST_CASE("a ghost that turns costs as much among atoms as its own orientation") {
  const comm::Context context;
  if (context.size() == 1) return;
  const RegularGrid grid({{12, 12, 12}}, context.size());
  const auto all = make_positions(grid, 2.0, 6000);
  // Messages of a rebuild and of a step, of all ranks.
  const auto bytes = [&](const std::vector<char>& turning, std::int64_t steps) {
    Halo halo(context, grid, 2.0, {"direct", "auto"});
    ParticleStore particles;
    particles.set_turning_types(turning);
    for (const Position& p : all) {
      if (grid.owner(p.vector()) != context.rank()) continue;
      particles.resize_local(particles.local_count() + 1);
      particles.position[particles.local_count() - 1] = p;
    }
    halo.rebuild(particles);
    for (std::int64_t step = 0; step < steps; ++step) {
      halo.start_positions(particles);
      halo.finish_positions(particles);
    }
    std::int64_t sent = 0;
    for (const comm::Verdict& verdict : halo.verdicts()) {
      sent += static_cast<std::int64_t>(verdict.bytes_sent);
    }
    comm::ReductionBatch(context, "bytes").sum(sent).run();
    return sent;
  };
  std::vector<char> one(all.size(), 0);
  one[17] = 1;
  const std::int64_t of_atoms = bytes({0}, 5), with_one = bytes(one, 5);
  CHECK(of_atoms > 0);
  CHECK(with_one < of_atoms + of_atoms / 100);
  CHECK(bytes({1}, 5) > of_atoms + of_atoms / 2);
}

TEST_CASE("rebuilds with growing, shrinking and missing particles") {
  const comm::Context context;
  const RegularGrid grid({{9, 9, 9}}, context.size());
  for (const auto& halo_route : halo_routes()) {
    for (const auto& exchange : available_methods(context)) {
      CAPTURE(halo_route.name);
      CAPTURE(exchange);
      Halo halo(context, grid, 2.0, {std::string(halo_route.name), exchange});
      for (const std::size_t count : {10, 3000, 0, 4000, 50}) {
        const auto all = make_positions(grid, 2.0, count);
        ParticleStore particles = own_particles(context, grid, all);
        halo.rebuild(particles);
        auto ghosts = ghosts_of(particles);
        std::sort(ghosts.begin(), ghosts.end());
        const bool right = ghosts == expected_ghosts(grid, context.rank(), 2.0, all);
        CHECK(right);
        halo.start_positions(particles);
        halo.finish_positions(particles);
        auto again = ghosts_of(particles);
        std::sort(again.begin(), again.end());
        const bool unchanged = again == ghosts;
        CHECK(unchanged);
        CHECK(halo.sent_positions() + halo.copied_positions() >= (count >= 1000 ? 1 : 0));
      }
    }
  }
}

TEST_CASE("verdicts name the exchange") {
  const comm::Context context;
  const RegularGrid grid({{20, 20, 20}}, context.size());
  Halo halo(context, grid, 2.0);
  ParticleStore particles = own_particles(context, grid, make_positions(grid, 2.0, 100));
  halo.rebuild(particles);
  halo.start_positions(particles);
  halo.finish_positions(particles);
  CHECK(halo.width() == 2.0);
  CHECK(halo.ghost_shift_count() >= 26);
  CHECK(halo.verdicts().size() == (context.size() > 1 ? 1 : 0));
  for (const auto& verdict : halo.verdicts()) {
    CHECK(verdict.exchange == "halo positions");
    CHECK(verdict.rounds >= 2);
  }
}

TEST_CASE("bad requests are explained") {
  const comm::Context context;
  const RegularGrid grid({{9, 9, 9}}, context.size());
  const RegularGrid other({{9, 9, 9}}, context.size() + 1);
  CHECK_THROWS_AS(Halo(context, grid, 0.0), std::invalid_argument);
  CHECK_THROWS_AS(Halo(context, grid, std::numeric_limits<double>::quiet_NaN()),
                  std::invalid_argument);
  CHECK_THROWS_AS(Halo(context, grid, 2.0, {"diagonal", "auto"}), std::invalid_argument);
  CHECK_THROWS_AS(Halo(context, other, 2.0), std::invalid_argument);
  if (context.size() > 1) {
    CHECK_THROWS_AS(Halo(context, grid, 2.0, {"direct", "pigeon"}), comm::Error);
  }
}

TEST_CASE("vectors of all ghosts, or of those selected, are those of their particles") {
  const comm::Context context;
  const auto all_cases = cases(context.size());
  const auto of_type = [](std::int64_t type, int step) {
    return Vec3{1.0 + static_cast<double>(type), static_cast<double>(step), -1.0};
  };
  const Vec3 untouched{-7.0, -7.0, -7.0};
  for (const Case& c : all_cases) {
    CAPTURE(c.what);
    const RegularGrid grid({c.length}, context.size(), c.grid);
    const auto all = make_positions(grid, c.width, 300);
    for (const auto& halo_route : halo_routes()) {
      CAPTURE(halo_route.name);
      for (const auto& exchange :
           &c == &all_cases[1] ? available_methods(context) : std::vector<std::string>{"auto"}) {
        CAPTURE(exchange);
        Halo halo(context, grid, c.width, {std::string(halo_route.name), exchange});
        ParticleStore particles = own_particles(context, grid, all);
        std::size_t wrong = 0, touched = 0;
        for (std::uint64_t rebuild = 0; rebuild < 3; ++rebuild) {
          halo.rebuild(particles);
          const std::size_t local = particles.local_count(), ghosts = particles.ghost_count();
          std::vector<std::uint32_t> slots;
          for (std::size_t k = 0; k < ghosts; ++k) {
            slots.push_back(static_cast<std::uint32_t>(ghosts - 1 - k));
          }
          halo.order_ghosts(particles, slots);
          // None at all in the second rebuild, on one rank only in the third.
          std::vector<std::uint32_t> selected;
          for (std::size_t k = 0; k < ghosts; ++k) {
            const bool some = rebuild == 0 || (rebuild == 2 && context.rank() == 0);
            if (some && uniform(k, 500 + rebuild) < 0.3) {
              selected.push_back(static_cast<std::uint32_t>(local + k));
            }
          }
          halo.select_ghosts(particles, selected);
          for (int step = 0; step < 2; ++step) {
            std::vector<Vec3> vectors, every(ghosts, untouched), some(ghosts, untouched);
            for (std::size_t i = 0; i < local; ++i) {
              vectors.push_back(of_type(particles.position[i].type, step));
            }
            halo.exchange_vectors(vectors, every);
            halo.start_selected_vectors(vectors, some);
            halo.finish_selected_vectors(vectors, some);
            for (std::size_t k = 0; k < ghosts; ++k) {
              const Vec3 expected = of_type(particles.position[local + k].type, step);
              wrong += every[k] != expected;
              // With several stages others are sent on.
              wrong += some[k] != expected && some[k] != untouched;
              touched += some[k] != untouched;
            }
            for (const std::uint32_t place : selected) {
              wrong += some[place - local] != of_type(particles.position[place].type, step);
            }
            if (halo_route.name == "direct") {
              CHECK(touched == selected.size());
              touched = 0;
            }
          }
        }
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("the forces of ghosts come back to the particles that they are copies of") {
  const comm::Context context;
  const auto all_cases = cases(context.size());
  // Whole numbers, whose sums do not depend on an order: one for each copy, one for its place.
  const auto at_place = [](const Ghost& ghost) {
    const auto& [type, x, y, z] = ghost;
    return std::floor(64.0 * (x + 3.0 * y + 7.0 * z));
  };
  for (const Case& c : all_cases) {
    CAPTURE(c.what);
    const RegularGrid grid({c.length}, context.size(), c.grid);
    const auto all = make_positions(grid, c.width, 300);
    std::vector<Vec3> expected(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      expected[i] = {1.0, at_place(as_ghost(all[i])), static_cast<double>(i)};
    }
    for (int rank = 0; rank < context.size(); ++rank) {
      for (const Ghost& ghost : expected_ghosts(grid, rank, c.width, all)) {
        expected[static_cast<std::size_t>(std::get<0>(ghost))] +=
            Vec3{1.0, at_place(ghost), static_cast<double>(std::get<0>(ghost))};
      }
    }
    for (const auto& halo_route : halo_routes()) {
      CAPTURE(halo_route.name);
      for (const auto& exchange :
           &c == &all_cases[1] ? available_methods(context) : std::vector<std::string>{"auto"}) {
        CAPTURE(exchange);
        Halo halo(context, grid, c.width,
                  {std::string(halo_route.name), exchange, GhostForces::full_shell});
        ParticleStore particles = own_particles(context, grid, all);
        halo.rebuild(particles);
        std::vector<std::uint32_t> slots;
        for (std::size_t k = 0; k < particles.ghost_count(); ++k) {
          slots.push_back(static_cast<std::uint32_t>(particles.ghost_count() - 1 - k));
        }
        halo.order_ghosts(particles, slots);
        for (int step = 0; step < 3; ++step) {
          halo.start_positions(particles);
          halo.finish_positions(particles);
          std::vector<PaddedForce> force;
          for (const Position& p : std::span(particles.position.data(), particles.total_count())) {
            force.push_back({1.0, at_place(as_ghost(p)), static_cast<double>(p.type), 0.0});
          }
          halo.start_forces(particles, {std::span(force)});
          halo.finish_forces(particles, {std::span(force)});
          std::size_t wrong = 0;
          for (std::size_t i = 0; i < particles.local_count(); ++i) {
            const auto number = static_cast<std::size_t>(particles.position[i].type);
            wrong += Vec3{force[i].x, force[i].y, force[i].z} != expected[number];
          }
          CHECK(wrong == 0);
        }
        if (context.size() > 1) CHECK(halo.verdicts().size() % 2 == 0);
      }
    }
  }
}

namespace {

/// Numbers of pairs of a receiver and a particle's image, for arrays that ranks add up.
class SidesOfPairs {
 public:
  explicit SidesOfPairs(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}
  std::size_t count() const { return ranks_ * ranks_ * edge * edge * edge; }
  /// Of ghosts that come to `to` from `from` with this offset in boxes.
  std::size_t operator()(int from, int to, const std::array<int, 3>& offset) const {
    std::size_t number = static_cast<std::size_t>(from) * ranks_ + static_cast<std::size_t>(to);
    for (const int boxes : offset) number = number * edge + static_cast<std::size_t>(boxes + most);
    return number;
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (int from = 0; from < static_cast<int>(ranks_); ++from) {
      for (int to = 0; to < static_cast<int>(ranks_); ++to) {
        for (int x = -most; x <= most; ++x) {
          for (int y = -most; y <= most; ++y) {
            for (int z = -most; z <= most; ++z) visit(from, to, std::array{x, y, z});
          }
        }
      }
    }
  }

 private:
  static constexpr int most = 3;
  static constexpr std::size_t edge = 2 * most + 1;
  std::size_t ranks_;
};

}  // namespace

TEST_CASE("of the two sides of a pair across a border, one has the ghost in its half shell") {
  const comm::Context context;
  const SidesOfPairs number(context.size());
  for (const Case& c : cases(context.size())) {
    CAPTURE(c.what);
    const RegularGrid grid({c.length}, context.size(), c.grid);
    const auto all = make_positions(grid, c.width, 300);
    for (const auto& halo_route : halo_routes()) {
      CAPTURE(halo_route.name);
      Halo halo(context, grid, c.width,
                {std::string(halo_route.name), "auto", GhostForces::half_shell});
      ParticleStore particles = own_particles(context, grid, all);
      halo.rebuild(particles);
      const std::vector<char> half = halo.half_shell();
      REQUIRE(half.size() == particles.ghost_count());
      std::vector<double> in_half(number.count(), 0.0), beyond(number.count(), 0.0);
      for (std::size_t k = 0; k < half.size(); ++k) {
        const Position& ghost = particles.position[particles.local_count() + k];
        const Position& original = all[static_cast<std::size_t>(ghost.type)];
        std::array<int, 3> offset{};
        for (int axis = 0; axis < 3; ++axis) {
          const double apart = ghost.vector()[axis] - original.vector()[axis];
          offset[static_cast<std::size_t>(axis)] =
              static_cast<int>(std::lround(apart / c.length[axis]));
        }
        const int from = grid.owner(original.vector());
        (half[k] != 0 ? in_half : beyond)[number(from, context.rank(), offset)] = 1.0;
      }
      comm::ReductionBatch batch(context, "half shells");
      batch.sum(in_half.data(), in_half.size()).sum(beyond.data(), beyond.size()).run();
      std::size_t wrong = 0, pairs = 0;
      number.for_each([&](int from, int to, const std::array<int, 3>& offset) {
        const std::size_t here = number(from, to, offset);
        const std::size_t there = number(to, from, {-offset[0], -offset[1], -offset[2]});
        if (in_half[here] != 0.0 && beyond[here] != 0.0) ++wrong;
        const bool both_seen =
            in_half[here] + beyond[here] > 0.0 && in_half[there] + beyond[there] > 0.0;
        if (!both_seen) return;
        ++pairs;
        if (in_half[here] == in_half[there]) ++wrong;
      });
      CHECK(wrong == 0);
      CHECK(pairs > 0);
      // Where nobody needs the others, there are these ghosts only; stages send on what they need.
      std::vector<Ghost> expected;
      for (std::size_t k = 0; k < half.size(); ++k) {
        if (half[k] == 0 && halo_route.name == "direct") continue;
        expected.push_back(as_ghost(particles.position[particles.local_count() + k]));
      }
      Halo only(context, grid, c.width,
                {std::string(halo_route.name), "auto", GhostForces::half_shell, true});
      ParticleStore fewer = own_particles(context, grid, all);
      only.rebuild(fewer);
      CHECK(ghosts_of(fewer) == expected);
      CHECK(ghosts_left_behind(only, fewer, all, c.length) == 0);
    }
  }
}

TEST_CASE("the forces of the half shell's ghosts come back, of each kind and precision") {
  const comm::Context context;
  for (const Case& c : cases(context.size())) {
    for (const bool only_half : {false, true}) {
      CAPTURE(c.what);
      CAPTURE(only_half);
      const RegularGrid grid({c.length}, context.size(), c.grid);
      const auto all = make_positions(grid, c.width, 300);
      for (const auto& halo_route : halo_routes()) {
        CAPTURE(halo_route.name);
        Halo halo(context, grid, c.width,
                  {std::string(halo_route.name), "auto", GhostForces::half_shell, only_half});
        ParticleStore particles = own_particles(context, grid, all);
        halo.rebuild(particles);
        const std::vector<char> half = halo.half_shell();
        std::vector<std::uint32_t> slots;
        for (std::size_t k = 0; k < half.size(); ++k) {
          slots.push_back(static_cast<std::uint32_t>(half.size() - 1 - k));
        }
        halo.order_ghosts(particles, slots);
        const std::size_t local = particles.local_count(), total = particles.total_count();
        // What each copy adds, by the particle's number: whole numbers, so that no order matters.
        const auto force_on = [&](std::size_t i, std::size_t kind) {
          const Position& p = particles.position[i];
          return std::floor(16.0 * (p.x + 3.0 * p.y)) + static_cast<double>(kind);
        };
        const auto check = [&]<class Force>(std::size_t kinds) {
          using Number = decltype(Force::x);
          std::vector<Force> forces(kinds * total);
          std::vector<double> expected(kinds * all.size(), 0.0);
          const auto put = [&](std::size_t i) {
            for (std::size_t kind = 0; kind < kinds; ++kind) {
              const double f = force_on(i, kind);
              Force& force = forces[kind * total + i];
              force.x = static_cast<Number>(f);
              force.y = static_cast<Number>(2.0 * f);
              force.z = static_cast<Number>(-f);
              expected[kind * all.size() + static_cast<std::size_t>(particles.position[i].type)] +=
                  f;
            }
          };
          for (std::size_t i = 0; i < local; ++i) put(i);
          for (std::size_t k = 0; k < half.size(); ++k) {
            if (half[k] != 0) put(local + slots[k]);
          }
          comm::ReductionBatch batch(context, "forces");
          batch.sum(expected.data(), expected.size()).run();
          const CollectedForces collected{std::span(forces), kinds};
          halo.start_forces(particles, collected);
          halo.finish_forces(particles, collected);
          std::size_t wrong = 0;
          for (std::size_t kind = 0; kind < kinds; ++kind) {
            for (std::size_t i = 0; i < local; ++i) {
              const double f = expected[kind * all.size() +
                                        static_cast<std::size_t>(particles.position[i].type)];
              const Force& force = forces[kind * total + i];
              wrong += static_cast<double>(force.x) != f ||
                       static_cast<double>(force.y) != 2.0 * f ||
                       static_cast<double>(force.z) != -f;
            }
          }
          CHECK(wrong == 0);
        };
        for (int step = 0; step < 2; ++step) {
          halo.start_positions(particles);
          halo.finish_positions(particles);
          // The same number of kinds between two rebuilds.
          check.template operator()<Vec3>(3);
          check.template operator()<SingleForce>(3);
          check.template operator()<PaddedForce>(3);
        }
        if (context.size() > 1) CHECK(halo.verdicts().size() % 2 == 0);
      }
    }
  }
}
