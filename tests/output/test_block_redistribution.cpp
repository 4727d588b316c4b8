#include <cstring>

#include "md/output/block_redistribution.hpp"
#include "output/output_support.hpp"
#include "sterna/comm/reduction_batch.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

/// Checks that every slot comes exactly once, with its own data; returns how many came here. The
/// data say 1 + the slot.
std::int64_t check_all_pieces(BlockRedistribution& redistribution, const ParticleStore& store) {
  redistribution.plan(store.id.span(), redistribution.order(store.id.span()));
  std::int64_t slots = 0;
  for (std::int64_t piece = 0; piece < redistribution.piece_count(); ++piece) {
    const auto rows = redistribution.exchange(
        piece, [&](std::span<const std::uint32_t> particles, std::byte* items, std::size_t stride) {
          for (const std::uint32_t i : particles) {
            std::memcpy(items, &store.velocity[i], sizeof(Vec3));
            items += stride;
          }
        });
    const std::size_t count = rows.items.size() / sizeof(Vec3);
    for (std::size_t row = 0; row < count; ++row) {
      Vec3 velocity;
      std::memcpy(&velocity, rows.items.data() + row * sizeof(Vec3), sizeof(Vec3));
      const std::int64_t id = rows.first_slot + static_cast<std::int64_t>(row) + 1;
      CHECK(velocity.x == -self_identifying(id, 0, 0));
      CHECK(velocity.z == -self_identifying(id, 2, 0));
    }
    slots += static_cast<std::int64_t>(count);
  }
  return slots;
}

/// The same for whole blocks, of items of three or more words.
std::int64_t check_block(BlockRedistribution& redistribution, const ParticleStore& store,
                         std::size_t item_bytes) {
  std::size_t packed = 0;
  const std::span<std::byte> block = redistribution.collect(
      store.id.span(), redistribution.order(store.id.span()),
      [&](std::size_t first, std::size_t count, std::byte* items, std::size_t stride) {
        CHECK(first == packed);
        packed += count;
        REQUIRE(stride >= item_bytes);
        // All of what it may change.
        std::memset(items, 7, count * stride);
        for (std::size_t i = first; i < first + count; ++i, items += stride) {
          const Vec3& v = store.velocity[i];
          const float numbers[] = {static_cast<float>(v.x), static_cast<float>(v.y),
                                   static_cast<float>(v.z)};
          std::memcpy(items, numbers, sizeof(numbers));
        }
      });
  CHECK(packed == store.local_count());
  REQUIRE(block.size() % item_bytes == 0);
  std::int64_t id = redistribution.first_slot();
  for (std::size_t place = 0; place < block.size(); place += item_bytes) {
    ++id;
    float numbers[3];
    std::memcpy(numbers, block.data() + place, sizeof(numbers));
    for (int axis = 0; axis < 3; ++axis) {
      CHECK(numbers[axis] == static_cast<float>(-self_identifying(id, axis, 0)));
    }
    for (std::size_t byte = sizeof(numbers); byte < item_bytes; ++byte) {
      CHECK(block[place + byte] == std::byte{7});
    }
  }
  return static_cast<std::int64_t>(block.size() / item_bytes);
}

}  // namespace

TEST_CASE("whole blocks come in the order of ids") {
  const comm::Context context;
  std::int64_t (*const kinds[])(std::int64_t) = {
      [](std::int64_t id) { return id; }, [](std::int64_t id) { return 3 * id * id; },
      [](std::int64_t id) { return id < 20 ? id : id + 1'000'000'000'000; }};
  for (const std::int64_t total : {1, 5, 1000, 5003}) {
    for (const std::size_t item_bytes : {12, 16, 20, 28}) {
      for (const auto kind : kinds) {
        for (const std::int64_t piece : {16, 2048}) {
          CAPTURE(total);
          CAPTURE(item_bytes);
          ParticleStore store = dealt_particles(context, total);
          for (std::int64_t& id : store.id) id = kind(id);
          BlockRedistribution redistribution(context, total, item_bytes, {"auto", 16, piece});
          for (int round = 0; round < 2; ++round) {
            std::int64_t slots = check_block(redistribution, store, item_bytes);
            comm::ReductionBatch(context).sum(slots).run();
            CHECK(slots == total);
            CHECK(redistribution.failure().empty());
          }
        }
      }
    }
  }
}

TEST_CASE("wrong ids of whole blocks are reported, not lost") {
  const comm::Context context;
  const auto failure_with = [&](std::int64_t from, std::int64_t to, std::int64_t first,
                                bool from_the_start) {
    ParticleStore store = dealt_particles(context, 100);
    for (std::int64_t& id : store.id) id += first - 1;
    BlockRedistribution redistribution(context, 100, 12, {"auto", 16, 32});
    auto order = redistribution.order(store.id.span());
    for (std::int64_t& id : store.id) id = id == from ? to : id;
    if (from_the_start) order = redistribution.order(store.id.span());
    redistribution.collect(store.id.span(), order,
                           [](std::size_t, std::size_t count, std::byte* items,
                              std::size_t stride) { std::memset(items, 1, count * stride); });
    return failure_of([&] { agree(context, redistribution.failure()); });
  };
  for (const bool from_the_start : {false, true}) {
    CHECK(failure_with(100, 100, 1, from_the_start).empty());
    CHECK(contains(failure_with(17, 18, 1, from_the_start), "id 1"));
    CHECK(contains(failure_with(1017, 1018, 1000, from_the_start), "id 101"));
    CHECK(failure_with(17, 101, 1, from_the_start).empty() == from_the_start);
  }
  CHECK(contains(failure_with(17, 5000, 1, false), "the id "));
  CHECK(contains(failure_with(1016, 5000, 1000, false), "the id "));
}

TEST_CASE("particles come in the order of their ids, in pieces") {
  const comm::Context context;
  for (const std::int64_t total : {1, 5, 16, 1000, 1001}) {
    for (const std::int64_t piece : {16, 64, 100000}) {
      CAPTURE(total);
      CAPTURE(piece);
      BlockRedistribution redistribution(
          context, total, sizeof(Vec3),
          {.method = "auto", .granularity = 16, .piece_slots = piece});
      const ParticleStore store = dealt_particles(context, total);
      for (int round = 0; round < 2; ++round) {
        std::int64_t slots = check_all_pieces(redistribution, store);
        comm::ReductionBatch(context).sum(slots).run();
        CHECK(slots == total);
        CHECK(redistribution.failure().empty());
      }
    }
  }
}

TEST_CASE("ids may be any different numbers") {
  const comm::Context context;
  const std::int64_t total = 1001;
  // Ascending, so that particles stay in the order of their data.
  const std::pair<const char*, std::int64_t (*)(std::int64_t)> kinds[] = {
      {"from 0", [](std::int64_t id) { return id - 1; }},
      {"with gaps", [](std::int64_t id) { return 3 * id * id; }},
      {"one of them large",
       [](std::int64_t id) { return id == 1001 ? (std::int64_t{1} << 48) - 1 : id; }},
      {"two clusters", [](std::int64_t id) { return id < 20 ? id : id + 1'000'000'000'000; }}};
  for (const auto& [name, kind] : kinds) {
    CAPTURE(std::string(name));
    ParticleStore store = dealt_particles(context, total);
    for (std::int64_t& id : store.id) id = kind(id);
    BlockRedistribution redistribution(context, total, sizeof(Vec3), {"auto", 16, 64});
    for (int round = 0; round < 2; ++round) {
      std::int64_t slots = check_all_pieces(redistribution, store);
      comm::ReductionBatch(context).sum(slots).run();
      CHECK(slots == total);
      CHECK(redistribution.failure().empty());
    }
  }
}

TEST_CASE("wrong ids are reported, not lost") {
  const comm::Context context;
  const auto failure_with = [&](std::int64_t from, std::int64_t to, std::int64_t first = 1) {
    ParticleStore store = dealt_particles(context, 100);
    for (std::int64_t& id : store.id) id += first - 1;
    for (std::size_t i = 0; i < store.local_count(); ++i) {
      if (store.id[i] == from) store.id[i] = to;
    }
    BlockRedistribution redistribution(context, 100, sizeof(Vec3), {"auto", 16, 32});
    redistribution.plan(store.id.span(), redistribution.order(store.id.span()));
    for (std::int64_t piece = 0; piece < redistribution.piece_count(); ++piece) {
      redistribution.exchange(piece, [](auto&&...) {});
    }
    return failure_of([&] { agree(context, redistribution.failure()); });
  };
  CHECK(failure_with(100, 100).empty());
  CHECK(contains(failure_with(17, 18), "id 1"));
  CHECK(failure_with(17, 101).empty());
  CHECK(contains(failure_with(1017, 1018, 1000), "two particles have the id 1018"));
}

TEST_CASE("ids that change are reported") {
  const comm::Context context;
  for (const std::int64_t first : {1, 1000}) {
    ParticleStore store = dealt_particles(context, 100);
    for (std::int64_t& id : store.id) id += first - 1;
    BlockRedistribution redistribution(context, 100, sizeof(Vec3), {"auto", 16, 32});
    const auto order = redistribution.order(store.id.span());
    for (std::int64_t& id : store.id) id = id == first + 16 ? 5000 : id;
    redistribution.plan(store.id.span(), order);
    for (std::int64_t piece = 0; piece < redistribution.piece_count(); ++piece) {
      redistribution.exchange(piece, [](auto&&...) {});
    }
    CHECK(contains(failure_of([&] { agree(context, redistribution.failure()); }), "the id "));
  }
}
