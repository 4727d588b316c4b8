#include "md/observe/diffusion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/input/atom_groups.hpp"
#include "md/integrate/alignment_section.hpp"
#include "md/observe/observer_table.hpp"

namespace sterna::md {

Diffusion::Diffusion(const comm::Context& context, std::int64_t interval, double timestep,
                     std::vector<std::string> type_names, const UnitSystem& units,
                     std::vector<AtomGroup> groups)
    : Observer("diffusion", interval),
      context_(context),
      sample_time_(static_cast<double>(interval) * timestep),
      names_(std::move(type_names)),
      groups_(std::move(groups)),
      units_(units),
      keepers_(context, "diffusion") {
  if (!groups_.empty()) {
    names_.clear();
    for (const AtomGroup& group : groups_) names_.push_back(group.name());
  }
  sums_.assign(SampleBlocks::usual * stride(), 0.0);
}

void Diffusion::find_columns() {
  columns_.clear();
  first_column_.assign(1, 0);
  ids_.clear();
  for (const Item& item : keepers_.items()) {
    ids_.push_back(item.id);
    if (groups_.empty()) columns_.push_back(static_cast<std::size_t>(item.type));
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g].contains(item.id, item.type)) columns_.push_back(g);
    }
    first_column_.push_back(columns_.size());
  }
}

std::size_t Diffusion::kept_on_level(std::int64_t samples, std::size_t level) {
  std::int64_t spacing = 1;
  for (std::size_t k = 0; k < level; ++k) spacing *= 10;
  const std::int64_t on_level = samples > 0 ? (samples - 1) / spacing + 1 : 0;
  return level < most_levels ? std::min(windows, static_cast<std::size_t>(on_level)) : 0;
}

double Diffusion::bytes_per_particle(std::int64_t samples) {
  std::size_t positions = 0;
  for (std::size_t level = 0; level < most_levels; ++level) {
    positions += kept_on_level(samples, level);
  }
  return static_cast<double>(positions * sizeof(Vec3) + sizeof(std::int64_t));
}

void Diffusion::sample(const Frame& frame) {
  const ParticleStore& particles = frame.particles;
  keepers_.collect(particles.local_count(), [&](std::size_t i) {
    const Position& position = particles.position[i];
    const Image& image = particles.image[i];
    return Item{particles.id[i],
                position.vector() + frame.box.translation(image.x, image.y, image.z),
                position.type};
  });
  if (first_column_.empty()) find_columns();
  const std::vector<Item>& here = keepers_.items();

  const std::int64_t sample = blocks_.samples();
  if (blocks_.begin_sample(frame.step).merges) merge_blocks(sums_, stride());
  std::int64_t spacing = 1;
  for (std::size_t level = 0; level < most_levels && sample % spacing == 0;
       ++level, spacing *= 10) {
    if (level == levels_.size()) levels_.emplace_back();
    auto& past = levels_[level].past;
    for (std::size_t window = 0; window < past.size(); ++window) {
      const std::int64_t began = sample - spacing * static_cast<std::int64_t>(window + 1);
      double* const sums = sums_.data() + blocks_.block_of(began) * stride();
      for (std::size_t i = 0; i < here.size(); ++i) {
        const Vec3 moved = here[i].position - past[window][i];
        for (std::size_t c = first_column_[i]; c < first_column_[i + 1]; ++c) {
          double* sum = sums + index(columns_[c], level, window);
          for (int axis = 0; axis < 3; ++axis) sum[axis] += moved[axis] * moved[axis];
          sum[3] += 1.0;
        }
      }
    }
    if (past.size() == windows) {
      std::rotate(past.begin(), past.end() - 1, past.end());
    } else {
      past.insert(past.begin(), std::vector<Vec3>());
    }
    past.front().resize(here.size());
    for (std::size_t i = 0; i < here.size(); ++i) past.front()[i] = here[i].position;
  }
}

void Diffusion::set_common(std::span<const double> values) {
  blocks_.set_state(values);
}

std::vector<std::span<const std::byte>> Diffusion::history() const {
  if (blocks_.samples() == 0) return {};
  std::vector<std::span<const std::byte>> pieces{std::as_bytes(std::span(ids_))};
  for (const Level& level : levels_) {
    for (const std::vector<Vec3>& positions : level.past) {
      pieces.push_back(std::as_bytes(std::span(positions)));
    }
  }
  return pieces;
}

void Diffusion::set_history(std::span<History> parts) {
  levels_.clear();
  const std::int64_t samples = blocks_.samples();
  std::size_t pieces = samples > 0 ? 1 : 0;
  for (std::size_t level = 0; kept_on_level(samples, level) > 0; ++level) {
    levels_.emplace_back().past.resize(kept_on_level(samples, level));
    pieces += levels_.back().past.size();
  }
  std::vector<std::int64_t> ids;
  agree_after(context_, [&] {
    for (const History& part : parts) {
      const std::size_t count = part.empty() ? 0 : part[0].size() / sizeof(std::int64_t);
      bool fits = part.size() == pieces;
      for (std::size_t k = 1; k < part.size(); ++k) {
        fits = fits && part[k].size() == count * sizeof(Vec3);
      }
      if (!fits) throw FileError("the checkpoint's history of [diffusion] contradicts itself");
      const std::size_t before = ids.size();
      ids.resize(before + count);
      if (count > 0) std::memcpy(ids.data() + before, part[0].data(), count * sizeof(ids[0]));
    }
  });
  std::size_t piece = 0;
  std::vector<Vec3> positions(ids.size());
  for (Level& level : levels_) {
    for (std::vector<Vec3>& past : level.past) {
      ++piece;
      std::size_t at = 0;
      for (History& part : parts) {
        const std::size_t count = part[piece].size() / sizeof(Vec3);
        if (count > 0) std::memcpy(positions.data() + at, part[piece].data(), count * sizeof(Vec3));
        at += count;
        part[piece] = {};
      }
      keepers_.collect(ids.size(), [&](std::size_t i) { return Item{ids[i], positions[i], 0}; });
      for (const Item& item : keepers_.items()) past.push_back(item.position);
    }
  }
  ids_.clear();
  for (const Item& item : keepers_.items()) ids_.push_back(item.id);
}

namespace {

/// The mean square displacements along the axes after a time.
struct DisplacementRow {
  double time;
  std::vector<Vec3> squares;  ///< by type or group
};

/// The slope of a line that is fitted by least squares to the times between a tenth and a half of
/// the longest time.
double slope_of_displacements(const std::vector<DisplacementRow>& rows, std::size_t column,
                              int axis) {
  const double longest = rows.back().time;
  double n = 0.0, t = 0.0, tt = 0.0, y = 0.0, ty = 0.0;
  for (const DisplacementRow& row : rows) {
    if (row.time < 0.1 * longest || row.time > 0.5 * longest) continue;
    const double value = row.squares[column][axis];
    n += 1.0, t += row.time, tt += row.time * row.time, y += value, ty += row.time * value;
  }
  const double spread = n * tt - t * t;
  return spread > 0.0 ? (n * ty - t * y) / spread : 0.0;
}

}  // namespace

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

  std::vector<double> sums(stride(), 0.0);
  for (std::size_t b = blocks_.block_from(reported_from()); b < blocks_.count(); ++b) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += all_sums[b * stride() + k];
  }
  std::vector<DisplacementRow> rows;
  double spacing = 1.0;
  for (std::size_t level = 0; level < most_levels; ++level, spacing *= 10.0) {
    for (std::size_t window = 0; window < windows; ++window) {
      DisplacementRow row{spacing * static_cast<double>(window + 1) * sample_time_, {}};
      double counted = 0.0;
      for (std::size_t column = 0; column < names_.size(); ++column) {
        const double* sum = sums.data() + index(column, level, window);
        const double count = std::max(sum[3], 1.0);
        row.squares.push_back({sum[0] / count, sum[1] / count, sum[2] / count});
        counted += sum[3];
      }
      if (counted > 0.0) rows.push_back(std::move(row));
    }
  }
  const double area = std::pow(units_.from_internal(1.0, Dimension::length), 2);
  for (const DisplacementRow& row : rows) {
    report.text += fmt::format("{:.8g}", units_.from_internal(row.time, Dimension::time));
    for (const Vec3& squares : row.squares) {
      report.text += fmt::format(" {:.8g}", (squares.x + squares.y + squares.z) * area);
    }
    report.text += "\n";
  }
  if (rows.size() < 3) return report;
  for (std::size_t column = 0; column < names_.size(); ++column) {
    double along[3], mean = 0.0, squares = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      along[axis] = 0.5 * slope_of_displacements(rows, column, axis);
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
  if (!is_good("alignment.interval") || input.section<AlignmentSection>().interval == 0) return;
  if (!is_good("diffusion.interval") || interval_of<DiffusionOptions>(input) == 0) return;
  report(Severity::error, "diffusion.interval",
         "[alignment] moves all molecules, so that [diffusion] would measure its shifts, too");
}

double bytes_of_diffusion(const Input& input) {
  const std::int64_t interval = interval_of<DiffusionOptions>(input);
  return Diffusion::bytes_per_particle(input.run.steps / interval + 1);
}

}  // namespace

ObserverRow observer::diffusion() {
  return {.schema = {.name = "diffusion",
                     .description = "The mean square displacement of each type and its diffusion "
                                    "coefficient (Einstein). Memory and checkpoints hold up to 216 "
                                    "bytes of each particle for each factor of ten in the number "
                                    "of samples.",
                     .aliases = {"msd", "mean_square_displacement"}},
          .keys = {interval_key<DiffusionOptions>(),
                   groups_key<DiffusionOptions>("Names of `[[group]]`s whose displacements are "
                                                "averaged in place of those of the types.",
                                                "types")},
          .interval = interval_of<DiffusionOptions>,
          .check = check_diffusion,
          .bytes_per_particle = bytes_of_diffusion,
          .make = make_diffusion};
}

}  // namespace sterna::md
