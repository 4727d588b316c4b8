#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "md/input/atom_groups.hpp"
#include "md/observe/observer_table.hpp"
#include "md/observe/particle_past.hpp"
#include "md/observe/sample_blocks.hpp"
#include "md/observe/van_hove_times.hpp"

namespace sterna::md {
namespace {

struct VanHoveOptions : VanHoveTimes {
  std::int64_t interval = 0;
  std::vector<std::string> groups;
};

/// The self part of van Hove's function, 4 pi r^2 G(r, t): how far particles move in some times. Its
/// integral over r is 1 if no particle moves beyond the largest distance. Source: Hansen and
/// McDonald, Theory of Simple Liquids, section 7.4.
class VanHove final : public Observer {
 public:
  VanHove(const VanHoveOptions& options, const ObserverRequest& request)
      : Observer("van_hove", options.interval),
        units_(request.input.units),
        names_(options.groups.empty() ? request.names : options.groups),
        times_(static_cast<std::size_t>(options.times)),
        bins_(static_cast<std::size_t>(options.bins)),
        spacing_(options.samples_between(options.interval, request.input.run.timestep)),
        sample_time_(static_cast<double>(options.interval) * request.input.run.timestep),
        maximum_(options.maximum),
        past_(request.context, "van_hove", times_ * spacing_ + 1,
              groups_from_input(request.input, request.topology, options.groups)),
        sums_(SampleBlocks::usual * stride(), 0.0) {}

  void sample(const Frame& frame) override {
    const ParticleStore& particles = frame.particles;
    past_.add(particles.local_count(), [&](std::size_t i) {
      const Position& position = particles.position[i];
      const Image& image = particles.image[i];
      return ParticlePast::Item{
          particles.id[i], position.vector() + frame.box.translation(image.x, image.y, image.z),
          position.type};
    });
    const std::int64_t sample = blocks_.samples();
    if (blocks_.begin_sample(frame.step).merges) merge_blocks(sums_, stride());
    const std::span<const Vec3> now = past_.back(0);
    for (std::size_t time = 0; time < times_; ++time) {
      const std::size_t lag = (time + 1) * spacing_;
      if (lag >= past_.size()) break;
      const std::span<const Vec3> before = past_.back(lag);
      double* const sums =
          sums_.data() + blocks_.block_of(sample - static_cast<std::int64_t>(lag)) * stride();
      for (std::size_t i = 0; i < now.size(); ++i) {
        const Vec3 moved = now[i] - before[i];
        const double place = std::sqrt(dot(moved, moved)) / maximum_ * static_cast<double>(bins_);
        for (const std::size_t column : past_.columns_of(i)) {
          double* const of_column = sums + (time * names_.size() + column) * (bins_ + 1);
          of_column[bins_] += 1.0;
          if (place < static_cast<double>(bins_)) of_column[static_cast<std::size_t>(place)] += 1.0;
        }
      }
    }
  }

  std::span<double> sums() override { return sums_; }
  std::vector<double> common() const override { return blocks_.state(); }
  void set_common(std::span<const double> values) override { blocks_.set_state(values); }
  std::vector<std::span<const std::byte>> history() const override { return past_.history(); }
  void set_history(std::span<History> parts) override {
    past_.set_history(parts, blocks_.samples());
  }

  ObserverReport report(std::span<const double> all_sums) const override {
    const std::string length(units_.label(Dimension::length));
    const std::string time(units_.label(Dimension::time));
    ObserverReport report;
    report.text = fmt::format("# van Hove's function, self part, after times in {}, {} samples\n",
                              time.empty() ? "reduced units" : time, blocks_.samples());
    report.text += fmt::format("# r{}", length.empty() ? "" : "/" + length);
    for (std::size_t k = 0; k < times_; ++k) {
      const double after = static_cast<double>((k + 1) * spacing_) * sample_time_;
      for (const std::string& name : names_) {
        report.text +=
            fmt::format(" {}({:.6g}){}", name, units_.from_internal(after, Dimension::time),
                        length.empty() ? "" : "/1/" + length);
      }
    }
    report.text += "\n";
    std::vector<double> sums(stride(), 0.0);
    for (std::size_t b = blocks_.block_from(reported_from()); b < blocks_.count(); ++b) {
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += all_sums[b * stride() + k];
    }
    const double width =
        units_.from_internal(maximum_ / static_cast<double>(bins_), Dimension::length);
    for (std::size_t bin = 0; bin < bins_; ++bin) {
      report.text += fmt::format("{:.8g}", (static_cast<double>(bin) + 0.5) * width);
      for (std::size_t k = 0; k < times_ * names_.size(); ++k) {
        const double* const of_column = sums.data() + k * (bins_ + 1);
        report.text +=
            fmt::format(" {:.8g}", of_column[bin] / (std::max(of_column[bins_], 1.0) * width));
      }
      report.text += "\n";
    }
    return report;
  }

 private:
  std::size_t stride() const { return times_ * names_.size() * (bins_ + 1); }

  UnitSystem units_;
  std::vector<std::string> names_;  ///< of the groups, or of the types where there are none
  std::size_t times_, bins_, spacing_;
  double sample_time_, maximum_;
  ParticlePast past_;
  SampleBlocks blocks_;       ///< of displacements, by their beginnings
  std::vector<double> sums_;  ///< of each block, time and column: bins, how many
};

std::unique_ptr<Observer> make_van_hove(const ObserverRequest& request) {
  return std::make_unique<VanHove>(request.input.section<VanHoveOptions>(), request);
}

void check_van_hove(const Input& input, const IsGood& is_good, const Report& report) {
  const auto& options = input.section<VanHoveOptions>();
  check_group_names(input, is_good, report, "van_hove.groups", options.groups, true);
  check_van_hove_times(options, options.interval, input, is_good, "van_hove", report);
}

}  // namespace

ObserverRow observer::van_hove() {
  std::vector<KeySchema> keys = van_hove_keys<VanHoveOptions>(
      "Number of equally spaced times, up to the longest.", "The largest distance.");
  keys.insert(keys.begin(), interval_key<VanHoveOptions>());
  keys.push_back(
      groups_key<VanHoveOptions>("Names of `[[group]]`s whose particles are counted "
                                 "in place of those of the types.",
                                 "types"));
  return {.schema = {.name = "van_hove",
                     .description = "How far particles move in some times: the self part of van "
                                    "Hove's function.",
                     .aliases = {"vanhove", "van_hove_function"}},
          .keys = std::move(keys),
          .interval = interval_of<VanHoveOptions>,
          .check = check_van_hove,
          .bytes_per_particle =
              [](const Input& input) {
                const auto& options = input.section<VanHoveOptions>();
                return ParticlePast::bytes_per_particle(
                    options.samples_between(options.interval, input.run.timestep) *
                        static_cast<std::size_t>(options.times) +
                    1);
              },
          .make = make_van_hove};
}

}  // namespace sterna::md
