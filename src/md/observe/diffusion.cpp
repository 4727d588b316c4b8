#include "md/observe/diffusion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "md/input/atom_groups.hpp"
#include "md/observe/observer_table.hpp"

namespace sterna::md {

Diffusion::Diffusion(const comm::Context& context, std::int64_t interval, double timestep,
                     std::vector<std::string> type_names, const UnitSystem& units,
                     std::vector<AtomGroup> groups)
    : Observer("diffusion", interval),
      sample_time_(static_cast<double>(interval) * timestep),
      names_(std::move(type_names)),
      groups_(std::move(groups)),
      units_(units),
      ranks_(context.size()),
      to_keepers_(context,
                  {.method = "auto", .name = "diffusion", .possible_sources = std::nullopt}) {
  if (!groups_.empty()) {
    names_.clear();
    for (const AtomGroup& group : groups_) names_.push_back(group.name());
  }
  sums_.assign(names_.size() * most_levels * windows * 4, 0.0);
}

void Diffusion::find_columns() {
  columns_.clear();
  first_column_.assign(1, 0);
  for (const Item& item : incoming_) {
    if (groups_.empty()) columns_.push_back(static_cast<std::size_t>(item.type));
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g].contains(item.id, item.type)) columns_.push_back(g);
    }
    first_column_.push_back(columns_.size());
  }
}

void Diffusion::sample(const Frame& frame) {
  const ParticleStore& particles = frame.particles;
  // Multiplicative hashing deals ids out evenly, also where all are multiples of something.
  const auto keeper = [&](std::int64_t id) {
    const std::uint64_t mixed = static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15u;
    return static_cast<std::size_t>((mixed >> 32) % static_cast<std::uint64_t>(ranks_));
  };
  std::vector<std::size_t> offsets(static_cast<std::size_t>(ranks_) + 1, 0);
  for (std::size_t i = 0; i < particles.local_count(); ++i) ++offsets[keeper(particles.id[i]) + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<Item> outgoing(particles.local_count());
  std::vector<std::size_t> next(offsets.begin(), offsets.end() - 1);
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const Position& position = particles.position[i];
    const Image& image = particles.image[i];
    outgoing[next[keeper(particles.id[i])]++] = {
        particles.id[i], position.vector() + frame.box.translation(image.x, image.y, image.z),
        position.type};
  }
  std::vector<int> ranks(static_cast<std::size_t>(ranks_));
  std::iota(ranks.begin(), ranks.end(), 0);
  const auto rows = to_keepers_({ranks, offsets, outgoing});
  incoming_.assign(rows.items.begin(), rows.items.end());
  std::sort(incoming_.begin(), incoming_.end(),
            [](const Item& a, const Item& b) { return a.id < b.id; });
  if (samples_ == 0) find_columns();

  std::int64_t spacing = 1;
  for (std::size_t level = 0; level < most_levels && samples_ % spacing == 0;
       ++level, spacing *= 10) {
    if (level == levels_.size()) levels_.emplace_back();
    auto& past = levels_[level].past;
    for (std::size_t window = 0; window < std::min(windows, past.size()); ++window) {
      for (std::size_t i = 0; i < incoming_.size(); ++i) {
        const Vec3 moved = incoming_[i].position - past[window][i];
        for (std::size_t c = first_column_[i]; c < first_column_[i + 1]; ++c) {
          double* sum = sums_.data() + index(columns_[c], level, window);
          for (int axis = 0; axis < 3; ++axis) sum[axis] += moved[axis] * moved[axis];
          sum[3] += 1.0;
        }
      }
    }
    if (past.size() > windows) {
      std::rotate(past.begin(), past.end() - 1, past.end());
    } else {
      past.insert(past.begin(), std::vector<Vec3>());
    }
    past.front().resize(incoming_.size());
    for (std::size_t i = 0; i < incoming_.size(); ++i) past.front()[i] = incoming_[i].position;
  }
  ++samples_;
}

ObserverReport Diffusion::report(std::span<const double> all_sums) const {
  const auto unit = [&](Dimension dimension, const char* power = "") {
    const std::string label(units_.label(dimension));
    return label.empty() ? "" : "/" + label + power;
  };
  ObserverReport report;
  report.text = fmt::format("# mean square displacement\n# time{}", unit(Dimension::time));
  for (const std::string& name : names_) {
    report.text += fmt::format(" {}{}", name, unit(Dimension::length, "^2"));
  }
  report.text += "\n";

  struct Row {
    double time;
    std::vector<Vec3> squares;  ///< mean, of each type or group
  };
  std::vector<Row> rows;
  double spacing = 1.0;
  for (std::size_t level = 0; level < most_levels; ++level, spacing *= 10.0) {
    for (std::size_t window = 0; window < windows; ++window) {
      Row row{spacing * static_cast<double>(window + 1) * sample_time_, {}};
      double counted = 0.0;
      for (std::size_t column = 0; column < names_.size(); ++column) {
        const double* sum = all_sums.data() + index(column, level, window);
        const double count = std::max(sum[3], 1.0);
        row.squares.push_back({sum[0] / count, sum[1] / count, sum[2] / count});
        counted += sum[3];
      }
      if (counted > 0.0) rows.push_back(std::move(row));
    }
  }
  const double area = std::pow(units_.from_internal(1.0, Dimension::length), 2);
  for (const Row& row : rows) {
    report.text += fmt::format("{:.8g}", units_.from_internal(row.time, Dimension::time));
    for (const Vec3& squares : row.squares) {
      report.text += fmt::format(" {:.8g}", (squares.x + squares.y + squares.z) * area);
    }
    report.text += "\n";
  }
  if (rows.size() < 3) return report;
  const double longest = rows.back().time;
  for (std::size_t column = 0; column < names_.size(); ++column) {
    double along[3], mean = 0.0, squares = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      // Least squares over the times between a tenth and a half of the longest.
      double n = 0.0, t = 0.0, tt = 0.0, y = 0.0, ty = 0.0;
      for (const Row& row : rows) {
        if (row.time < 0.1 * longest || row.time > 0.5 * longest) continue;
        const double value = row.squares[column][axis];
        n += 1.0, t += row.time, tt += row.time * row.time, y += value, ty += row.time * value;
      }
      const double spread = n * tt - t * t;
      along[axis] = spread > 0.0 ? 0.5 * (n * ty - t * y) / spread : 0.0;
      mean += along[axis] / 3.0;
    }
    for (const double value : along) squares += (value - mean) * (value - mean);
    report.add_average(fmt::format("diffusion_{}", names_[column]), mean, std::sqrt(squares / 6.0),
                       units_, Dimension::diffusion);
  }
  return report;
}

namespace {

struct DiffusionOptions {
  std::int64_t interval = 0;
  std::vector<std::string> groups;
};

std::unique_ptr<Observer> make_diffusion(const ObserverRequest& request) {
  const Input& input = request.input;
  const auto& options = input.section<DiffusionOptions>();
  return std::make_unique<Diffusion>(request.context, options.interval, input.run.timestep,
                                     request.names, input.units,
                                     groups_from_input(input, request.topology, options.groups));
}

void check_diffusion(const Input& input, const IsGood& is_good, const Report& report) {
  check_group_names(input, is_good, report, "diffusion.groups",
                    input.section<DiffusionOptions>().groups, true);
  if (!is_good("alignment.interval") || input.alignment.interval == 0) return;
  if (!is_good("diffusion.interval") || interval_of<DiffusionOptions>(input) == 0) return;
  report(Severity::error, "diffusion.interval",
         "[alignment] moves all molecules, so that [diffusion] would measure its shifts, too");
}

ObserverSection diffusion_section() {
  return {.schema = {.name = "diffusion",
                     .description = "The mean square displacement of each type and its diffusion "
                                    "coefficient (Einstein).",
                     .aliases = {"msd", "mean_square_displacement"}},
          .keys = {interval_key<DiffusionOptions>(),
                   groups_key<DiffusionOptions>("Names of `[[group]]`s whose displacements are "
                                                "averaged in place of those of the types.",
                                                "types")},
          .interval = interval_of<DiffusionOptions>,
          .check = check_diffusion};
}

}  // namespace

const ObserverRow observer::diffusion{.section = diffusion_section, .make = make_diffusion};

}  // namespace sterna::md
