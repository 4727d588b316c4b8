#pragma once

// What tests of messengers share: each transport that works here, and items that tell their sender.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/messenger.hpp"

namespace sterna::comm::test {

/// Runs `body(messenger)` over each transport that works here, and checks that nothing is left.
template <class Body>
void for_each_transport(const Context& world, Body body) {
  for (const std::string way : {"auto", "shm", "kernel", "rdma", "two_sided"}) {
    // In a node, with private memory copied by the kernel.
    const std::string name = way == "kernel" ? "shm" : way;
    const auto known = std::ranges::find(world.transports(), name, &Context::Transport::name);
    if (known != world.transports().end() && !known->available) {
      MESSAGE("skipped " << name << ": " << known->reason);
      continue;
    }
    if (name == "shm" && world.node_count() > 1) continue;
    CAPTURE(way);
    MessengerOptions options{.transport = name, .check = true};
    if (way == "kernel") options.kernel_copies_from = 3000;
    Messenger messenger(world, options);
    body(messenger);
    messenger.finish();
    CHECK(messenger.open_operations() == 0);
    CHECK(messenger.outstanding_buffers() == 0);
    barrier(world);
  }
}

inline double item(int sender, std::size_t size, std::size_t i) {
  return 1e6 * sender + static_cast<double>(size % 1000) + 0.001 * static_cast<double>(i % 977);
}
inline void fill(std::span<double> items, int sender) {
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = item(sender, items.size(), i);
}
inline std::size_t faults(std::span<const double> items, int sender) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i] != item(sender, items.size(), i)) ++wrong;
  }
  return wrong;
}

}  // namespace sterna::comm::test
