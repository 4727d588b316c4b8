// halo_fmm: the multipole halo of seed 1. The ranks form a periodic grid, each has 4^3 cells of the
// finest of three levels, 2^3 of the next, one of the coarsest; each level needs two cells around
// its own, fetched axis by axis (z, y, x), so that edges and corners come along. A message is some
// cells of one level to one side, and the messages are the same in all ways:
// - mpi: packed, by MPI_Irecv, MPI_Isend and MPI_Waitall, unpacked;
// - put_notify: packed, put with a notice into one of two buffers in turn, unpacked;
// - put_in_place: the multipoles themselves lie in memory that others write into, twice, used in
//   turn; each run of cells is put where it belongs, a notice follows. Nothing is packed.
// Beside the exchange alone, whole steps are timed: the exchange, then for each own cell the
// translation of the multipoles in its interaction list.

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "process_grid.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "sterna/comm/region.hpp"
#include "verb.hpp"

namespace sterna::bench {
namespace {

constexpr std::size_t halo = 2;  ///< cells
constexpr std::array<std::size_t, 3> level_cells{4, 2, 1};

/// A block of cells: begin and end along x, y and z.
struct Block {
  std::array<std::size_t, 3> begin;
  std::array<std::size_t, 3> end;
  std::size_t cells() const {
    return (end[0] - begin[0]) * (end[1] - begin[1]) * (end[2] - begin[2]);
  }
};

/// The cells of one level: those of this rank and the halo around them, z running fastest.
class Shape {
 public:
  Shape(std::size_t cells, std::size_t coefficients)
      : cells_(cells), wide_(cells + 2 * halo), coefficients_(coefficients) {}

  std::size_t cells() const { return cells_; }
  std::size_t wide() const { return wide_; }
  std::size_t doubles() const { return wide_ * wide_ * wide_ * coefficients_; }
  std::size_t at(std::size_t x, std::size_t y, std::size_t z) const {
    return ((x * wide_ + y) * wide_ + z) * coefficients_;
  }
  /// `body(begin, length)` for each run of doubles that a block is made of, in order.
  template <class Body>
  void for_each_run(const Block& block, Body&& body) const {
    const auto whole = [&](std::size_t axis) {
      return block.end[axis] - block.begin[axis] == wide_;
    };
    const std::size_t x_runs = whole(2) && whole(1) ? 1 : block.end[0] - block.begin[0];
    const std::size_t y_runs = whole(2) ? 1 : block.end[1] - block.begin[1];
    const std::size_t length = block.cells() * coefficients_ / x_runs / y_runs;
    for (std::size_t x = 0; x < x_runs; ++x) {
      for (std::size_t y = 0; y < y_runs; ++y) {
        body(at(block.begin[0] + x, block.begin[1] + y, block.begin[2]), length);
      }
    }
  }

 private:
  std::size_t cells_;
  std::size_t wide_;
  std::size_t coefficients_;
};

/// What goes at once: on one level along one axis to both sides, and the same from there. Where a
/// rank has fewer cells than the halo, a second such step passes on what the first has brought.
struct Stage {
  std::size_t level;
  std::array<int, 2> ranks;      ///< below and above along the axis
  std::array<Block, 2> send;     ///< to below, to above
  std::array<Block, 2> receive;  ///< from below, from above
  std::size_t doubles;           ///< of each of these blocks
  std::size_t offset;            ///< of the first of its two blocks, in a buffer for all stages
};

class Plan {
 public:
  Plan(const comm::Context& world, std::size_t coefficients) {
    const std::array<int, 3> grid = process_grid(world.size());
    const int rank = world.rank();
    place_ = {rank % grid[0], rank / grid[0] % grid[1], rank / grid[0] / grid[1]};
    for (std::size_t level = 0; level < level_cells.size(); ++level) {
      for (const std::size_t axis : {2, 1, 0}) {
        const auto neighbor = [&](int step) {
          std::array<int, 3> to = place_;
          to[axis] = (to[axis] + step + grid[axis]) % grid[axis];
          return to[0] + grid[0] * (to[1] + grid[1] * to[2]);
        };
        const std::size_t cells = level_cells[level];
        const std::size_t depth = std::min(cells, halo);
        for (std::size_t hop = 0; hop < halo / depth; ++hop) {
          Stage stage{level, {neighbor(-1), neighbor(1)}, {}, {}, 0, doubles_};
          stage.send = {slab(level, axis, halo + hop, depth),
                        slab(level, axis, halo + cells - depth - hop, depth)};
          stage.receive = {slab(level, axis, halo - depth - hop, depth),
                           slab(level, axis, halo + cells + hop, depth)};
          stage.doubles = stage.send[0].cells() * coefficients;
          doubles_ += 2 * stage.doubles;
          stages_.push_back(stage);
        }
      }
    }
  }

  const std::vector<Stage>& stages() const { return stages_; }
  /// Of all messages that this rank sends.
  std::size_t doubles() const { return doubles_; }
  const std::array<int, 3>& place() const { return place_; }

 private:
  /// `depth` cells along `axis`; along an axis that was served before, the halo too.
  static Block slab(std::size_t level, std::size_t axis, std::size_t begin, std::size_t depth) {
    const std::size_t cells = level_cells[level];
    Block block{};
    for (std::size_t other = 0; other < 3; ++other) {
      block.begin[other] = other > axis ? 0 : halo;
      block.end[other] = other > axis ? cells + 2 * halo : halo + cells;
    }
    block.begin[axis] = begin;
    block.end[axis] = begin + depth;
    return block;
  }

  std::array<int, 3> place_{};
  std::vector<Stage> stages_;
  std::size_t doubles_ = 0;
};

/// A way to fill the halos of all levels.
class Exchange {
 public:
  Exchange(const comm::Context& world, std::size_t coefficients)
      : plan_(world, coefficients), grid_(process_grid(world.size())), coefficients_(coefficients) {
    for (const std::size_t cells : level_cells) {
      shapes_.emplace_back(cells, coefficients);
      starts_.push_back(doubles_);
      doubles_ += shapes_.back().doubles();
    }
  }
  virtual ~Exchange() = default;

  /// New multipoles, and everybody else's around them.
  void communicate() {
    ++round_;
    for (std::size_t level = 0; level < shapes_.size(); ++level) {
      double* const cells = multipoles(level);
      visit(halo, halo + level_cells[level], [&](std::size_t x, std::size_t y, std::size_t z) {
        std::fill_n(cells + shapes_[level].at(x, y, z), coefficients_, value_of(level, {x, y, z}));
      });
    }
    for (const Stage& stage : plan_.stages()) exchange(stage);
    finish();
  }

  /// For each own cell the sum of the translated multipoles of its interaction list: the children
  /// of the neighbors of its parent that are not its neighbors. The arithmetic of a translation
  /// that is not rotated, with coefficients of no meaning.
  double translate() {
    double all = 0.0;
    for (std::size_t level = 0; level < shapes_.size(); ++level) {
      const Shape& shape = shapes_[level];
      const double* const cells = multipoles(level);
      visit(halo, halo + shape.cells(), [&](std::size_t x, std::size_t y, std::size_t z) {
        std::ranges::fill(local_, 0.0);
        const auto first = [&](std::size_t i) { return std::max<std::size_t>(i / 2 * 2, 2) - 2; };
        const auto last = [&](std::size_t i) { return std::min(i / 2 * 2 + 4, shape.wide()); };
        const auto apart = [](std::size_t a, std::size_t b) { return a > b + 1 || b > a + 1; };
        for (std::size_t a = first(x); a < last(x); ++a) {
          for (std::size_t b = first(y); b < last(y); ++b) {
            for (std::size_t c = first(z); c < last(z); ++c) {
              if (!apart(a, x) && !apart(b, y) && !apart(c, z)) continue;
              add_translated(cells + shape.at(a, b, c), 1 + (a + 5 * b + 25 * c) % 7);
            }
          }
        }
        for (const double value : local_) all += value;
      });
    }
    return all;
  }

  /// Throws where a cell does not hold what its owner has put there in this round.
  void check() {
    for (std::size_t level = 0; level < shapes_.size(); ++level) {
      visit(0, shapes_[level].wide(), [&](std::size_t x, std::size_t y, std::size_t z) {
        const double* const cell = multipoles(level) + shapes_[level].at(x, y, z);
        const double expected = value_of(level, {x, y, z});
        if (std::any_of(cell, cell + coefficients_, [&](double v) { return v != expected; })) {
          throw comm::Error(fmt::format("halo_fmm: level {}, cell {} {} {} holds {}, not {}", level,
                                        x, y, z, cell[0], expected));
        }
      });
    }
  }

  const Plan& plan() const { return plan_; }
  /// What carries the messages.
  virtual std::string transport() const = 0;

 protected:
  /// Where the multipoles of all levels lie in this round.
  virtual double* storage() = 0;
  virtual void exchange(const Stage& stage) = 0;
  virtual void finish() {}

  double* multipoles(std::size_t level) { return storage() + starts_[level]; }
  void pack(std::size_t level, const Block& block, double* to) {
    const double* const cells = multipoles(level);
    shapes_[level].for_each_run(block, [&](std::size_t begin, std::size_t length) {
      std::memcpy(to, cells + begin, length * sizeof *to);
      to += length;
    });
  }
  void unpack(std::size_t level, const Block& block, const double* from) {
    double* const cells = multipoles(level);
    shapes_[level].for_each_run(block, [&](std::size_t begin, std::size_t length) {
      std::memcpy(cells + begin, from, length * sizeof *from);
      from += length;
    });
  }

  Plan plan_;
  std::vector<Shape> shapes_;
  std::vector<std::size_t> starts_;  ///< of the levels, in doubles
  std::size_t doubles_ = 0;          ///< of all levels
  std::uint64_t round_ = 0;

 private:
  template <class Body>
  static void visit(std::size_t begin, std::size_t end, Body&& body) {
    for (std::size_t x = begin; x < end; ++x) {
      for (std::size_t y = begin; y < end; ++y) {
        for (std::size_t z = begin; z < end; ++z) body(x, y, z);
      }
    }
  }

  /// Says which cell of the whole periodic box it is, and which round.
  double value_of(std::size_t level, const std::array<std::size_t, 3>& cell) const {
    std::size_t number = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t cells = level_cells[level];
      const std::size_t all = cells * static_cast<std::size_t>(grid_[axis]);
      const std::size_t own = cells * static_cast<std::size_t>(plan_.place()[axis]);
      number = number * all + (own + cell[axis] + halo * all - halo) % all;
    }
    return static_cast<double>(round_ + 1000 * (number + 1000000 * level));
  }

  void add_translated(const double* multipole, std::size_t offset) {
    const double* row = matrices_.data() + offset * coefficients_ * coefficients_;
    for (std::size_t i = 0; i < coefficients_; ++i, row += coefficients_) {
      for (std::size_t k = 0; k < coefficients_; ++k) local_[k] += multipole[i] * row[k];
    }
  }

  std::array<int, 3> grid_;
  std::size_t coefficients_;
  std::vector<double> local_ = std::vector<double>(coefficients_);
  std::vector<double> matrices_ = std::vector<double>(8 * coefficients_ * coefficients_, 1e-3);
};

class Mpi final : public Exchange {
 public:
  Mpi(const comm::Context& world, std::size_t coefficients)
      : Exchange(world, coefficients),
        multipoles_(doubles_),
        outgoing_(plan_.doubles()),
        incoming_(plan_.doubles()) {
    MPI_Comm_dup(MPI_COMM_WORLD, &communicator_);
  }
  ~Mpi() override { MPI_Comm_free(&communicator_); }
  std::string transport() const override { return "two_sided"; }

 private:
  double* storage() override { return multipoles_.data(); }

  void exchange(const Stage& stage) override {
    std::array<MPI_Request, 4> requests{};
    const int count = static_cast<int>(stage.doubles);
    double* const from = incoming_.data() + stage.offset;
    double* const to = outgoing_.data() + stage.offset;
    for (int side = 0; side < 2; ++side) {
      // What comes from below was sent upwards.
      MPI_Irecv(from + side * count, count, MPI_DOUBLE, stage.ranks[side], 1 - side, communicator_,
                &requests[side]);
    }
    for (int side = 0; side < 2; ++side) {
      pack(stage.level, stage.send[side], to + side * count);
      MPI_Isend(to + side * count, count, MPI_DOUBLE, stage.ranks[side], side, communicator_,
                &requests[2 + side]);
    }
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    for (int side = 0; side < 2; ++side) {
      unpack(stage.level, stage.receive[side], from + side * count);
    }
  }

  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::vector<double> multipoles_;
  std::vector<double> outgoing_;
  std::vector<double> incoming_;
};

/// Puts with notices. Two halves of the region in turn need no acknowledgement: each rank sends to
/// those that send to it, and its notice of a stage tells that it is done with the round before.
class OneSided : public Exchange {
 protected:
  OneSided(const comm::Context& world, std::size_t coefficients, const std::string& transport)
      : Exchange(world, coefficients), notices_(static_cast<std::size_t>(world.size())) {
    options_ = {.transport = transport, .name = "halo_fmm"};
  }

  std::vector<int> peers() const {
    std::set<int> peers;
    for (const Stage& stage : plan_.stages()) peers.insert(stage.ranks.begin(), stage.ranks.end());
    return {peers.begin(), peers.end()};
  }
  void notify_and_wait(comm::Region<double>& region, const Stage& stage) {
    for (const int rank : stage.ranks) region.notify(rank);
    for (const int rank : stage.ranks) {
      region.wait(rank, ++notices_[static_cast<std::size_t>(rank)]);
    }
  }

  comm::RegionOptions options_;
  std::vector<std::uint64_t> notices_;  ///< waited for, by rank
};

class PutNotify final : public OneSided {
 public:
  PutNotify(const comm::Context& world, std::size_t coefficients, const std::string& transport)
      : OneSided(world, coefficients, transport),
        multipoles_(doubles_),
        outgoing_(plan_.doubles()),
        region_(world, 2 * plan_.doubles(), peers(), options_) {}
  std::string transport() const override { return std::string(region_.transport()); }

 private:
  double* storage() override { return multipoles_.data(); }

  void exchange(const Stage& stage) override {
    const std::size_t half = round_ % 2 * plan_.doubles() + stage.offset;
    for (std::size_t side = 0; side < 2; ++side) {
      const std::span to(outgoing_.data() + stage.offset + side * stage.doubles, stage.doubles);
      pack(stage.level, stage.send[side], to.data());
      // What goes down arrives there from above.
      region_.put(stage.ranks[side], half + (1 - side) * stage.doubles, to);
    }
    notify_and_wait(region_, stage);
    for (std::size_t side = 0; side < 2; ++side) {
      unpack(stage.level, stage.receive[side],
             region_.items().data() + half + side * stage.doubles);
    }
  }
  void finish() override { region_.flush(); }

  std::vector<double> multipoles_;
  std::vector<double> outgoing_;
  comm::Region<double> region_;
};

class PutInPlace final : public OneSided {
 public:
  PutInPlace(const comm::Context& world, std::size_t coefficients, const std::string& transport)
      : OneSided(world, coefficients, transport), region_(world, 2 * doubles_, peers(), options_) {}
  std::string transport() const override { return std::string(region_.transport()); }

 private:
  double* storage() override { return region_.items().data() + half(); }
  std::size_t half() const { return round_ % 2 * doubles_; }

  void exchange(const Stage& stage) override {
    const Shape& shape = shapes_[stage.level];
    const double* const cells = multipoles(stage.level);
    const std::size_t there = half() + starts_[stage.level];
    for (std::size_t side = 0; side < 2; ++side) {
      // The cells are laid out alike everywhere, so that what goes down is moved by one distance.
      const std::size_t to = first_of(shape, stage.receive[1 - side]);
      const std::size_t from = first_of(shape, stage.send[side]);
      shape.for_each_run(stage.send[side], [&](std::size_t begin, std::size_t length) {
        region_.put(stage.ranks[side], there + begin + to - from, {cells + begin, length});
      });
    }
    notify_and_wait(region_, stage);
  }
  void finish() override { region_.flush(); }

  static std::size_t first_of(const Shape& shape, const Block& block) {
    return shape.at(block.begin[0], block.begin[1], block.begin[2]);
  }

  comm::Region<double> region_;
};

class HaloFmm final : public Verb {
 public:
  void add_options(CLI::App& command) override {
    command.add_option("--order", order_, "of the expansions")
        ->check(CLI::Range(0, 30))
        ->capture_default_str();
  }

  void run(const comm::Context& world, const Sampling& sampling, Report& report) override {
    // MODYLAS keeps (p + 1) (p + 2) / 2 complex numbers a cell: 240 bytes for order 4.
    const std::size_t coefficients = (order_ + 1) * (order_ + 2);
    struct Entry {
      std::string name;
      std::shared_ptr<Exchange> exchange;
    };
    std::vector<Entry> entries{{"mpi", std::make_shared<Mpi>(world, coefficients)}};
    // What a region takes where nothing is asked for, and UCX, which it takes beyond a node.
    for (const std::string transport : {"auto", "rdma"}) {
      try {
        const auto packed = std::make_shared<PutNotify>(world, coefficients, transport);
        const auto in_place = std::make_shared<PutInPlace>(world, coefficients, transport);
        if (transport == packed->transport() && entries.back().exchange->transport() == transport) {
          continue;
        }
        const std::string named = transport == "auto" ? "" : "_" + transport;
        entries.push_back({"put_notify" + named, packed});
        entries.push_back({"put_in_place" + named, in_place});
      } catch (const comm::Error& error) {
        report.note(error.what());  // the same on all ranks
      }
    }
    const auto check = [&] {
      for (int round = 0; round < 5; ++round) {
        for (const Entry& entry : entries) {
          entry.exchange->communicate();
          entry.exchange->check();
        }
      }
    };
    check();
    std::vector<Candidate> exchanges;
    std::vector<Candidate> whole_steps;
    double kept = 0.0;
    for (const Entry& entry : entries) {
      exchanges.push_back({entry.name, [&] { entry.exchange->communicate(); }});
      whole_steps.push_back({entry.name, [&] {
                               entry.exchange->communicate();
                               kept += entry.exchange->translate();
                             }});
    }
    const std::vector<Timing> timings = measure(world, exchanges, sampling);
    Sampling fewer = sampling;
    fewer.blocks = std::min<std::size_t>(sampling.blocks, 3);  // steps are long
    const std::vector<Timing> steps = measure(world, whole_steps, fewer);
    check();
    if (kept == 0.0) throw comm::Error("halo_fmm: nothing was translated");
    const Plan& plan = entries.front().exchange->plan();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      Row row = row_of(entries[i].name, world, 6, 8 * plan.doubles(), timings[i]);
      row["transport"] = entries[i].exchange->transport();
      row["messages"] = 2 * plan.stages().size();
      row["of_mpi"] = timings[i].median_us / timings[0].median_us;
      row["step_us"] = steps[i].median_us;
      row["share"] = timings[i].median_us / steps[i].median_us;
      report.add(std::move(row));
    }
  }

 private:
  std::size_t order_ = 4;
};

}  // namespace

std::unique_ptr<Verb> make_halo_fmm() {
  return std::make_unique<HaloFmm>();
}

}  // namespace sterna::bench
