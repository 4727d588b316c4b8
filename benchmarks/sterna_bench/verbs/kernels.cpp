// kernels: the inner loops on one core, in cycles of it. Each instruction set that the processor has
// computes the forces of a Lennard-Jones liquid and the near field of water's charges, in single and
// double precision. A chain of dependent additions, one a cycle, tells how long a cycle is. It is
// measured by turns with the kernels, as the clock of a processor changes with what it does.
// Independent multiplications and additions of the widest vectors tell what it does at most.
//
// A vector of pairs is as many pairs as a vector has lanes; those beyond the cutoff and those that
// fill up a vector count too, as they take the same time. Forces of all particles take what is given
// here times the vectors of their rows, plus what positions and forces of the kernel's form take.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "md/domain/regular_grid.hpp"
#include "md/forces/coulomb/fmm/fmm_solver.hpp"
#include "md/forces/coulomb/fmm/kernels/fmm_kernels.hpp"
#include "md/forces/pair/pair_forces.hpp"
#include "md/neighbors/pair_kernels.hpp"
#include "sterna/comm/error.hpp"
#include "verb.hpp"
#include "water_box.hpp"

namespace sterna::bench {
namespace {

using md::Vec3;

constexpr int chain = 100000;  ///< additions, or steps of independent operations

#if defined(__x86_64__)

/// One addition a cycle.
void add_in_a_chain() {
  std::uint64_t sum = 1;
  for (int k = 0; k < chain / 10; ++k) {
    asm volatile(
        "add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\t"
        "add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0"
        : "+r"(sum));
  }
}

// Six multiplications and six additions a step, of which none waits for another of its step. In
// C++ the compiler would keep them in memory.
#define STERNA_TWO_OPERATIONS(V, FACTOR, SUM)     \
  "vmulps %%" V "12, %%" V FACTOR ", %%" V FACTOR \
  "\n\t"                                          \
  "vaddps %%" V "12, %%" V SUM ", %%" V SUM "\n\t"
#define STERNA_COMPUTE(V)                                                                      \
  int left = chain;                                                                            \
  asm volatile("vzeroall\n1:\n\t" STERNA_TWO_OPERATIONS(V, "0", "6")                           \
                   STERNA_TWO_OPERATIONS(V, "1", "7") STERNA_TWO_OPERATIONS(V, "2", "8")       \
                       STERNA_TWO_OPERATIONS(V, "3", "9") STERNA_TWO_OPERATIONS(V, "4", "10")  \
                           STERNA_TWO_OPERATIONS(V, "5", "11") "dec %0\n\tjnz 1b"              \
               : "+r"(left)                                                                    \
               :                                                                               \
               : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", \
                 "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15")
void compute_with_512_bits() {
  STERNA_COMPUTE("zmm");
}
void compute_with_256_bits() {
  STERNA_COMPUTE("ymm");
}
#undef STERNA_COMPUTE
#undef STERNA_TWO_OPERATIONS

#else
void add_in_a_chain() {
  throw comm::Error("kernels: cycles are known of x86-64 processors only");
}
void compute_with_512_bits() {}
void compute_with_256_bits() {}
#endif

/// Of vectors of single or double precision.
double lanes_of(std::string_view kernels, bool single) {
  const int floats = kernels == "avx512" ? 16 : kernels == "avx2" ? 8 : 4;
  return single ? floats : 0.5 * floats;
}

/// A liquid of reduced density 0.8442 with a list of radius 2.8 and a cutoff of 2.5.
class Liquid {
 public:
  Liquid(int along, bool mixed, std::string_view kernels)
      : lanes_(lanes_of(kernels, mixed)),
        forces_(md::LennardJones(std::vector<md::LennardJones::PairParameters>{{1.0, 1.0}}, 1, 2.5,
                                 md::Truncation::truncated),
                mixed ? md::Precision::mixed : md::Precision::double_precision, kernels),
        list_(kernels, forces_.group(), true) {
    const double edge = along * std::cbrt(1.0 / 0.8442);
    place(along, edge);
    list_.set_region({0, 0, 0}, {edge, edge, edge}, radius);
    list_.sort_local(particles_);
    add_images(edge);
    list_.build(particles_);
    forces_.rebuild(list_, particles_);
  }
  void compute() {
    forces_.compute(list_, particles_, md::PairList::Cells::interior, nullptr);
    forces_.compute(list_, particles_, md::PairList::Cells::boundary, nullptr);
    forces_.set_forces(list_, particles_, nullptr);
  }
  double particles() const { return static_cast<double>(particles_.local_count()); }
  double pairs() const { return static_cast<double>(list_.neighbor_count()); }
  double vectors() const { return pairs() / lanes_; }
  std::uint32_t group() const { return list_.group(); }

 private:
  static constexpr double radius = 2.8;

  void place(int along, double edge) {
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> uniform(-0.15, 0.15);
    particles_.resize_local(static_cast<std::size_t>(along) * along * along);
    for (std::size_t i = 0; i < particles_.local_count(); ++i) {
      const auto k = static_cast<int>(i);
      const double width = edge / along;
      particles_.position[i] = {(k % along + 0.5) * width + uniform(engine),
                                (k / along % along + 0.5) * width + uniform(engine),
                                (k / along / along + 0.5) * width + uniform(engine), 0};
      particles_.velocity[i] = {};
      particles_.id[i] = k + 1;
      particles_.image[i] = {};
    }
  }

  void add_images(double edge) {
    std::vector<md::Position> images;
    for (std::size_t i = 0; i < particles_.local_count(); ++i) {
      const md::Position& at = particles_.position[i];
      for (int n = 0; n < 27; ++n) {
        const md::Position image{at.x + (n % 3 - 1) * edge, at.y + (n / 3 % 3 - 1) * edge,
                                 at.z + (n / 9 - 1) * edge, 0};
        const auto near = [&](double x) { return x >= -radius && x < edge + radius; };
        if (n != 13 && near(image.x) && near(image.y) && near(image.z)) images.push_back(image);
      }
    }
    std::vector<std::uint32_t> slots;
    particles_.resize_ghosts(images.size());
    list_.place_ghosts(images, particles_.local_count(), slots);
    for (std::size_t k = 0; k < images.size(); ++k) {
      particles_.position[particles_.local_count() + slots[k]] = images[k];
    }
  }

  double lanes_;
  md::PairForces forces_;
  md::PairList list_;
  md::ParticleStore particles_;
};

class Kernels final : public Verb {
 public:
  void add_options(CLI::App& command) override {
    command.add_option("--along", along_, "particles of the liquid along each edge of its box")
        ->check(CLI::Range(6, 200))
        ->capture_default_str();
  }

  void run(const comm::Context& world, const Sampling& sampling, Report& report) override {
    if (world.size() > 1) throw comm::Error("kernels: on one rank only");
    std::vector<std::unique_ptr<Liquid>> liquids;
    std::vector<Candidate> candidates{{"additions in a chain", add_in_a_chain}};
    const auto available = md::available_pair_kernels();
    for (const md::PairKernels* kernels : available) {
      const std::string_view name = kernels->name;
      if (name == "avx512") candidates.push_back({"peak avx512", compute_with_512_bits});
      if (name == "avx2") candidates.push_back({"peak avx2", compute_with_256_bits});
    }
    const std::size_t first = candidates.size();
    for (const md::PairKernels* kernels : available) {
      for (const bool mixed : {true, false}) {
        auto& liquid = liquids.emplace_back(std::make_unique<Liquid>(along_, mixed, kernels->name));
        candidates.push_back(
            {fmt::format("lennard_jones {} {}", mixed ? "mixed" : "double", kernels->name),
             [liquid = liquid.get()] { liquid->compute(); }});
      }
    }
    const std::vector<Timing> timings = measure(world, candidates, sampling);
    const double cycle_ns = 1e3 * timings[0].median_us / chain;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      Row row = row_of(candidates[k].method, world, 0, 0, timings[k]);
      const double cycles = 1e3 * timings[k].median_us / cycle_ns;
      row["GHz"] = 1.0 / cycle_ns;
      if (k > 0 && k < first) row["operations_per_cycle"] = 12.0 * chain / cycles;
      if (k >= first) {
        const Liquid& liquid = *liquids[k - first];
        row["rows_of"] = liquid.group();
        row["pairs_per_particle"] = liquid.pairs() / liquid.particles();
        row["ns_per_particle"] = 1e3 * timings[k].median_us / liquid.particles();
        row["cycles_per_vector"] = cycles / liquid.vectors();
      }
      report.add(std::move(row));
    }
    measure_near_fields(world, sampling, report);
  }

 private:
  /// By one precision and instruction set after the other.
  void measure_near_fields(const comm::Context& world, const Sampling& sampling, Report& report) {
    const WaterBox water(30000);
    const md::RegularGrid grid({{water.length(), water.length(), water.length()}}, 1);
    std::vector<Vec3> positions;
    std::vector<double> values;
    std::vector<std::int32_t> molecules;
    for (std::size_t m = 0; m < water.molecules().size(); ++m) {
      for (std::size_t site = 0; site < water.molecules()[m].size(); ++site) {
        positions.push_back(water.molecules()[m][site]);
        values.push_back(WaterBox::site_charges[site]);
        molecules.push_back(static_cast<std::int32_t>(m));
      }
    }
    constexpr int leaves = 9;  // along an edge
    const auto count = static_cast<double>(positions.size());
    // Each pair of 27 leaves is computed once.
    const double pairs = 13.5 * count / (leaves * leaves * leaves);
    for (const md::FmmInstructionSet* set : md::available_fmm_kernels()) {
      for (const bool single : {true, false}) {
        md::FmmParameters parameters;
        parameters.order = 4, parameters.levels = 0,
        parameters.top_cells = {leaves, leaves, leaves};
        parameters.precision = single ? md::FmmPrecision::single : md::FmmPrecision::full;
        parameters.instruction_set = set->name;
        md::FmmSolver solver(world, grid, parameters);
        const md::PointCharges charges{positions, values, molecules};
        solver.rebuild(charges);
        solver.reset_times();
        const Candidate candidates[] = {
            {"additions in a chain", add_in_a_chain},
            {fmt::format("near field {} {}", single ? "single" : "double", set->name), [&] {
               solver.start(charges);
               solver.finish();
             }}};
        const std::vector<Timing> timings = measure(world, candidates, sampling);
        const double cycle_ns = 1e3 * timings[0].median_us / chain;
        const md::FmmTimes times = solver.times();
        const double near_ns =
            1e3 * timings[1].median_us * times.near_field / times.total() / count;
        Row row = row_of(candidates[1].method, world, 0, 0, timings[1]);
        row["GHz"] = 1.0 / cycle_ns;
        row["pairs_per_particle"] = pairs;
        row["ns_per_particle"] = near_ns;
        row["cycles_per_vector"] = near_ns / cycle_ns / pairs * lanes_of(set->name, single);
        report.add(std::move(row));
      }
    }
  }

  int along_ = 32;
};

}  // namespace

std::unique_ptr<Verb> make_kernels() {
  return std::make_unique<Kernels>();
}

}  // namespace sterna::bench
