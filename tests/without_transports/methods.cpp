// methods [TRANSPORTS]: whether exactly the methods that need one of TRANSPORTS ("RDMA,SHM") are
// unavailable, with the reason, and whether the others, and auto, exchange data.

#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/environment.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/methods.hpp"
#include "sterna/comm/neighbor_exchange.hpp"
#include "sterna/comm/sparse_exchange.hpp"

using namespace sterna::comm;

namespace {

int faults = 0;
int unavailable = 0;

void expect(bool holds, std::string_view method, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(method.size()), method.data(), what.c_str());
  ++faults;
}

/// What the table says on one node of a method whose transport was left out: "built without UCX".
std::string expected_reason(const MethodInfo& method, std::string_view left_out) {
  const auto out = [&](std::string_view option) {
    return ("," + std::string(left_out) + ",").find("," + std::string(option) + ",") !=
           std::string::npos;
  };
  if (method.needs.starts_with("shm on one node, rdma beyond")) {
    return out("SHM") && out("RDMA") ? "built without UCX" : "";
  }
  if (method.needs.starts_with("shm on one node, ofi beyond")) {
    return out("SHM") && out("OFI") ? "built without libfabric" : "";
  }
  if (method.needs.starts_with("ofi") && out("OFI")) return "built without libfabric";
  if (method.needs.starts_with("rdma") && out("RDMA")) return "built without UCX";
  if (method.needs.starts_with("rma") && out("RMA")) return "built without MPI windows";
  if (method.needs.starts_with("shm") && out("SHM")) return "built without shared memory";
  return {};
}

void try_neighbor(const Context& world, const std::string& method) {
  const int other = 1 - world.rank();
  const auto pattern = NeighborPattern::from_peers(world, {{other, 1, 1}});
  NeighborExchange<int> exchange(world, pattern, {.method = method});
  for (int round = 0; round < 50; ++round) {
    exchange.outbox(0)[0] = 100 * world.rank() + round;
    exchange.commit(0, 1);
    exchange.start();
    exchange.finish();
    expect(exchange.inbox(0)[0] == 100 * other + round, method, "wrong data");
  }
}

void try_sparse(const Context& world, const std::string& method) {
  const std::vector<int> other{1 - world.rank()};
  const std::vector<std::size_t> offsets{0, 1};
  SparseExchange<int> exchange(world, {.method = method, .possible_sources = other});
  for (int round = 0; round < 50; ++round) {
    const std::vector<int> mine{100 * world.rank() + round};
    const auto incoming = exchange({other, offsets, mine});
    expect(incoming.items.size() == 1 && incoming.items[0] == 100 * other[0] + round, method,
           "wrong data");
  }
}

template <class WhyNot, class Try>
void check_family(const Context& world, std::span<const MethodInfo> methods,
                  std::string_view left_out, WhyNot why_not, Try run) {
  for (const MethodInfo& method : methods) {
    const std::string expected = expected_reason(method, left_out);
    const std::string said = why_not(world, method.name);
    if (world.rank() == 0) {
      std::printf("%-20.*s %s\n", static_cast<int>(method.name.size()), method.name.data(),
                  said.empty() ? "works" : said.c_str());
    }
    expect(expected.empty() ? said.find("built without") == std::string::npos
                            : said.find(expected) != std::string::npos,
           method.name, "'" + said + "' instead of '" + expected + "'");
    if (!expected.empty()) {
      ++unavailable;
      try {
        run(world, std::string(method.name));
        expect(false, method.name, "could be made");
      } catch (const Error& error) {
        expect(std::string_view(error.what()).find(expected) != std::string_view::npos, method.name,
               error.what());
      }
    } else if (said.empty()) {
      run(world, std::string(method.name));
    }
  }
  run(world, "auto");
}

}  // namespace

int main(int argc, char** argv) {
  Environment environment(argc, argv);
  try {
    const Context world;
    const std::string_view left_out = argc > 1 ? argv[1] : "";
    if (world.size() != 2) throw Error("made for two ranks");
    check_family(world, neighbor_methods(), left_out, why_neighbor_method_unavailable,
                 try_neighbor);
    check_family(world, sparse_methods(), left_out, why_sparse_method_unavailable, try_sparse);
    expect(unavailable > 0 || left_out.empty(), left_out, "no method needs them");
  } catch (const std::exception& error) {
    Environment::abort(error.what(), 1);
  }
  return faults == 0 ? 0 : 1;
}
