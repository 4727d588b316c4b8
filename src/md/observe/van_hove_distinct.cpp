#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "md/input/atom_groups.hpp"
#include "md/observe/cell_averages.hpp"
#include "md/observe/observer_table.hpp"
#include "md/observe/particle_past.hpp"
#include "md/observe/sample_blocks.hpp"
#include "md/observe/van_hove_times.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace sterna::md {
namespace {

struct VanHoveDistinctOptions : VanHoveTimes {
  std::int64_t interval = 0;
  std::vector<std::string> groups;
};

/// Where a particle of a type or group was.
struct EarlierPlace {
  Vec3 position;
  std::int64_t id, column;
};

/// Places in a periodic box by cells of at least a radius, so that those nearby are found without
/// looking at all. Where an edge has no three cells, it has one.
class NearbyPlaces {
 public:
  NearbyPlaces(const Box& box, double radius, std::span<const EarlierPlace> places) : box_(box) {
    for (int a = 0; a < 3; ++a) {
      const double most = std::cbrt(static_cast<double>(places.size())) + 1.0;
      const double fit = std::floor(std::min(box.length[a] / radius, most));
      counts_[static_cast<std::size_t>(a)] = fit < 3.0 ? 1 : static_cast<std::size_t>(fit);
    }
    first_.assign(counts_[0] * counts_[1] * counts_[2] + 1, 0);
    for (const EarlierPlace& place : places) ++first_[number(cell_of(place.position)) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    sorted_.resize(places.size());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (const EarlierPlace& place : places)
      sorted_[next[number(cell_of(place.position))]++] = place;
  }

  template <class Visit>
  void for_each_around(const Vec3& position, Visit&& visit) const {
    const Cell cell = cell_of(position);
    const auto steps = [&](std::size_t a) { return counts_[a] == 1 ? 1u : 3u; };
    for (std::size_t x = 0; x < steps(0); ++x) {
      for (std::size_t y = 0; y < steps(1); ++y) {
        for (std::size_t z = 0; z < steps(2); ++z) {
          const Cell other{moved(cell, 0, x), moved(cell, 1, y), moved(cell, 2, z)};
          const std::size_t k = number(other);
          for (std::size_t at = first_[k]; at < first_[k + 1]; ++at) visit(sorted_[at]);
        }
      }
    }
  }

 private:
  using Cell = std::array<std::size_t, 3>;

  Cell cell_of(const Vec3& position) const {
    Cell cell{};
    for (std::size_t a = 0; a < 3; ++a) {
      const double part = position[static_cast<int>(a)] / box_.length[static_cast<int>(a)];
      const double in_box = (part - std::floor(part)) * static_cast<double>(counts_[a]);
      cell[a] = std::min(counts_[a] - 1, static_cast<std::size_t>(in_box));
    }
    return cell;
  }
  std::size_t moved(const Cell& cell, std::size_t axis, std::size_t step) const {
    return (cell[axis] + counts_[axis] + step - (counts_[axis] == 1 ? 0 : 1)) % counts_[axis];
  }
  std::size_t number(const Cell& cell) const {
    return (cell[0] * counts_[1] + cell[1]) * counts_[2] + cell[2];
  }

  Box box_;
  Cell counts_{};
  std::vector<std::size_t> first_;
  std::vector<EarlierPlace> sorted_;
};

/// The distinct part of van Hove's function beside the mean density, G_d(r, t) / rho: where other
/// particles are a time after a particle was at the origin. At time 0 it is g(r). Source: Hansen and
/// McDonald, Theory of Simple Liquids, section 7.4.
class VanHoveDistinct final : public Observer {
 public:
  VanHoveDistinct(const VanHoveDistinctOptions& options, const ObserverRequest& request)
      : Observer("van_hove_distinct", options.interval),
        units_(request.input.units),
        names_(options.groups.empty() ? request.names : options.groups),
        times_(static_cast<std::size_t>(options.times) + 1),
        bins_(static_cast<std::size_t>(options.bins)),
        spacing_(options.samples_between(options.interval, request.input.run.timestep)),
        sample_time_(static_cast<double>(options.interval) * request.input.run.timestep),
        maximum_(options.maximum),
        ranks_(static_cast<std::size_t>(request.context.size())),
        past_(request.context, "van_hove_distinct", (times_ - 1) * spacing_ + 1,
              groups_from_input(request.input, request.topology, options.groups)),
        to_all_(request.context,
                {.method = "auto", .name = "van_hove_distinct places", .possible_sources = {}}),
        sums_(SampleBlocks::usual * stride(), 0.0) {}

  void sample(const Frame& frame) override {
    const ParticleStore& particles = frame.particles;
    past_.add(particles.local_count(), [&](std::size_t i) {
      const Position& position = particles.position[i];
      return ParticlePast::Item{particles.id[i], position.vector(), position.type};
    });
    const std::int64_t sample = blocks_.samples();
    if (blocks_.begin_sample(frame.step).merges) merge_blocks(sums_, stride());
    const std::span<const Vec3> now = past_.back(0);
    for (std::size_t time = 0; time < times_; ++time) {
      const std::size_t lag = time * spacing_;
      if (lag >= past_.size()) break;
      double* const sums = sums_.data() +
                           blocks_.block_of(sample - static_cast<std::int64_t>(lag)) * stride() +
                           time * columns() * (bins_ + 1);
      const NearbyPlaces earlier(frame.box, maximum_, places_of_all(lag));
      for (std::size_t i = 0; i < now.size(); ++i) {
        earlier.for_each_around(now[i], [&](const EarlierPlace& other) {
          if (other.id == past_.id_of(i)) return;
          const Vec3 apart = frame.box.nearest_image(now[i] - other.position);
          const double place = std::sqrt(dot(apart, apart)) / maximum_ * static_cast<double>(bins_);
          if (place >= static_cast<double>(bins_)) return;
          for (const std::size_t column : past_.columns_of(i)) {
            const std::size_t pair = pair_of(column, static_cast<std::size_t>(other.column));
            sums[pair * (bins_ + 1) + static_cast<std::size_t>(place)] += 1.0;
          }
        });
      }
      count_pairs(frame, sums);
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
    report.text = fmt::format(
        "# van Hove's function, distinct part beside the mean density, after times in {}, {} "
        "samples\n# r{}",
        time.empty() ? "reduced units" : time, blocks_.samples(),
        length.empty() ? "" : "/" + length);
    for (std::size_t k = 0; k < times_; ++k) {
      const double after =
          units_.from_internal(static_cast<double>(k * spacing_) * sample_time_, Dimension::time);
      for (std::size_t a = 0; a < names_.size(); ++a) {
        for (std::size_t b = a; b < names_.size(); ++b) {
          report.text += fmt::format(" {}-{}({:.6g})", names_[a], names_[b], after);
        }
      }
    }
    report.text += "\n";
    std::vector<double> sums(stride(), 0.0);
    for (std::size_t b = blocks_.block_from(reported_from()); b < blocks_.count(); ++b) {
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += all_sums[b * stride() + k];
    }
    const double width = maximum_ / static_cast<double>(bins_);
    for (std::size_t bin = 0; bin < bins_; ++bin) {
      const double inner = static_cast<double>(bin) * width, outer = inner + width;
      const double shell = 4.0 / 3.0 * std::numbers::pi * (std::pow(outer, 3) - std::pow(inner, 3));
      report.text +=
          fmt::format("{:.8g}", units_.from_internal(inner + 0.5 * width, Dimension::length));
      for (std::size_t k = 0; k < times_ * columns(); ++k) {
        const double* const of_pair = sums.data() + k * (bins_ + 1);
        const double ideal = of_pair[bins_] * shell;
        report.text += fmt::format(" {:.8g}", ideal > 0.0 ? of_pair[bin] / ideal : 0.0);
      }
      report.text += "\n";
    }
    return report;
  }

 private:
  std::size_t columns() const { return names_.size() * (names_.size() + 1) / 2; }
  std::size_t stride() const { return times_ * columns() * (bins_ + 1); }
  std::size_t pair_of(std::size_t a, std::size_t b) const {
    const std::size_t low = std::min(a, b), high = std::max(a, b);
    return low * names_.size() - low * (low + 1) / 2 + high;
  }

  /// Collective. Of this many samples before, of all ranks.
  std::span<const EarlierPlace> places_of_all(std::size_t lag) {
    const std::span<const Vec3> before = past_.back(lag);
    std::vector<EarlierPlace> mine;
    for (std::size_t i = 0; i < before.size(); ++i) {
      for (const std::size_t column : past_.columns_of(i)) {
        mine.push_back({before[i], past_.id_of(i), static_cast<std::int64_t>(column)});
      }
    }
    std::vector<std::size_t> offsets(ranks_ + 1);
    std::vector<int> ranks(ranks_);
    std::iota(ranks.begin(), ranks.end(), 0);
    std::vector<EarlierPlace> outgoing;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      outgoing.insert(outgoing.end(), mine.begin(), mine.end());
      offsets[rank + 1] = outgoing.size();
    }
    const std::span<const EarlierPlace> places = to_all_({ranks, offsets, outgoing}).items;
    counts_of_all_.assign(names_.size(), 0.0);
    for (const EarlierPlace& place : places) {
      counts_of_all_[static_cast<std::size_t>(place.column)] += 1.0;
    }
    return places;
  }

  /// Pairs of an ideal gas for each volume, of this rank's particles now and all others before.
  void count_pairs(const Frame& frame, double* sums) {
    std::vector<double> here(names_.size(), 0.0), both(names_.size() * names_.size(), 0.0);
    for (std::size_t i = 0; i < past_.back(0).size(); ++i) {
      for (const std::size_t a : past_.columns_of(i)) {
        here[a] += 1.0;
        for (const std::size_t b : past_.columns_of(i)) both[a * names_.size() + b] += 1.0;
      }
    }
    for (std::size_t a = 0; a < names_.size(); ++a) {
      for (std::size_t b = 0; b < names_.size(); ++b) {
        const double pairs = here[a] * counts_of_all_[b] - both[a * names_.size() + b];
        sums[pair_of(a, b) * (bins_ + 1) + bins_] += pairs / frame.box.volume();
      }
    }
  }

  UnitSystem units_;
  std::vector<std::string> names_;  ///< of the groups, or of the types where there are none
  std::size_t times_, bins_, spacing_;
  double sample_time_, maximum_;
  std::size_t ranks_;
  ParticlePast past_;
  comm::SparseExchange<EarlierPlace> to_all_;
  std::vector<double> counts_of_all_;  ///< particles of each type or group, at all ranks
  SampleBlocks blocks_;                ///< of pairs, by the earlier of their times
  std::vector<double> sums_;  ///< of each block, time and pair: bins, pairs for each volume
};

std::unique_ptr<Observer> make_van_hove_distinct(const ObserverRequest& request) {
  return std::make_unique<VanHoveDistinct>(request.input.section<VanHoveDistinctOptions>(),
                                           request);
}

void check_van_hove_distinct(const Input& input, const IsGood& is_good, const Report& report) {
  const auto& options = input.section<VanHoveDistinctOptions>();
  check_group_names(input, is_good, report, "van_hove_distinct.groups", options.groups, true);
  check_van_hove_times(options, options.interval, input, is_good, "van_hove_distinct", report);
}

void check_van_hove_distinct_in_box(const Input& input, const Box& box, const Report& report) {
  check_right_angles(box, "van_hove_distinct.interval", "[van_hove_distinct]", report);
  const double half = 0.5 * std::min({box.length.x, box.length.y, box.length.z});
  if (input.section<VanHoveDistinctOptions>().maximum <= half * (1.0 + 1e-9)) return;
  report(Severity::error, "van_hove_distinct.maximum",
         fmt::format("the largest distance is beyond half of the box; expected at most {}",
                     input.units.text(half, Dimension::length)));
}

}  // namespace

ObserverRow observer::van_hove_distinct() {
  std::vector<KeySchema> keys = van_hove_keys<VanHoveDistinctOptions>(
      "Number of equally spaced times, up to the longest. Time 0, where it "
      "is g(r), comes on top.",
      "The largest distance, at most half of the box.");
  keys.insert(keys.begin(), interval_key<VanHoveDistinctOptions>());
  keys.push_back(
      groups_key<VanHoveDistinctOptions>("Names of `[[group]]`s whose pairs are counted in "
                                         "place of those of the types.",
                                         "types"));
  return {
      .schema = {.name = "van_hove_distinct",
                 .description = "Where other particles are some times after a particle was at the "
                                "origin: the distinct part of van Hove's function.",
                 .aliases = {"vanhove_distinct", "distinct_van_hove"}},
      .keys = std::move(keys),
      .interval = interval_of<VanHoveDistinctOptions>,
      .check = check_van_hove_distinct,
      .check_in_box = check_van_hove_distinct_in_box,
      .bytes_per_particle =
          [](const Input& input) {
            const auto& options = input.section<VanHoveDistinctOptions>();
            return ParticlePast::bytes_per_particle(
                options.samples_between(options.interval, input.run.timestep) *
                    static_cast<std::size_t>(options.times) +
                1);
          },
      .make = make_van_hove_distinct};
}

}  // namespace sterna::md
