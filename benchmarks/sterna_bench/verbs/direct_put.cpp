// direct_put: positions of ghosts put where kernels read them, against the way over an outbox and
// an inbox. Two ranks share a periodic cube of a Lennard-Jones liquid (density 0.8442, halo 2.8)
// and exchange the positions of their halos as `md::Halo` does. A round packs, waits for the other
// rank, unpacks where the way has to, and reads all ghosts once in the order of their cells, as the
// pair kernel does: what lies in the other core's cache is paid for by who reads it first.

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "comm/context/waiter.hpp"
#include "comm/transport/shm/memory.hpp"
#include "comm/transport/shm/remote_memory.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/neighbor_exchange.hpp"
#include "sterna/comm/region.hpp"
#include "verb.hpp"

namespace sterna::bench {
namespace {

constexpr double density = 0.8442;
constexpr double halo_width = 2.8;

/// As the particle store has it.
struct alignas(32) Position {
  double x, y, z;
  std::int64_t type;
};

/// Half of the cube, in the order of its cells, and what the other half has to know of it. Both
/// halves are alike, so what a rank sends is also what it receives.
class HalfCube {
 public:
  explicit HalfCube(std::size_t atoms) {
    const double edge = std::cbrt(static_cast<double>(atoms) / density);
    size_ = {edge / 2, edge, edge};
    std::mt19937_64 draw(1);
    std::uniform_real_distribution<double> part(0.0, 1.0);
    for (std::size_t i = 0; i < atoms / 2; ++i) {
      positions_.push_back(
          {part(draw) * size_[0], part(draw) * size_[1], part(draw) * size_[2], 0});
    }
    std::ranges::sort(positions_, {}, cell_of);
    find_ghosts();
  }

  std::size_t ghosts() const { return sent_.size(); }
  /// Calls put(k, x, y, z) for each ghost in the order in which it is sent.
  template <class Put>
  void pack(double moved, Put&& put) const {
    for (std::size_t k = 0; k < sent_.size(); ++k) {
      const Position& p = positions_[sent_[k].particle];
      const std::array<double, 3>& shift = shifts_[sent_[k].shift];
      put(k, p.x + shift[0] + moved, p.y + shift[1], p.z + shift[2]);
    }
  }
  /// Where ghost k of those sent lies in the order of the cells, and the other way round.
  std::span<const std::uint32_t> places() const { return places_; }
  std::span<const std::uint32_t> arrivals() const { return arrivals_; }
  /// What `read` returns where nothing was lost.
  double sum(double moved) const {
    double sum = 0.0;
    std::vector<Position> ordered(ghosts());
    pack(moved, [&](std::size_t k, double x, double y, double z) {
      ordered[places_[k]] = {x, y, z, 0};
    });
    for (const Position& p : ordered) sum += p.x + 2.0 * p.y + 3.0 * p.z;
    return sum;
  }

 private:
  struct Sent {
    std::uint32_t particle;
    std::uint32_t shift;
  };

  static std::array<int, 3> cell_of(const Position& p) {
    const auto cell = [](double x) { return static_cast<int>(std::floor(x / halo_width)); };
    return {cell(p.z), cell(p.y), cell(p.x)};
  }

  void find_ghosts() {
    std::vector<Position> ghosts;
    for (const double x : {size_[0], -size_[0]}) {
      for (const double y : {0.0, size_[1], -size_[1]}) {
        for (const double z : {0.0, size_[2], -size_[2]}) {
          const auto shift = static_cast<std::uint32_t>(shifts_.size());
          shifts_.push_back({x, y, z});
          for (std::uint32_t i = 0; i < positions_.size(); ++i) {
            const Position& p = positions_[i];
            const Position ghost{p.x + x, p.y + y, p.z + z, 0};
            const auto near = [](double place, double size) {
              return place > -halo_width && place < size + halo_width;
            };
            if (!near(ghost.x, size_[0]) || !near(ghost.y, size_[1]) || !near(ghost.z, size_[2])) {
              continue;
            }
            sent_.push_back({i, shift});
            ghosts.push_back(ghost);
          }
        }
      }
    }
    arrivals_.resize(ghosts.size());
    std::iota(arrivals_.begin(), arrivals_.end(), 0);
    std::ranges::stable_sort(arrivals_, {}, [&](std::uint32_t k) { return cell_of(ghosts[k]); });
    places_.resize(ghosts.size());
    for (std::uint32_t place = 0; place < places_.size(); ++place) {
      places_[arrivals_[place]] = place;
    }
  }

  std::array<double, 3> size_{};
  std::vector<Position> positions_;
  std::vector<std::array<double, 3>> shifts_;
  std::vector<Sent> sent_;
  std::vector<std::uint32_t> places_, arrivals_;
};

/// A way of the positions into the other rank's memory.
class PutWay {
 public:
  explicit PutWay(const HalfCube& cube) : cube_(cube) {}
  virtual ~PutWay() = default;
  PutWay(const PutWay&) = delete;
  PutWay& operator=(const PutWay&) = delete;

  void round() {
    ++round_;
    const double sum = exchange(1e-9 * static_cast<double>(round_));
    if (round_ % 1024 != 1) return;
    const double expected = cube_.sum(1e-9 * static_cast<double>(round_));
    if (std::abs(sum - expected) > 1e-9 * std::abs(expected)) {
      throw comm::Error(fmt::format("direct_put: wrong data in round {}", round_));
    }
  }

 protected:
  /// A round; the sum over the ghosts that came.
  virtual double exchange(double moved) = 0;

  static double in_order(std::span<const Position> ghosts) {
    double sum = 0.0;
    for (const Position& p : ghosts) sum += p.x + 2.0 * p.y + 3.0 * p.z;
    return sum;
  }
  double by_arrival(std::span<const Position> ghosts) const {
    double sum = 0.0;
    for (const std::uint32_t k : cube_.arrivals()) {
      sum += ghosts[k].x + 2.0 * ghosts[k].y + 3.0 * ghosts[k].z;
    }
    return sum;
  }

  const HalfCube& cube_;
  std::uint64_t round_ = 0;
};

/// As the halo is: outbox, inbox, and a copy to the places in the order of the cells.
class OverOutbox final : public PutWay {
 public:
  OverOutbox(const comm::Context& world, const HalfCube& cube, const std::string& method)
      : PutWay(cube),
        exchange_(world,
                  comm::NeighborPattern::from_peers(
                      world, {{1 - world.rank(), 3 * cube.ghosts(), 3 * cube.ghosts()}}),
                  {.method = method, .name = "direct_put"}),
        ghosts_(cube.ghosts()) {}

 private:
  double exchange(double moved) override {
    double* out = exchange_.outbox(0).data();
    cube_.pack(moved, [&](std::size_t, double x, double y, double z) {
      out[0] = x;
      out[1] = y;
      out[2] = z;
      out += 3;
    });
    exchange_.commit(0, 3 * cube_.ghosts());
    exchange_.start();
    exchange_.next();
    const double* in = exchange_.inbox(0).data();
    for (const std::uint32_t place : cube_.places()) {
      Position& ghost = ghosts_[place];
      ghost.x = in[0];
      ghost.y = in[1];
      ghost.z = in[2];
      in += 3;
    }
    exchange_.finish();
    return in_order(ghosts_);
  }

  comm::NeighborExchange<double> exchange_;
  std::vector<Position> ghosts_;
};

/// Stores into the other rank's array of ghosts, mapped; two arrays in turn, as one is read while
/// the next round is packed.
class StoredAtPlace final : public PutWay {
 public:
  StoredAtPlace(const comm::Context& world, const HalfCube& cube, bool ordered)
      : PutWay(cube),
        context_(world.implementation()),
        ordered_(ordered),
        mine_(notice_bytes + 2 * array_bytes()) {
    const comm::shm::Handle handle = mine_.handle();
    comm::shm::Handle theirs;
    const int other = 1 - world.rank();
    MPI_Sendrecv(&handle, sizeof handle, MPI_BYTE, other, 0, &theirs, sizeof theirs, MPI_BYTE,
                 other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    peer_ = std::make_unique<comm::shm::RemoteMemory>(theirs);
    MPI_Barrier(MPI_COMM_WORLD);
  }

 private:
  static constexpr std::size_t notice_bytes = 128;
  std::size_t array_bytes() const { return cube_.ghosts() * sizeof(Position); }
  Position* array(std::byte* memory) const {
    return reinterpret_cast<Position*>(memory + notice_bytes + round_ % 2 * array_bytes());
  }

  double exchange(double moved) override {
    Position* const theirs = array(peer_->mapped());
    const auto store = [&](std::size_t place, double x, double y, double z) {
      theirs[place].x = x;
      theirs[place].y = y;
      theirs[place].z = z;
    };
    if (ordered_) {
      cube_.pack(moved, [&](std::size_t k, double x, double y, double z) {
        store(cube_.places()[k], x, y, z);
      });
    } else {
      cube_.pack(moved, store);
    }
    peer_->notify(0, round_);
    const std::atomic_ref notice(*reinterpret_cast<std::uint64_t*>(mine_.data()));
    comm::Waiter(context_, comm::Watched::memory)
        .wait([&] { return notice.load(std::memory_order_acquire) >= round_; },
              [&] {
                return comm::Awaited{"direct_put", "store", round_, {1 - context_.rank}};
              });
    const std::span<const Position> here(array(mine_.data()), cube_.ghosts());
    return ordered_ ? in_order(here) : by_arrival(here);
  }

  comm::Context::Implementation& context_;
  bool ordered_;
  comm::shm::Memory mine_;
  std::unique_ptr<comm::shm::RemoteMemory> peer_;
};

/// One put of all positions into the other rank's array, in the order in which they are packed: a
/// network takes one long put, not one for each ghost.
class PutInOrderOfArrival final : public PutWay {
 public:
  PutInOrderOfArrival(const comm::Context& world, const HalfCube& cube)
      : PutWay(cube),
        other_(1 - world.rank()),
        region_(world, 2 * cube.ghosts(), std::array{other_},
                {.transport = "rdma", .name = "direct_put"}),
        packed_(cube.ghosts()) {}

 private:
  double exchange(double moved) override {
    cube_.pack(moved, [&](std::size_t k, double x, double y, double z) {
      packed_[k] = {x, y, z, 0};
    });
    const std::size_t begin = round_ % 2 * cube_.ghosts();
    region_.put(other_, begin, packed_);
    region_.notify(other_);
    region_.wait(other_, round_);
    const double sum = by_arrival(region_.items().subspan(begin, cube_.ghosts()));
    region_.flush();
    return sum;
  }

  int other_;
  comm::Region<Position> region_;
  std::vector<Position> packed_;
};

class DirectPut final : public Verb {
 public:
  void add_options(CLI::App& command) override {
    command.add_option("--atoms", atoms_, "atoms of both ranks together")
        ->delimiter(',')
        ->check(CLI::Range(100, 1 << 26))
        ->capture_default_str();
  }

  void run(const comm::Context& world, const Sampling& sampling, Report& report) override {
    if (world.size() != 2 || world.node_count() != 1) {
      throw comm::Error("direct_put is an experiment of two ranks on one node");
    }
    for (const std::size_t atoms : atoms_) compare(world, sampling, atoms, report);
  }

 private:
  void compare(const comm::Context& world, const Sampling& sampling, std::size_t atoms,
               Report& report) const {
    const HalfCube cube(atoms);
    struct Named {
      std::string name;
      std::size_t bytes_of_ghost;
      std::unique_ptr<PutWay> way;
    };
    std::vector<Named> ways;
    const auto add = [&](const char* name, std::size_t bytes, std::unique_ptr<PutWay> way) {
      ways.push_back({name, bytes, std::move(way)});
    };
    constexpr std::size_t packed = 3 * sizeof(double);
    add("shm_direct, outbox", packed, std::make_unique<OverOutbox>(world, cube, "shm_direct"));
    add("stored in the order of cells", packed, std::make_unique<StoredAtPlace>(world, cube, true));
    add("stored in the order of arrival", packed,
        std::make_unique<StoredAtPlace>(world, cube, false));
    add("rdma_double_buffer, outbox", packed,
        std::make_unique<OverOutbox>(world, cube, "rdma_double_buffer"));
    add("put in the order of arrival", sizeof(Position),
        std::make_unique<PutInOrderOfArrival>(world, cube));
    std::vector<Candidate> candidates;
    for (const Named& each : ways) {
      candidates.push_back({each.name, [way = each.way.get()] { way->round(); }});
    }
    const std::vector<Timing> timings = measure(world, candidates, sampling);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      Row row = row_of(ways[i].name, world, 1, cube.ghosts() * ways[i].bytes_of_ghost, timings[i]);
      row["atoms"] = atoms;
      row["ghosts"] = cube.ghosts();
      report.add(std::move(row));
    }
  }

  std::vector<std::size_t> atoms_{4000, 16000, 32000, 64000, 128000, 256000};
};

}  // namespace

std::unique_ptr<Verb> make_direct_put() {
  return std::make_unique<DirectPut>();
}

}  // namespace sterna::bench
