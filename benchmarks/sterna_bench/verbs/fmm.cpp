// fmm: forces and energies of a periodic box of water-like charges by the fast multipole method, at
// the error asked for, which is measured against Ewald sums for some of the charges. One rank or
// many; the box is the same for any number of ranks.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "md/domain/regular_grid.hpp"
#include "md/forces/coulomb/fmm/fmm_solver.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "verb.hpp"
#include "water_box.hpp"

namespace sterna::bench {
namespace {

using md::Vec3;

struct Charges {
  std::vector<Vec3> positions;
  std::vector<double> values;
  std::vector<std::int32_t> molecules;
  md::PointCharges view() const { return {positions, values, molecules}; }
};

/// Ewald sums for a few charges only, all ranks' charges acting on them: relative errors of the
/// forces below 1e-8.
class SampleForces {
 public:
  /// Every `stride`-th molecule of those of each rank.
  SampleForces(const comm::Context& world, const Charges& charges, double length,
               std::size_t wanted)
      : world_(world), length_(length) {
    double total = static_cast<double>(charges.positions.size());
    comm::ReductionBatch count(world, "fmm benchmark");
    count.sum(total).run();
    all_charges_ = total;
    const std::size_t stride =
        3 * std::max<std::size_t>(1, static_cast<std::size_t>(total / static_cast<double>(wanted)));
    for (std::size_t i = 0; i < charges.positions.size(); i += stride) own_.push_back(i);
    // All samples on all ranks.
    const auto sizes = gathered_sizes(own_.size());
    std::size_t before = 0, all = 0;
    for (int rank = 0; rank < world.size(); ++rank) {
      if (rank < world.rank()) before += sizes[static_cast<std::size_t>(rank)];
      all += sizes[static_cast<std::size_t>(rank)];
    }
    first_ = before;
    samples_.assign(5 * all, 0.0);
    for (std::size_t k = 0; k < own_.size(); ++k) {
      const std::size_t i = own_[k];
      double* sample = samples_.data() + 5 * (before + k);
      sample[0] = charges.positions[i].x;
      sample[1] = charges.positions[i].y;
      sample[2] = charges.positions[i].z;
      sample[3] = charges.values[i];
      sample[4] = charges.molecules[i];
    }
    comm::ReductionBatch gather(world, "fmm benchmark");
    gather.sum(samples_.data(), samples_.size()).run();
    forces_.assign(3 * all, 0.0);
    // Errors of both sums are about exp(-s^2).
    constexpr double s = 4.6;
    const double cutoff = 0.5 * length, kappa = s / cutoff;
    add_real(charges, kappa, cutoff);
    comm::ReductionBatch forces(world, "fmm benchmark");
    forces.sum(forces_.data(), forces_.size()).run();
    add_fourier(charges, kappa, 2.0 * s * kappa);
  }

  /// Relative root-mean-square error of the forces of this rank's charges. Collective.
  double error(const std::vector<Vec3>& forces) const {
    double sums[2] = {};
    for (std::size_t k = 0; k < own_.size(); ++k) {
      const double* exact = forces_.data() + 3 * (first_ + k);
      const Vec3 reference{exact[0], exact[1], exact[2]};
      const Vec3 difference = forces[own_[k]] - reference;
      sums[0] += dot(difference, difference);
      sums[1] += dot(reference, reference);
    }
    comm::ReductionBatch batch(world_, "fmm benchmark");
    batch.sum(sums, 2).run();
    return std::sqrt(sums[0] / sums[1]);
  }

  std::size_t count() const { return samples_.size() / 5; }
  double all_charges() const { return all_charges_; }

  /// Of each own sample its number among the rank's charges and the force, four doubles.
  void write(std::ostream& out) const {
    for (std::size_t k = 0; k < own_.size(); ++k) {
      const double* force = forces_.data() + 3 * (first_ + k);
      const double values[] = {static_cast<double>(own_[k]), force[0], force[1], force[2]};
      out.write(reinterpret_cast<const char*>(values), sizeof values);
    }
  }

 private:
  std::vector<std::size_t> gathered_sizes(std::size_t own) const {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(world_.size()));
    sizes[static_cast<std::size_t>(world_.rank())] = static_cast<std::int64_t>(own);
    comm::ReductionBatch batch(world_, "fmm benchmark");
    batch.sum(sizes.data(), sizes.size()).run();
    return {sizes.begin(), sizes.end()};
  }

  void add_real(const Charges& charges, double kappa, double cutoff) {
    const double cloud = 2.0 * kappa / std::sqrt(std::numbers::pi);
    for (std::size_t k = 0; k < count(); ++k) {
      const double* sample = samples_.data() + 5 * k;
      for (std::size_t j = 0; j < charges.positions.size(); ++j) {
        Vec3 d = Vec3{sample[0], sample[1], sample[2]} - charges.positions[j];
        for (int axis = 0; axis < 3; ++axis) d[axis] -= length_ * std::round(d[axis] / length_);
        const double r2 = dot(d, d);
        const bool inside = charges.molecules[j] == static_cast<std::int32_t>(sample[4]);
        if (r2 >= cutoff * cutoff || r2 == 0.0) continue;
        const double r = std::sqrt(r2), x = kappa * r;
        // Of the same molecule only what the Fourier sum has in it is taken off.
        const double screened = (inside ? -std::erf(x) : std::erfc(x)) / r;
        const double slope = (screened + cloud * std::exp(-x * x)) / r2;
        const double factor = sample[3] * charges.values[j] * slope;
        for (int axis = 0; axis < 3; ++axis) {
          forces_[3 * k + static_cast<std::size_t>(axis)] += factor * d[axis];
        }
      }
    }
  }

  void add_fourier(const Charges& charges, double kappa, double cutoff) {
    const double unit = 2.0 * std::numbers::pi / length_;
    const int highest_wave = static_cast<int>(cutoff / unit);
    const auto waves = static_cast<std::size_t>(2 * highest_wave + 1);
    for (int x = 0; x <= highest_wave; ++x) {
      // One plane of reciprocal vectors at a time: structure factors, then forces.
      std::vector<double> structure(2 * waves * waves, 0.0);
      const auto for_each_vector = [&](auto function) {
        for (int y = -highest_wave; y <= highest_wave; ++y)
          for (int z = -highest_wave; z <= highest_wave; ++z) {
            if (x == 0 && (y < 0 || (y == 0 && z <= 0))) continue;
            const double k2 = unit * unit * (x * x + y * y + z * z);
            if (k2 >= cutoff * cutoff) continue;
            function(y, z, k2,
                     2 * (static_cast<std::size_t>(y + highest_wave) * waves +
                          static_cast<std::size_t>(z + highest_wave)));
          }
      };
      std::vector<double> phases_y(2 * waves), phases_z(2 * waves);
      const auto set_phases = [&](const Vec3& at) {
        for (int n = -highest_wave; n <= highest_wave; ++n) {
          const auto i = 2 * static_cast<std::size_t>(n + highest_wave);
          phases_y[i] = std::cos(unit * n * at.y), phases_y[i + 1] = std::sin(unit * n * at.y);
          phases_z[i] = std::cos(unit * n * at.z), phases_z[i + 1] = std::sin(unit * n * at.z);
        }
        return std::array{std::cos(unit * x * at.x), std::sin(unit * x * at.x)};
      };
      const auto phase = [&](const std::array<double, 2>& along_x, int y, int z) {
        const double* b = phases_y.data() + 2 * (y + highest_wave);
        const double* c = phases_z.data() + 2 * (z + highest_wave);
        const double re = along_x[0] * b[0] - along_x[1] * b[1];
        const double im = along_x[0] * b[1] + along_x[1] * b[0];
        return std::array{re * c[0] - im * c[1], re * c[1] + im * c[0]};
      };
      for (std::size_t j = 0; j < charges.positions.size(); ++j) {
        const auto along_x = set_phases(charges.positions[j]);
        for_each_vector([&](int y, int z, double, std::size_t at) {
          const auto p = phase(along_x, y, z);
          structure[at] += charges.values[j] * p[0];
          structure[at + 1] += charges.values[j] * p[1];
        });
      }
      comm::ReductionBatch batch(world_, "fmm benchmark");
      batch.sum(structure.data(), structure.size()).run();
      for (std::size_t k = 0; k < count(); ++k) {
        const double* sample = samples_.data() + 5 * k;
        const auto along_x = set_phases({sample[0], sample[1], sample[2]});
        for_each_vector([&](int y, int z, double k2, std::size_t at) {
          const auto p = phase(along_x, y, z);
          const double weight = 8.0 * std::numbers::pi / (length_ * length_ * length_) *
                                std::exp(-k2 / (4.0 * kappa * kappa)) / k2;
          const double turned = p[0] * structure[at + 1] - p[1] * structure[at];
          const double factor = -sample[3] * weight * turned * unit;
          forces_[3 * k] += factor * x;
          forces_[3 * k + 1] += factor * y;
          forces_[3 * k + 2] += factor * z;
        });
      }
    }
  }

  const comm::Context& world_;
  double length_;
  double all_charges_ = 0.0;
  std::vector<std::size_t> own_;
  std::size_t first_ = 0;
  std::vector<double> samples_;  ///< position, charge, molecule
  std::vector<double> forces_;
};

class Fmm final : public Verb {
 public:
  void add_options(CLI::App& command) override {
    command.add_option("--charges", charges_, "numbers of charges, about")
        ->delimiter(',')
        ->check(CLI::Range(3000, 100000000))
        ->capture_default_str();
    command.add_option("--accuracies", accuracies_, "relative errors of the forces")
        ->delimiter(',')
        ->check(CLI::Range(1e-9, 1e-1))
        ->capture_default_str();
    command.add_option("--samples", samples_, "forces by which the error is measured")
        ->check(CLI::Range(10, 100000))
        ->capture_default_str();
    command
        .add_option("--leaves", leaves_,
                    "numbers of leaves along an edge to measure, instead of the tree that costs "
                    "least by the model")
        ->delimiter(',')
        ->check(CLI::Range(2, md::FmmParameters::most_top_cells));
    command
        .add_option("--levels", levels_,
                    "levels below the top of these trees, each of twice the cells along an edge")
        ->check(CLI::Range(0, 4))
        ->capture_default_str();
    command.add_option("--exchange", exchange_, "method of the exchanges")->capture_default_str();
    command.add_option("--write", file_,
                       "write positions and charges, four doubles each, to this file, and charge "
                       "and exact force of the samples likewise to FILE.forces (one rank, one "
                       "number of charges)");
  }

  void run(const comm::Context& world, const Sampling& sampling, Report& report) override {
    for (const std::size_t wanted : charges_) {
      const WaterBox water(wanted);
      const md::RegularGrid grid({{water.length(), water.length(), water.length()}}, world.size());
      Charges charges;
      for (std::size_t m = 0; m < water.molecules().size(); ++m) {
        const WaterBox::Molecule& sites = water.molecules()[m];
        const Vec3 center = (1.0 / 3.0) * (sites[0] + sites[1] + sites[2]);
        int image[3];
        if (grid.owner(grid.box().wrap(center, image)) != world.rank()) continue;
        for (std::size_t site = 0; site < sites.size(); ++site) {
          charges.positions.push_back(sites[site]);
          charges.values.push_back(WaterBox::site_charges[site]);
          charges.molecules.push_back(static_cast<std::int32_t>(m));
        }
      }
      const SampleForces reference(world, charges, water.length(), samples_);
      if (!file_.empty()) write(world, charges, reference);
      for (const double accuracy : accuracies_) {
        md::FmmParameters parameters = md::FmmParameters::choose(
            md::Lattice::orthorhombic(grid.box().length), true, water.charges(), accuracy, 2.5);
        const auto measure_tree = [&] {
          measure_one(world, sampling, report, grid, charges, reference, accuracy, parameters);
        };
        if (leaves_.empty()) measure_tree();
        for (const int leaves : leaves_) {
          const int top = leaves >> levels_;
          if (top < 2 || top << levels_ != leaves) {
            throw comm::Error(
                fmt::format("fmm: {} leaves are not at least 2 top cells, doubled {} "
                            "times",
                            leaves, levels_));
          }
          parameters.levels = levels_;
          parameters.top_cells = {top, top, top};
          measure_tree();
        }
      }
    }
  }

 private:
  void write(const comm::Context& world, const Charges& charges,
             const SampleForces& reference) const {
    if (world.size() > 1 || charges_.size() > 1) {
      throw comm::Error("fmm: --write needs one rank and one number of charges");
    }
    std::ofstream out(file_, std::ios::binary);
    for (std::size_t i = 0; i < charges.positions.size(); ++i) {
      const Vec3& p = charges.positions[i];
      const double values[] = {p.x, p.y, p.z, charges.values[i]};
      out.write(reinterpret_cast<const char*>(values), sizeof values);
    }
    std::ofstream forces(file_ + ".forces", std::ios::binary);
    reference.write(forces);
    if (!out || !forces) throw comm::Error(fmt::format("fmm: cannot write {}", file_));
  }

  void measure_one(const comm::Context& world, const Sampling& sampling, Report& report,
                   const md::RegularGrid& grid, const Charges& charges,
                   const SampleForces& reference, double accuracy,
                   md::FmmParameters parameters) const {
    std::unique_ptr<md::FmmSolver> solver;
    double error = 0.0;
    for (;; ++parameters.order) {
      solver = std::make_unique<md::FmmSolver>(world, grid, parameters, exchange_);
      error = reference.error(solver->solve(charges.view()).forces);
      if (error <= accuracy || parameters.order == md::FmmParameters::highest_order) break;
    }
    solver->reset_times();
    const Candidate candidate{"fmm", [&] {
                                solver->start(charges.view());
                                solver->finish();
                              }};
    const Timing timing = measure(world, {&candidate, 1}, sampling).front();
    md::FmmTimes times = solver->times();
    std::size_t bytes = 0, messages = 0;
    for (const auto& verdict : solver->verdicts()) {
      bytes += verdict.bytes_sent, messages += verdict.messages_sent;
    }
    Row row = row_of("fmm", world, 0, bytes, timing);
    const double particles = reference.all_charges();
    row["charges"] = static_cast<std::size_t>(particles);
    row["accuracy"] = accuracy;
    row["error"] = error;
    row["us_per_particle"] = timing.median_us / particles;
    row["order"] = parameters.order;
    row["precision"] = md::name_of(parameters.precision);
    row["leaves"] = fmt::format("{}^3", parameters.top_cells[0] << parameters.levels);
    row["levels"] = parameters.levels;
    // This rank's shares of the time, as fractions of the sum of phases, in us per particle.
    const double scale = timing.median_us / particles / times.total();
    row["p2m"] = times.charges_to_multipoles * scale;
    row["m2m"] = times.multipoles_up * scale;
    row["m2l"] = times.multipoles_to_locals * scale;
    row["l2l"] = times.locals_down * scale;
    row["l2p"] = times.locals_to_charges * scale;
    row["near"] = times.near_field * scale;
    row["sort"] = times.sort * scale;
    row["communication"] = times.communication * scale;
    report.add(std::move(row));
  }

  std::vector<std::size_t> charges_{100000};
  std::vector<int> leaves_;
  int levels_ = 0;
  std::vector<double> accuracies_{1e-3, 1e-4, 1e-6};
  std::size_t samples_ = 300;
  std::string exchange_ = "auto";
  std::string file_;
};

}  // namespace

std::unique_ptr<Verb> make_fmm() {
  return std::make_unique<Fmm>();
}

}  // namespace sterna::bench
