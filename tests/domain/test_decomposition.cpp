#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>

#include "domain/domain_support.hpp"
#include "md/domain/decomposition_method.hpp"
#include "md/domain/halo.hpp"
#include "md/domain/halo_plan.hpp"
#include "md/domain/migration.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/methods.hpp"
#include "sterna/comm/reduction_batch.hpp"

using namespace sterna;
using namespace sterna::md;
using namespace sterna::md::test;

namespace {

/// Where matter is; each makes the position of particle `i` in a unit box.
struct Matter {
  const char* what;
  std::size_t count;
  Vec3 (*place)(std::size_t i);
};

Vec3 random_place(std::size_t i) {
  return {uniform(i, 20), uniform(i, 21), uniform(i, 22)};
}

const Matter kMatter[] = {
    {"nothing", 0, random_place},
    {"one particle", 1, random_place},
    {"uniform", 3000, random_place},
    {"slab", 3000,
     [](std::size_t i) {
       Vec3 p = random_place(i);
       if (i % 20 != 0) p.z = 0.2 + 0.2 * p.z;
       return p;
     }},
    {"droplet in a corner", 3000,
     [](std::size_t i) {
       Vec3 p = random_place(i);
       return i % 20 != 0 ? 0.3 * p : p;
     }},
    {"all at one point", 500,
     [](std::size_t) {
       return Vec3{0.7, 0.1, 0.4};
     }},
    {"on planes of a lattice", 1000,
     [](std::size_t i) {
       return Vec3{0.1 * static_cast<double>(i % 10), 0.1 * static_cast<double>(i / 10 % 10),
                   0.1 * static_cast<double>(i / 100)};
     }},
};

const Vec3 kBoxes[] = {{30, 30, 30}, {8, 9, 80}, {4, 50, 40}, {3, 3, 3}};
constexpr double kWidth = 2.8;

/// What one rank knows of the particles: those of its share, each of weight 1 to 2.
struct Share {
  std::vector<Vec3> points;
  std::vector<double> weights;
};

Share share(const comm::Context& context, const Matter& matter, const Vec3& length,
            bool all_on_one_rank) {
  Share own;
  for (std::size_t i = 0; i < matter.count; ++i) {
    const auto holder = all_on_one_rank
                            ? context.size() - 1
                            : static_cast<int>(i % static_cast<std::size_t>(context.size()));
    if (holder != context.rank()) continue;
    const Vec3 p = matter.place(i);
    own.points.push_back({p.x * length.x, p.y * length.y, p.z * length.z});
    own.weights.push_back(1.0 + uniform(i, 23));
  }
  return own;
}

DecompositionRequest request_of(const Vec3& length, const Share& own) {
  DecompositionRequest request;
  request.box = {length};
  request.least_width = kWidth;
  request.points = own.points;
  request.weights = own.weights;
  return request;
}

bool same_on_all_ranks(const comm::Context& context, const Decomposition& decomposition) {
  std::string mine;
  for (int rank = 0; rank < decomposition.rank_count(); ++rank) {
    const Region region = decomposition.region(rank);
    mine.append(reinterpret_cast<const char*>(&region), sizeof(region));
  }
  std::string first = mine;
  comm::broadcast(context, 0, first);
  std::int64_t different = first != mine;
  comm::ReductionBatch(context, "test").max(different).run();
  return different == 0;
}

/// Positions at, just below and just above every plane of every region, and random ones.
std::vector<Vec3> places_to_ask(const Decomposition& decomposition) {
  const Vec3 length = decomposition.box().length;
  std::vector<Vec3> places;
  for (std::size_t i = 0; i < 200; ++i) {
    const Vec3 p = random_place(i);
    places.push_back({p.x * length.x, p.y * length.y, p.z * length.z});
  }
  for (int rank = 0; rank < decomposition.rank_count(); ++rank) {
    const Region region = decomposition.region(rank);
    for (int axis = 0; axis < 3; ++axis) {
      for (const double plane : {region.lower[axis], region.upper[axis]}) {
        for (const double at : {plane, std::nextafter(plane, -1.0), std::nextafter(plane, 1e9)}) {
          if (at < 0.0 || at >= length[axis]) continue;
          Vec3 p = 0.5 * (region.lower + region.upper);
          p[axis] = at;
          places.push_back(p);
        }
      }
    }
  }
  return places;
}

void check_regions(const Decomposition& decomposition) {
  double volume = 0.0;
  for (int rank = 0; rank < decomposition.rank_count(); ++rank) {
    const Region region = decomposition.region(rank);
    const Vec3 width = region.upper - region.lower;
    CHECK(width.x > 0.0);
    CHECK(width.y > 0.0);
    CHECK(width.z > 0.0);
    volume += width.x * width.y * width.z;
  }
  CHECK(std::fabs(volume / decomposition.box().volume() - 1.0) < 1e-12);
  std::size_t wrong = 0;
  for (const Vec3& place : places_to_ask(decomposition)) {
    const int owner = decomposition.owner(place);
    for (int rank = 0; rank < decomposition.rank_count(); ++rank) {
      wrong += decomposition.region(rank).contains(place) != (rank == owner);
    }
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("every decomposition divides the box, whatever is in it") {
  const comm::Context context;
  for (const auto& method : decomposition_methods()) {
    for (const Matter& matter : kMatter) {
      for (const Vec3& length : kBoxes) {
        for (const bool one_rank : {false, true}) {
          CAPTURE(method.name);
          CAPTURE(matter.what);
          CAPTURE(length.z);
          const Share own = share(context, matter, length, one_rank);
          const auto decomposition = method.make(context, request_of(length, own));
          CHECK(decomposition->rank_count() == context.size());
          CHECK(same_on_all_ranks(context, *decomposition));
          check_regions(*decomposition);
          const auto sums = loads(context, *decomposition, own.points, own.weights);
          double total = std::accumulate(own.weights.begin(), own.weights.end(), 0.0);
          comm::ReductionBatch(context, "test").sum(total).run();
          const double found = std::accumulate(sums.begin(), sums.end(), 0.0);
          CHECK(std::fabs(found - total) <= 1e-9 * total);
        }
      }
    }
  }
}

TEST_CASE("those that weigh share the weight out evenly and keep regions wide") {
  const comm::Context context;
  const Vec3 length{30, 30, 30};
  for (const auto& method : decomposition_methods()) {
    if (!method.weighs) continue;
    for (const Matter& matter : {kMatter[2], kMatter[3], kMatter[4]}) {
      for (const bool one_rank : {false, true}) {
        CAPTURE(method.name);
        CAPTURE(matter.what);
        const Share own = share(context, matter, length, one_rank);
        const auto decomposition = method.make(context, request_of(length, own));
        const auto sums = loads(context, *decomposition, own.points, own.weights);
        const double mean =
            std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(sums.size());
        // Planes fall between particles: some of 3000 / 9 on the wrong side.
        CHECK(*std::max_element(sums.begin(), sums.end()) < 1.05 * mean);
        for (int rank = 0; rank < context.size(); ++rank) {
          const Region region = decomposition->region(rank);
          for (int axis = 0; axis < 3; ++axis) {
            CHECK(region.upper[axis] - region.lower[axis] >= kWidth * (1.0 - 1e-12));
          }
        }
      }
    }
  }
}

TEST_CASE("regions are no narrower than the halo where the box is wide enough") {
  // All at one point would pull all planes together.
  const comm::Context context;
  for (const auto& method : decomposition_methods()) {
    if (!method.weighs) continue;
    CAPTURE(method.name);
    const Vec3 length{40, 40, 40};
    const Share own = share(context, kMatter[5], length, false);
    const auto decomposition = method.make(context, request_of(length, own));
    int narrow = 0;
    for (int rank = 0; rank < context.size(); ++rank) {
      const Region region = decomposition->region(rank);
      for (int axis = 0; axis < 3; ++axis) {
        // Half of an equal share is left where a part was too narrow to be cut again.
        CHECK(region.upper[axis] - region.lower[axis] > 0.1 * kWidth);
        narrow += region.upper[axis] - region.lower[axis] < kWidth * (1.0 - 1e-12);
      }
    }
    if (context.size() <= 4) CHECK(narrow == 0);
  }
}

TEST_CASE("a plane moves by a part of the width beside it, and gets there in the end") {
  const comm::Context context;
  if (context.size() == 1) return;
  const Vec3 length{60, 60, 60};
  for (const auto& method : decomposition_methods()) {
    if (!method.weighs) continue;
    CAPTURE(method.name);
    const Share even = share(context, kMatter[2], length, false);
    const Share corner = share(context, kMatter[4], length, false);
    auto present = method.make(context, request_of(length, even));
    double imbalance = 0.0;
    for (int round = 0; round < 12; ++round) {
      auto request = request_of(length, corner);
      request.previous = present.get();
      auto next = method.make(context, request);
      const auto& before = dynamic_cast<const CutTree&>(*present).parts().front();
      const auto& after = dynamic_cast<const CutTree&>(*next).parts().front();
      if (before.cut.axis == after.cut.axis && before.cut.ranks == after.cut.ranks) {
        for (std::size_t k = 0; k < before.cut.planes.size(); ++k) {
          const double lower = k == 0 ? 0.0 : before.cut.planes[k - 1];
          const double upper =
              k + 1 == before.cut.planes.size() ? length.x : before.cut.planes[k + 1];
          const double width = std::min(before.cut.planes[k] - lower, upper - before.cut.planes[k]);
          CHECK(std::fabs(after.cut.planes[k] - before.cut.planes[k]) <=
                0.5 * width * (1.0 + 1e-12));
        }
      }
      const auto sums = loads(context, *next, corner.points, corner.weights);
      imbalance = *std::max_element(sums.begin(), sums.end()) * context.size() /
                  std::accumulate(sums.begin(), sums.end(), 0.0);
      present = std::move(next);
    }
    CHECK(imbalance < 1.05);
  }
}

TEST_CASE("cuts make the same tree again, and impossible ones are refused") {
  const comm::Context context;
  const Vec3 length{30, 30, 30};
  const Share own = share(context, kMatter[4], length, false);
  for (const auto& method : decomposition_methods()) {
    if (!method.weighs) continue;
    const auto made = method.make(context, request_of(length, own));
    const auto& tree = dynamic_cast<const CutTree&>(*made);
    const CutTree again({length}, context.size(), tree.cuts());
    for (int rank = 0; rank < context.size(); ++rank) {
      CHECK(again.region(rank) == tree.region(rank));
    }
  }
  const Box box{length};
  const auto tree = [&](std::vector<Cut> cuts) { return CutTree(box, 3, cuts); };
  CHECK_NOTHROW(tree({{0, {1, 1, 1}, {10.0, 20.0}}}));
  CHECK_NOTHROW(tree({{0, {1, 2}, {10.0}}, {2, {1, 1}, {10.0}}}));
  CHECK_THROWS_AS(tree({}), std::invalid_argument);
  CHECK_THROWS_AS(tree({{0, {1, 2}, {10.0}}}), std::invalid_argument);
  CHECK_THROWS_AS(tree({{0, {1, 1, 1}, {20.0, 10.0}}}), std::invalid_argument);
  CHECK_THROWS_AS(tree({{0, {1, 1, 1}, {10.0, 30.0}}}), std::invalid_argument);
  CHECK_THROWS_AS(tree({{0, {1, 1, 1}, {std::nan(""), 20.0}}}), std::invalid_argument);
  CHECK_THROWS_AS(tree({{3, {1, 1, 1}, {10.0, 20.0}}}), std::invalid_argument);
  CHECK_THROWS_AS(tree({{0, {1, 1}, {10.0}}}), std::invalid_argument);
  CHECK_THROWS_AS(tree({{0, {3}, {}}}), std::invalid_argument);
  CHECK_THROWS_AS(tree({{0, {1, 2}, {10.0}}, {2, {1, 1}, {10.0}}, {1, {1, 1}, {10.0}}}),
                  std::invalid_argument);
  CHECK_THROWS_AS(CutTree(box, 0), std::invalid_argument);
  CHECK_THROWS_WITH_AS(decomposition_method("hilbert"),
                       "unknown decomposition \"hilbert\". Valid are: grid, bisection, sampling",
                       std::invalid_argument);
}

TEST_CASE("ghosts of irregular regions are exactly the images within the halo") {
  const comm::Context context;
  for (const auto& method : decomposition_methods()) {
    for (const Vec3& length : {Vec3{12, 11, 10}, Vec3{5, 4, 20}, Vec3{2, 2, 2.5}}) {
      CAPTURE(method.name);
      CAPTURE(length.z);
      const Share own = share(context, kMatter[4], length, false);
      const auto decomposition = method.make(context, request_of(length, own));
      const auto all = make_positions(*decomposition, kWidth, 300);
      ParticleStore particles;
      for (const Position& p : all) {
        if (decomposition->owner(p.vector()) != context.rank()) continue;
        particles.resize_local(particles.local_count() + 1);
        particles.position[particles.local_count() - 1] = p;
      }
      Halo halo(context, *decomposition, kWidth);
      halo.rebuild(particles);
      halo.start_positions(particles);
      halo.finish_positions(particles);
      const bool right = sorted_ghosts(particles.position.data() + particles.local_count(),
                                       particles.ghost_count()) ==
                         expected_ghosts(*decomposition, context.rank(), kWidth, all);
      CHECK(right);
      if (method.weighs && context.size() > 1) {
        CHECK_THROWS_AS(Halo(context, *decomposition, kWidth, {"staged", "auto"}),
                        std::invalid_argument);
      }
    }
  }
}

TEST_CASE("regions that change hand their particles over, with every sparse method") {
  const comm::Context context;
  const Vec3 length{25, 12, 9};
  constexpr std::size_t kCount = 600;
  for (const auto& sparse : comm::sparse_methods()) {
    if (!comm::why_sparse_method_unavailable(context, sparse.name).empty()) continue;
    CAPTURE(sparse.name);
    std::unique_ptr<Decomposition> present =
        decomposition_method("grid").make(context, request_of(length, {}));
    Migration move(
        context, *present, 0.0,
        {.exchange_method = std::string(sparse.name), .anywhere = true, .name = "rebalancing"});
    ParticleStore particles;
    std::vector<ParticleRecord> records;
    for (std::size_t i = 0; i < kCount; ++i) {
      if (static_cast<int>(i) % context.size() != context.rank()) continue;
      const Vec3 p = random_place(i);
      const auto id = static_cast<std::int64_t>(i);
      records.push_back(
          {{p.x * length.x, p.y * length.y, p.z * length.z, id % 3}, {p.x, 1.0, 2.0}, id, {}});
    }
    Distribution(context, *present).append(records, particles);
    for (int round = 0; round < 12; ++round) {
      // Matter contracts and expands; each round is cut by another method.
      const auto& method =
          decomposition_methods()[static_cast<std::size_t>(round) % decomposition_methods().size()];
      const double scale = round % 2 == 0 ? 0.4 : 2.5;
      Share own;
      for (std::size_t i = 0; i < particles.local_count(); ++i) {
        Position& p = particles.position[i];
        p = {p.x * scale, p.y * scale, p.z * scale, p.type};
        int image[3];
        own.points.push_back(Box{length}.wrap(p.vector(), image));
        own.weights.push_back(1.0);
      }
      auto next = method.make(context, request_of(length, own));
      move.set_decomposition(*next);
      present = std::move(next);
      move.migrate(particles, round);
      const Region region = present->region(context.rank());
      std::vector<std::int64_t> seen(kCount, 0);
      std::int64_t wrong = 0;
      for (std::size_t i = 0; i < particles.local_count(); ++i) {
        ++seen[static_cast<std::size_t>(particles.id[i])];
        wrong += !region.contains(particles.position[i].vector());
        wrong += particles.position[i].type != particles.id[i] % 3;
        wrong +=
            particles.velocity[i].x != random_place(static_cast<std::size_t>(particles.id[i])).x;
      }
      comm::ReductionBatch(context, "test").sum(seen.data(), seen.size()).sum(wrong).run();
      CHECK(wrong == 0);
      CHECK(std::all_of(seen.begin(), seen.end(), [](auto n) { return n == 1; }));
    }
    CHECK(move.verdict().exchange == "rebalancing");
    Migration near(context, *present, 1.0);
    CHECK_THROWS_AS(near.set_decomposition(*present), std::logic_error);
  }
}
