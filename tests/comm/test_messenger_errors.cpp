#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "comm/messenger_items.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/messenger.hpp"

using namespace sterna::comm;
using test::faults;
using test::fill;
using test::for_each_transport;

TEST_CASE("in a node a buffer given away arrives though its sender leaves by an exception") {
  const Context world;
  if (world.node_count() > 1) return;
  const std::size_t size = 100000;
  std::string text;
  try {
    Messenger messenger(world);
    if (world.size() > 1 && messenger.route((world.rank() + 1) % world.size()) != "shm") return;
    if (world.rank() > 0) {
      Buffer<double> buffer = messenger.buffer<double>(size);
      fill(buffer.items(), world.rank());
      messenger.send(0, 3, nocopy(std::move(buffer)));
      throw std::runtime_error("of the caller");
    }
    // The senders' messengers are gone before this one looks for the first time.
    barrier(world);
    for (int rank = 1; rank < world.size(); ++rank) {
      Delivery<double> delivery = messenger.receive<double>(rank, 3);
      messenger.wait(delivery.arrived());
      const Buffer<double> buffer = delivery.take();
      CHECK(buffer.size() == size);
      CHECK(faults(buffer.items(), rank) == 0);
    }
    throw std::runtime_error("of the caller");
  } catch (const std::exception& error) {
    text = error.what();
  }
  CHECK(text == "of the caller");
  if (world.rank() > 0) barrier(world);
  barrier(world);
}

TEST_CASE("what goes wrong is an error, here and at the sender") {
  const Context world;
  for_each_transport(world, [&](Messenger& messenger) {
    const int right = (world.rank() + 1) % world.size();
    const auto entry = messenger.entry<int, NoCopy<double>>(
        "entry", [&](Sender, int value, std::span<const double>) {
          if (value == 3) throw Error("three is too many");
        });
    CHECK_THROWS_WITH_AS(entry(world.size(), 1, nocopy(std::vector<double>(3))),
                         doctest::Contains("goes to rank"), Error);
    CHECK_THROWS_WITH_AS(entry(-1, 1, nocopy(std::vector<double>(3))),
                         doctest::Contains("goes to rank -1 of "), Error);
    CHECK_THROWS_WITH_AS((messenger.entry<double>("entry", [](Sender, double) {})),
                         doctest::Contains("registered twice"), Error);

    std::vector<double> items(1000);
    Future failed;
    entry(right, 3, nocopy(items, on_operation(failed)));
    std::string here;
    while (here.empty() || !failed.ready()) {
      try {
        messenger.wait_until([&] { return !here.empty() && failed.ready(); }, "both errors");
      } catch (const Error& error) {
        here = error.what();
      }
    }
    CHECK(here.find("three is too many") != std::string::npos);
    CHECK_THROWS_WITH_AS(failed.value(), doctest::Contains("three is too many"), Error);
    messenger.finish();

    // Memory too small for what comes: an error of the receive and of the sender.
    std::vector<double> target(10);
    const Future too_small =
        messenger.receive<double>((world.rank() + world.size() - 1) % world.size(), 1, target);
    barrier(world);  // all have posted
    Future refused;
    messenger.send(right, 1, nocopy(items, on_remote(refused)));
    messenger.wait_until([&] { return too_small.ready() && refused.ready(); }, "both errors");
    CHECK_THROWS_WITH_AS(too_small.value(), doctest::Contains("into memory of 80"), Error);
    CHECK_THROWS_WITH_AS(refused.value(), doctest::Contains("into memory of 80"), Error);
  });
}

TEST_CASE("a lent array that is changed too early is noticed") {
  const Context world;
  Messenger messenger(world, {.check = true});
  const auto entry =
      messenger.entry<NoCopy<double>>("entry", [](Sender, std::span<const double>) {});
  const Buffer<double> items = messenger.buffer<double>(100000);
  std::ranges::fill(items, 1.0);
  Future source;
  entry((world.rank() + 1) % world.size(), nocopy(items, on_source(source)));
  items[50000] = 2.0;
  CHECK_THROWS_WITH_AS(messenger.wait(source), doctest::Contains("changed before"), Error);
  messenger.finish();
}

TEST_CASE("buffers that were let go are filled with 0xdb, and those still held are reported") {
  const Context world;
  std::optional<Messenger> messenger;
  messenger.emplace(world, MessengerOptions{.name = "calls", .check = true});
  Buffer<unsigned char> held = messenger->buffer<unsigned char>(3000);
  Buffer<unsigned char> other = messenger->buffer<unsigned char>(3000);
  unsigned char* const memory = other.data();
  std::fill_n(memory, 3000, static_cast<unsigned char>(1));
  other = {};
  CHECK(std::all_of(memory, memory + 3000, [](unsigned char byte) { return byte == 0xdb; }));
  CHECK(messenger->outstanding_buffers() == 1);

  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fflush(stderr);
  const int standard_error = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  messenger.reset();
  std::fflush(stderr);
  dup2(standard_error, STDERR_FILENO);
  close(standard_error);
  std::rewind(file);
  char text[200] = "";
  CHECK(std::fgets(text, sizeof text, file) != nullptr);
  std::fclose(file);
  CHECK(std::string(text).find("calls: rank " + std::to_string(world.rank()) +
                               ": 1 buffers of its pool are still held") != std::string::npos);
}
