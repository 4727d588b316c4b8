#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sterna/comm/channel.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/messenger.hpp"

using namespace sterna::comm;

namespace {

template <class Body>
void for_each_transport(const Context& world, Body body) {
  for (const std::string name : {"shm", "rdma", "two_sided"}) {
    const auto known = std::ranges::find(world.transports(), name, &Context::Transport::name);
    if (!known->available) continue;
    CAPTURE(name);
    Messenger messenger(world, {.transport = name, .check = true});
    body(messenger);
    messenger.finish();
    CHECK(messenger.open_operations() == 0);
    CHECK(messenger.outstanding_buffers() == 0);
    barrier(world);
  }
}

std::int64_t item(int sender, std::int64_t message, std::size_t i) {
  return 1000000 * sender + 1000 * message + static_cast<std::int64_t>(i % 991);
}

}  // namespace

TEST_CASE("a channel one way: a fast sender waits for a slow receiver, nothing is overwritten") {
  const Context world;
  for_each_transport(world, [&](Messenger& messenger) {
    const int right = (world.rank() + 1) % world.size();
    const int left = (world.rank() + world.size() - 1) % world.size();
    for (const std::size_t slots : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
      CAPTURE(slots);
      constexpr std::size_t capacity = 700;
      constexpr std::int64_t messages = 100;
      // Different keys for the two directions, as with two ranks both are channels of one pair.
      Channel<std::int64_t> out(messenger, right, capacity, {.slots = slots, .key = slots});
      // With one or two ranks the channel serves both ways.
      const bool same = left == right;
      std::optional<Channel<std::int64_t>> other;
      if (!same) other.emplace(messenger, left, capacity, ChannelOptions{slots, slots});
      Channel<std::int64_t>& in = same ? out : *other;

      std::int64_t sent = 0;
      std::int64_t received = 0;
      std::size_t wrong = 0;
      std::vector<std::vector<std::int64_t>> sources(slots, std::vector<std::int64_t>(capacity));
      const auto take = [&] {
        const auto arrived = in.receive();
        if (!arrived) return false;
        wrong += arrived->size() != static_cast<std::size_t>(received * 7 % 700) ? 1 : 0;
        for (std::size_t i = 0; i < arrived->size(); ++i) {
          wrong += (*arrived)[i] != item(left, received, i) ? 1 : 0;
        }
        in.release();
        ++received;
        return true;
      };
      // As far ahead as the slots let it, then one at a time.
      while (received < messages || sent < messages) {
        if (sent < messages && sent < received + static_cast<std::int64_t>(slots)) {
          const auto count = static_cast<std::size_t>(sent * 7 % 700);
          std::vector<std::int64_t>& source = sources[static_cast<std::size_t>(sent) % slots];
          out.wait_sent();
          for (std::size_t i = 0; i < count; ++i) source[i] = item(world.rank(), sent, i);
          if (sent % 3 == 0) {
            const auto slot = out.slot();
            std::copy_n(source.begin(), count, slot.begin());
            out.commit(count);
          } else {
            out.send(std::span(source).first(count));
          }
          ++sent;
        } else {
          messenger.wait_until(take, "a message");
        }
      }
      out.wait_sent();
      CHECK(wrong == 0);
      messenger.finish();
    }
  });
}

TEST_CASE("a channel both ways: credits ride along") {
  const Context world;
  if (world.size() % 2 != 0) return;
  for_each_transport(world, [&](Messenger& messenger) {
    const int peer = world.rank() ^ 1;
    Channel<std::int64_t> channel(messenger, peer, 100, {.slots = 2});
    std::size_t wrong = 0;
    std::vector<std::int64_t> source(100);
    for (std::int64_t turn = 0; turn < 500; ++turn) {
      channel.wait_sent();
      for (std::size_t i = 0; i < source.size(); ++i) source[i] = item(world.rank(), turn, i);
      channel.send(source);
      const auto arrived = channel.wait();
      for (std::size_t i = 0; i < arrived.size(); ++i) {
        wrong += arrived[i] != item(peer, turn, i) ? 1 : 0;
      }
      channel.release();
    }
    channel.wait_sent();
    CHECK(wrong == 0);
    CHECK_THROWS_AS(channel.send(std::vector<std::int64_t>(101)), Error);
    CHECK_THROWS_AS(channel.release(), Error);
    messenger.finish();
  });
}
