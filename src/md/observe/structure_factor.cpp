#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "md/core/cross_product.hpp"
#include "md/input/atom_groups.hpp"
#include "md/observe/observer_table.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

struct StructureFactorOptions {
  std::int64_t interval = 0;
  std::vector<std::string> groups;
  double maximum = 0.0;
  int bins = 100;
};

/// S(q) = <|sum_j exp(i q.r_j)|^2> / N over the atoms of a group (Hansen and McDonald, Theory of
/// Simple Liquids, section 4.1). The waves are all that fit the periodic box, averaged over those of
/// about the same length.
class StructureFactor final : public Observer {
 public:
  StructureFactor(const StructureFactorOptions& options, const ObserverRequest& request)
      : Observer("structure_factor", options.interval),
        context_(request.context),
        units_(request.input.units),
        groups_(groups_from_input(request.input, request.topology, options.groups)),
        maximum_(options.maximum),
        bins_(static_cast<std::size_t>(options.bins)),
        sums_(bins_ * stride(), 0.0) {}

  void sample(const Frame& frame) override {
    choose_waves(frame.box);
    std::vector<double> waves(series() * (2 * waves_.size() + 1), 0.0);
    sum_waves(frame, waves);
    comm::ReductionBatch batch(context_, name());
    batch.sum(waves.data(), waves.size()).run();
    for (std::size_t w = 0; w < waves_.size(); ++w) {
      const double place = waves_[w].length / maximum_ * static_cast<double>(bins_);
      double* const bin =
          sums_.data() + std::min(bins_ - 1, static_cast<std::size_t>(place)) * stride();
      bin[0] += 1.0;
      bin[1] += waves_[w].length;
      for (std::size_t s = 0; s < series(); ++s) {
        const double* const of_series = waves.data() + s * (2 * waves_.size() + 1);
        const double atoms = of_series[2 * waves_.size()];
        if (!(atoms > 0.0)) continue;
        bin[2 + 2 * s] +=
            (of_series[2 * w] * of_series[2 * w] + of_series[2 * w + 1] * of_series[2 * w + 1]) /
            atoms;
        bin[3 + 2 * s] += 1.0;
      }
    }
    frames_ += 1.0;
  }

  std::vector<double> common() const override {
    std::vector<double> all{frames_};
    all.insert(all.end(), sums_.begin(), sums_.end());
    return all;
  }
  void set_common(std::span<const double> values) override {
    if (values.size() != sums_.size() + 1) return;
    frames_ = values[0];
    std::copy(values.begin() + 1, values.end(), sums_.begin());
  }

  ObserverReport report(std::span<const double>) const override {
    const std::string label(units_.label(Dimension::inverse_length));
    std::string text =
        fmt::format("# S(q), {:.0f} frames\n# q{}", frames_, label.empty() ? "" : "/" + label);
    if (groups_.empty()) text += " all";
    for (const AtomGroup& group : groups_) text += " " + group.name();
    text += "\n";
    for (std::size_t b = 0; b < bins_; ++b) {
      const double* const bin = sums_.data() + b * stride();
      if (bin[0] == 0.0) continue;
      text +=
          fmt::format("{:.8g}", units_.from_internal(bin[1] / bin[0], Dimension::inverse_length));
      for (std::size_t s = 0; s < series(); ++s) {
        text += fmt::format(" {:.8g}", bin[2 + 2 * s] / std::max(bin[3 + 2 * s], 1.0));
      }
      text += "\n";
    }
    return {.text = text};
  }

 protected:
  bool adds_up() const override { return true; }

 private:
  struct Wave {
    std::array<int, 3> periods;  ///< number of periods along each edge of the box
    double length;               ///< of the wave vector
  };
  /// The number of result columns: one for each group, or one for all atoms.
  std::size_t series() const { return std::max<std::size_t>(groups_.size(), 1); }
  /// The numbers of a bin: count and sum of lengths of its waves; for each series the sum and count
  /// of values.
  std::size_t stride() const { return 2 + 2 * series(); }

  /// Chooses one of each pair of opposite waves, up to the largest length of the wave vector.
  void choose_waves(const Box& box) {
    if (box == chosen_for_) return;
    chosen_for_ = box;
    waves_.clear();
    const auto edges = box.edges();
    const double unit = 2.0 * std::numbers::pi / box.volume();
    const Vec3 reciprocal[] = {unit * cross(edges[1], edges[2]), unit * cross(edges[2], edges[0]),
                               unit * cross(edges[0], edges[1])};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      // The scalar product of wave vector and edge is 2 pi times the number of periods along this
      // edge.
      most_[axis] = static_cast<int>(maximum_ * std::sqrt(dot(edges[axis], edges[axis])) /
                                     (2.0 * std::numbers::pi));
    }
    for (int a = 0; a <= most_[0]; ++a) {
      for (int b = a == 0 ? 0 : -most_[1]; b <= most_[1]; ++b) {
        for (int c = a == 0 && b == 0 ? 1 : -most_[2]; c <= most_[2]; ++c) {
          const Vec3 wave = a * reciprocal[0] + b * reciprocal[1] + c * reciprocal[2];
          const double length = std::sqrt(dot(wave, wave));
          if (length <= maximum_) waves_.push_back({{a, b, c}, length});
        }
      }
    }
  }

  /// Sums the waves over this rank's atoms. For each series: the real and imaginary part of each
  /// wave's sum, then the number of atoms.
  void sum_waves(const Frame& frame, std::vector<double>& waves) const {
    const std::size_t of_series = 2 * waves_.size() + 1;
    std::array<std::vector<std::complex<double>>, 3> powers;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      powers[axis].resize(2 * static_cast<std::size_t>(most_[axis]) + 1);
    }
    std::vector<double*> targets;
    for (std::size_t i = 0; i < frame.particles.local_count(); ++i) {
      const Position& position = frame.particles.position[i];
      targets.clear();
      for (std::size_t s = 0; s < series(); ++s) {
        if (!groups_.empty() && !groups_[s].contains(frame.particles.id[i], position, frame.box)) {
          continue;
        }
        targets.push_back(waves.data() + s * of_series);
      }
      if (targets.empty()) continue;
      const Shear shear = frame.box.shear();
      for (int axis = 0; axis < 3; ++axis) {
        const double unsheared = position.vector()[axis] - shear.offset(position.vector(), axis);
        const auto phase =
            std::polar(1.0, 2.0 * std::numbers::pi * unsheared / frame.box.length[axis]);
        auto& of_axis = powers[static_cast<std::size_t>(axis)];
        const std::size_t zero = of_axis.size() / 2;
        of_axis[zero] = 1.0;
        for (std::size_t n = 1; n <= zero; ++n) {
          of_axis[zero + n] = of_axis[zero + n - 1] * phase;
          of_axis[zero - n] = std::conj(of_axis[zero + n]);
        }
      }
      const auto power = [&](std::size_t axis, const Wave& wave) {
        return powers[axis][static_cast<std::size_t>(most_[axis] + wave.periods[axis])];
      };
      for (std::size_t w = 0; w < waves_.size(); ++w) {
        const std::complex<double> value =
            power(0, waves_[w]) * power(1, waves_[w]) * power(2, waves_[w]);
        for (double* const target : targets) {
          target[2 * w] += value.real();
          target[2 * w + 1] += value.imag();
        }
      }
      for (double* const target : targets) target[of_series - 1] += 1.0;
    }
  }

  comm::Context context_;
  UnitSystem units_;
  std::vector<AtomGroup> groups_;  ///< empty: all atoms
  double maximum_;
  std::size_t bins_;
  double frames_ = 0.0;
  std::vector<double> sums_;  ///< of each bin, over all ranks
  Box chosen_for_{};          ///< the box for which `waves_` were chosen
  std::vector<Wave> waves_;
  std::array<int, 3> most_{};  ///< largest number of periods along each edge
};

std::unique_ptr<Observer> make_structure_factor(const ObserverRequest& request) {
  return std::make_unique<StructureFactor>(request.input.section<StructureFactorOptions>(),
                                           request);
}

void check_structure_factor(const Input& input, const IsGood& is_good, const Report& report) {
  check_group_names(input, is_good, report, "structure_factor.groups",
                    input.section<StructureFactorOptions>().groups, false);
}

void check_structure_factor_in_box(const Input& input, const Box& box, const Report& report) {
  // Half the volume of the sphere in wave space divided by the volume per wave. Memory and time
  // grow with this number.
  const double maximum = input.section<StructureFactorOptions>().maximum;
  const double waves =
      std::pow(maximum / std::numbers::pi, 3) * std::numbers::pi / 12.0 * box.volume();
  constexpr double most = 2e6;
  if (waves > most) {
    report(Severity::error, "structure_factor.maximum",
           fmt::format("{:.2g} waves up to {} fit the box; at most {:.0g} can be summed", waves,
                       input.units.text(maximum, Dimension::inverse_length), most));
  }
  const double longest = std::max({box.length.x, box.length.y, box.length.z});
  if (maximum * longest < 2.0 * std::numbers::pi) {
    report(
        Severity::error, "structure_factor.maximum",
        fmt::format("no wave fits the box: the longest one has {}",
                    input.units.text(2.0 * std::numbers::pi / longest, Dimension::inverse_length)));
  }
}

}  // namespace

ObserverRow observer::structure_factor() {
  return {
      .schema = {.name = "structure_factor",
                 .description = "The static structure factor of atoms, or of the centers of rigid "
                                "molecules.",
                 .aliases = {"sq", "static_structure_factor", "saxs"}},
      .keys = {interval_key<StructureFactorOptions>(),
               groups_key<StructureFactorOptions>("Names of `[[group]]`s.", "all atoms"),
               {.name = "maximum",
                .target = option<&StructureFactorOptions::maximum>,
                .description = "The greatest length of a wave vector. The time of a sample grows "
                               "with its third power.",
                .need = Need::required,
                .dimension = Dimension::inverse_length,
                .range = {.minimum = 0.0, .exclusive_minimum = true},
                .aliases = {"q_max", "qmax", "max"}},
               {.name = "bins",
                .target = option<&StructureFactorOptions::bins>,
                .description = "Number of equal intervals of this length.",
                .range = {.minimum = 1.0, .maximum = 1e6},
                .aliases = {"nbins"}}},
      .interval = interval_of<StructureFactorOptions>,
      .check = check_structure_factor,
      .check_in_box = check_structure_factor_in_box,
      .make = make_structure_factor};
}

}  // namespace sterna::md
