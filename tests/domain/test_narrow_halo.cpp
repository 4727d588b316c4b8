// Ghosts that come from less than the width of the halo: those of narrow types, and those beyond the
// half shell.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "domain/domain_support.hpp"
#include "md/domain/halo.hpp"
#include "md/domain/halo_plan.hpp"
#include "md/domain/regular_grid.hpp"

using namespace sterna;
using namespace sterna::md;
using namespace sterna::md::test;

namespace {

struct Ghosts {
  std::vector<Ghost> all;
  std::vector<char> in_half_shell;
};

Ghosts ghosts_of(const comm::Context& context, const Decomposition& decomposition, double width,
                 const HaloOptions& options, const std::vector<Position>& all) {
  Halo halo(context, decomposition, width, options);
  ParticleStore particles = own_particles(context, decomposition, all);
  halo.rebuild(particles);
  Ghosts ghosts;
  ghosts.in_half_shell = halo.half_shell();
  for (std::size_t i = particles.local_count(); i < particles.total_count(); ++i) {
    ghosts.all.push_back(as_ghost(particles.position[i]));
  }
  // They stay in the same order when they move.
  for (std::size_t i = 0; i < particles.local_count(); ++i) particles.position[i].x += 0.25;
  halo.start_positions(particles);
  halo.finish_positions(particles);
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < ghosts.all.size(); ++k) {
    const auto& [type, x, y, z] = ghosts.all[k];
    const Position& now = particles.position[particles.local_count() + k];
    wrong += now.type != type || std::abs(now.x - x - 0.25) > 1e-12 || now.y != y || now.z != z;
  }
  CHECK(wrong == 0);
  return ghosts;
}

}  // namespace

TEST_CASE("narrow types, and all beyond the half shell, come from the narrow width") {
  const comm::Context context;
  const int ranks = context.size();
  const Case cases[] = {
      {"chosen grid", {12, 11, 10}, {0, 0, 0}, 2.8},
      {"in a row, thin regions", {8, 8, 8}, {ranks, 1, 1}, 3.2},
      {"box below twice the halo", {5, 4, 5}, {1, 1, ranks}, 2.8},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const RegularGrid grid({c.length}, ranks, c.grid);
    const auto all = make_positions(grid, c.width, 300);
    const double narrow_width = 0.4375 * c.width;
    const auto near = expected_ghosts(grid, context.rank(), narrow_width, all);
    const auto is_near = [&](const Ghost& ghost) {
      return std::ranges::binary_search(near, ghost);
    };
    std::vector<char> narrow_types(all.size());
    for (std::size_t i = 0; i < all.size(); i += 3) narrow_types[i] = 1;
    for (const auto& halo_route : halo_routes()) {
      CAPTURE(halo_route.name);
      HaloOptions options{.route = std::string(halo_route.name),
                          .ghost_forces = GhostForces::half_shell};
      const Ghosts wide = ghosts_of(context, grid, c.width, options, all);
      options.narrow_width = narrow_width;
      for (const bool types : {false, true}) {
        for (const bool other_half : {false, true}) {
          CAPTURE(types);
          CAPTURE(other_half);
          options.narrow_types = types ? narrow_types : std::vector<char>{};
          options.narrow_other_half = other_half;
          // Stages send on what others need.
          const bool narrows_half = other_half && halo_route.name == "direct";
          std::vector<Ghost> expected;
          std::vector<char> in_half_shell;
          for (std::size_t k = 0; k < wide.all.size(); ++k) {
            const bool is_narrow =
                (types && narrow_types[static_cast<std::size_t>(std::get<0>(wide.all[k]))] != 0) ||
                (narrows_half && wide.in_half_shell[k] == 0);
            if (is_narrow && !is_near(wide.all[k])) continue;
            expected.push_back(wide.all[k]);
            in_half_shell.push_back(wide.in_half_shell[k]);
          }
          const Ghosts found = ghosts_of(context, grid, c.width, options, all);
          CHECK(found.all == expected);
          CHECK(found.in_half_shell == in_half_shell);
        }
      }
    }
  }
}
