#include <doctest/doctest.h>
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/joined.hpp"
#include "sterna/comm/nearest_name.hpp"
#include "sterna/comm/neighbor_exchange.hpp"
#include "sterna/comm/sparse_exchange.hpp"

using namespace sterna::comm;

TEST_CASE("the nodes hold every rank once") {
  const Context world;
  CHECK(world.valid());
  CHECK(world.rank() >= 0);
  CHECK(world.rank() < world.size());
  CHECK(world.node_of(0) == 0);
  CHECK(world.node_count() >= 1);
  std::vector<int> here;
  for (int rank = 0; rank < world.size(); ++rank) {
    CHECK(world.node_of(rank) < world.node_count());
    if (world.on_my_node(rank)) here.push_back(rank);
  }
  const auto listed = world.ranks_on_node();
  CHECK(std::vector<int>(listed.begin(), listed.end()) == here);
}

TEST_CASE("the description names the libraries with their versions") {
  const std::string text = Context().description();
  CHECK((text.starts_with("Open MPI ") || text.starts_with("MPICH ")));
  CHECK(text.find_first_of("0123456789") != std::string::npos);
}

TEST_CASE("split groups the ranks by color and keeps their order") {
  const Context world;
  const Context part = world.split(world.rank() % 2);
  REQUIRE(part.valid());
  CHECK(part.rank() == world.rank() / 2);
  CHECK(part.size() == (world.size() + (world.rank() + 1) % 2) / 2);
  CHECK(exclusive_sum(part, 1) == part.rank());
  const Context lonely = world.split(world.rank() == 0 ? 5 : -1);
  CHECK(lonely.valid() == (world.rank() == 0));
  if (lonely.valid()) CHECK(lonely.size() == 1);
}

TEST_CASE("collective helpers move strings of any length") {
  const Context world;
  for (const int root : {0, world.size() - 1}) {
    std::string text =
        world.rank() == root ? std::string("a\0b", 3) + std::string(100000, 'x') : "old";
    broadcast(world, root, text);
    CHECK(text == std::string("a\0b", 3) + std::string(100000, 'x'));
    text = "not empty";
    if (world.rank() == root) text.clear();
    broadcast(world, root, text);
    CHECK(text.empty());

    const std::string mine(static_cast<std::size_t>(world.rank() * 1000), 'a');
    const auto all = gather(world, root, mine);
    REQUIRE(all.size() == static_cast<std::size_t>(world.rank() == root ? world.size() : 0));
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      CHECK(all[rank] == std::string(rank * 1000, 'a'));
    }
  }
  const std::string ranks = "; there are ranks 0 to " + std::to_string(world.size() - 1);
  for (const int root : {-1, world.size()}) {
    const std::string fault = "root " + std::to_string(root) + " is no rank" + ranks;
    std::string text;
    CHECK_THROWS_WITH_AS(broadcast(world, root, text), ("broadcast: " + fault).c_str(), Error);
    CHECK_THROWS_WITH_AS(gather(world, root, text), ("gather: " + fault).c_str(), Error);
  }
  if (world.size() > 1) {
    std::string text = "mine";
    CHECK_THROWS_WITH_AS(broadcast(world, world.rank() % 2, text),
                         "broadcast: the ranks name different roots, 0 and 1", Error);
    CHECK(text == "mine");
    CHECK_THROWS_WITH_AS(gather(world, world.rank() % 2, text),
                         "gather: the ranks name different roots, 0 and 1", Error);
  }
  CHECK(exclusive_sum(world, world.rank()) == world.rank() * (world.rank() - 1) / 2);
  barrier(world);
}

TEST_CASE("texts and numbers joined") {
  CHECK(joined(std::vector<std::string>{"a", "b", "c"}, ", ") == "a, b, c");
  CHECK(joined(std::vector<std::string_view>{"one"}, ", ") == "one");
  CHECK(joined(std::vector<int>{}, " x ").empty());
  CHECK(joined(std::vector<std::int64_t>{4, -5}, " x ") == "4 x -5");
  CHECK(joined(std::vector<double>{0.1, 2.0}, ",") == "0.1,2");
}

TEST_CASE("the name that was meant") {
  const std::string_view names[] = {"timestep", "steps", "seed", "stochastic_velocity_rescaling"};
  CHECK(nearest_name("timestp", names) == "timestep");
  CHECK(nearest_name("timestpe", names) == "timestep");
  CHECK(nearest_name("step", names) == "steps");
  CHECK(nearest_name("SEED", names) == "seed");
  CHECK(nearest_name("stochastic", names) == "stochastic_velocity_rescaling");
  CHECK_FALSE(nearest_name("pressure", names).has_value());
  CHECK_FALSE(nearest_name("", names).has_value());
  CHECK_FALSE(nearest_name(std::string(100000, 'a'), names).has_value());
  const std::string_view methods[] = {"alltoall", "nbx", "superset"};
  CHECK(nearest_name("nxb", methods) == "nbx");
  CHECK(unknown_name_message("sparse method", "nbxx", methods) ==
        "unknown sparse method \"nbxx\"; did you mean \"nbx\"? Valid are: alltoall, nbx, superset");
  CHECK(unknown_name_message("sparse method", "ring", methods) ==
        "unknown sparse method \"ring\". Valid are: alltoall, nbx, superset");
}

TEST_CASE("a communicator in place of its address is refused") {
  const auto make = [](MPI_Comm communicator) {
    void* address = nullptr;
    std::memcpy(&address, &communicator, sizeof communicator);
    Context::from_communicator(address);
  };
  for (const MPI_Comm predefined : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    CHECK_THROWS_WITH_AS(make(predefined),
                         "making a context: a MPI_Comm itself is given, expected its address",
                         Error);
  }
}

TEST_CASE("ranks that make different objects hear of it") {
  const Context world;
  if (world.size() == 1) return;
  const auto make = [&] {
    if (world.rank() == 0) {
      const SparseExchange<int> exchange(world, {.name = "migration", .possible_sources = {}});
    } else {
      NeighborPattern::from_peers(world, {});
    }
  };
  CHECK_THROWS_WITH_AS(make(), doctest::Contains("where others make something else"), Error);
  // All have heard of it alike, so the context is as good as before.
  const SparseExchange<int> exchange(world);
}
