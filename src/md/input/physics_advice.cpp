#include "md/input/physics_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "md/domain/decomposition_method.hpp"
#include "md/domain/regular_grid.hpp"
#include "md/input/check_box.hpp"
#include "md/input/check_neighbor.hpp"
#include "md/input/cutoffs.hpp"
#include "md/input/observer_row.hpp"
#include "md/input/physics_row.hpp"
#include "md/input/read_input.hpp"
#include "md/input/trajectory_row.hpp"

namespace sterna::md {
namespace {

double sites_per_cell(CrystalLattice lattice) {
  if (lattice == CrystalLattice::simple_cubic) return 1.0;
  if (lattice == CrystalLattice::body_centered_cubic) return 2.0;
  return lattice == CrystalLattice::face_centered_cubic ? 4.0
                                                        : 8.0;  // diamond and zincblende have eight
}

class Adviser {
 public:
  Adviser(const Input& input, const SystemFacts& facts) : input_(input), facts_(facts) {}

  std::vector<Diagnostic> advise() {
    if (!input_.minimizes()) at_rest();
    physics();
    skin();
    box();
    ranks();
    files();
    observers();
    return std::move(advice_);
  }

 private:
  void add(Severity severity, std::string_view place, std::string message) {
    // A key that the file lacks is shown at its section, if the file has that.
    const std::size_t point = place.find('.');
    if (!input_.places.contains(place) && point != std::string_view::npos) {
      place = place.substr(0, point);
    }
    advice_.push_back(diagnose(input_, severity, place, std::move(message)));
  }
  void warn(std::string_view place, std::string message) {
    add(Severity::warning, place, std::move(message));
  }
  void advise(std::string_view place, std::string message) {
    add(Severity::advice, place, std::move(message));
  }

  std::string text(double value, Dimension dimension) const {
    return input_.units.text(value, dimension);
  }
  std::string length(double value) const { return text(value, Dimension::length); }
  std::string time(double value) const { return text(value, Dimension::time); }

  void at_rest() {
    if (input_.start.kind == StartKind::file || input_.start.temperature.value_or(0.0) > 0.0)
      return;
    if (input_.run.steps == 0) return;
    const std::string message =
        "all particles start at rest: \"temperature\" in [start] would draw velocities";
    input_.start.kind == StartKind::lattice
        ? warn("start.temperature", message + "; a perfect lattice at rest does not move")
        : advise("start.temperature", message);
  }

  void physics() {
    const Report report = [this](Severity severity, std::string_view place, std::string message) {
      add(severity, place, std::move(message));
    };
    for (const PhysicsRow& kind : physics_rows()) {
      if (kind.advise != nullptr) kind.advise(input_, facts_, report);
    }
  }

  void skin() {
    const double skin = input_.neighbor.skin, rc = longest_cutoff(input_);
    if (skin > 0.5 * rc) {
      advise(
          "neighbor.skin",
          fmt::format("a skin of {} beside a cutoff of {} makes the list {:.2g} times as long as "
                      "the pairs that interact; 0.1 to 0.2 of the cutoff is usual",
                      length(skin), length(rc), std::pow(1.0 + skin / rc, 3)));
    } else if (skin > 0.0 && skin < 0.02 * rc) {
      advise("neighbor.skin",
             fmt::format("with a skin of {} the list must be rebuilt almost every step; 0.1 to 0.2 "
                         "of the cutoff is usual",
                         length(skin)));
    }
  }

  void box() {
    if (!facts_.box) return;
    check_box(input_, *facts_.box,
              [&](Severity severity, std::string_view place, std::string message) {
                add(severity, place, message);
              });
    tilt();
    const double shortest = facts_.box->least_height();
    const double rc = longest_cutoff(input_);
    if (rc > 0.5 * shortest) {
      warn(rc > input_.interaction.cutoff ? "electrostatics.cutoff" : "interaction.cutoff",
           fmt::format("a cutoff of {} is more than half the {} of the box ({}): particles "
                       "interact with several images of each other{}",
                       length(rc), facts_.box->tilt.none() ? "shortest edge" : "least height",
                       length(shortest),
                       rc > shortest ? ", and with their own" : ", which shows in the results"));
    }
  }

  /// Advice on an edge that leans by more than half the length of another one.
  void tilt() {
    const Box& box = *facts_.box;
    // Subtracting multiples of one edge from another leaves the periodic lattice unchanged.
    Tilt least = box.tilt;
    least.xy -= std::round(least.xy / box.length.x) * box.length.x;
    const double b = std::round(least.yz / box.length.y);
    least.yz -= b * box.length.y;
    least.xz -= b * least.xy;
    least.xz -= std::round(least.xz / box.length.x) * box.length.x;
    const double before = box.least_height();
    const double after = Box{box.length, least}.least_height();
    if (after < 1.01 * before) return;
    advise(input_.start.tilt ? "start.tilt" : "start.file",
           fmt::format("the box leans more than it need: the same lattice with the tilt "
                       "[{}, {}, {}] is {:.3g} times as wide between its faces, which makes "
                       "halos thinner",
                       input_.units.from_internal(least.xy, Dimension::length),
                       input_.units.from_internal(least.xz, Dimension::length),
                       input_.units.from_internal(least.yz, Dimension::length), after / before));
  }

  void ranks() {
    if (!facts_.box || !facts_.ranks) return;
    const auto& asked = input_.domain.grid;
    std::optional<RegularGrid> grid;
    try {
      grid.emplace(*facts_.box, *facts_.ranks, asked);
    } catch (const std::invalid_argument&) {
      add(Severity::error, "domain.grid",
          fmt::format("a grid of {} x {} x {} cannot be made of {} ranks{}", asked[0], asked[1],
                      asked[2], *facts_.ranks,
                      std::ranges::find(asked, 0) != asked.end() ? " (0: chosen)" : ""));
      return;
    }
    narrow_regions(*grid);
    if (!facts_.particles) return;
    const double local = static_cast<double>(*facts_.particles) / *facts_.ranks;
    if (local < 200.0 && *facts_.ranks > 1) {
      advise("start",
             fmt::format("{:.3g} particles per rank are few: messages will take more time "
                         "than forces. About {:.0f} ranks serve this system best",
                         local, std::max(1.0, std::floor(local * *facts_.ranks / 1000.0))));
    }
    memory();
  }

  /// Regions narrower than the halo, which exchange with more others.
  void narrow_regions(const RegularGrid& grid) {
    const double halo = longest_cutoff(input_) + likely_skin(input_);
    const Vec3 lean = facts_.box->shear().extent(1.0), heights = facts_.box->heights();
    int regions_across = 0, axis = 0;
    for (int i = 0; i < 3; ++i) {
      if (grid.grid()[static_cast<std::size_t>(i)] == 1) continue;  // its own images only
      const int regions =
          static_cast<int>(std::ceil(halo * lean[i] / grid.smallest_width(i) - 1e-9));
      if (regions > regions_across) regions_across = regions, axis = i;
    }
    double most = 1.0;
    for (int i = 0; i < 3; ++i) {
      most *= std::max(1.0, std::floor(heights[i] / halo));
    }
    const auto& decomposition = input_.domain.decomposition;
    if (decomposition != "auto" && decomposition_method(decomposition).weighs) {
      if (*facts_.ranks > most) {
        advise("domain.decomposition",
               fmt::format("{} regions as wide as the halo of {} (cutoff + skin) do not fit into "
                           "the box; some will be narrower and exchange with more others. Up to "
                           "{:.0f} ranks need not do that",
                           *facts_.ranks, length(halo), most));
      }
    } else if (regions_across > 1) {
      const auto& counts = grid.grid();
      advise(
          "domain.grid",
          fmt::format("on {} ranks ({} x {} x {}) a region is {} wide along {}, narrower than the "
                      "halo of {} (cutoff + skin), which then reaches {} regions on each side: "
                      "more messages. Up to {:.0f} ranks need not do that",
                      *facts_.ranks, counts[0], counts[1], counts[2],
                      length(grid.smallest_width(axis) / lean[axis]), "xyz"[axis], length(halo),
                      regions_across, most));
    }
  }

  /// Whether the memory of the machine suffices.
  void memory() {
    const auto expected = forecast(input_, facts_);
    if (!expected || !facts_.memory_per_rank) return;
    const std::string impossible =
        why_impossible(*expected, *facts_.memory_per_rank, facts_.memory_limit);
    if (!impossible.empty()) {
      add(Severity::error, "start", impossible);
    } else if (expected->memory_per_rank > 0.9 * *facts_.memory_per_rank) {
      warn("start",
           fmt::format("a rank needs about {}, but {} are there; use more ranks on more "
                       "nodes",
                       byte_text(expected->memory_per_rank), byte_text(*facts_.memory_per_rank)));
    }
  }

  void observers() {
    const Report report = [this](Severity severity, std::string_view place, std::string message) {
      add(severity, place, std::move(message));
    };
    const std::int64_t equilibration = input_.output.equilibration, steps = input_.run.steps;
    if (steps > 0 && equilibration >= steps && !input_.minimizes()) {
      warn("output.equilibration",
           fmt::format("an equilibration of {} steps leaves nothing of a run of {}: there will be "
                       "no averages, and observers will have no samples",
                       equilibration, steps));
    }
    for (const ObserverRow& section : observer_rows()) {
      if (section.advise != nullptr && section.interval(input_) > 0) {
        section.advise(input_, report);
      }
    }
  }

  void files() {
    const auto& output = input_.output;
    if (output.trajectory_interval > input_.run.steps) {
      advise(
          "output.trajectory_interval",
          fmt::format("a frame every {} steps in a run of {}: the trajectory will have one frame",
                      output.trajectory_interval, input_.run.steps));
    }
    if (output.checkpoint_interval > 0 && output.checkpoint_interval < 10 &&
        input_.run.steps >= 100) {
      advise("output.checkpoint_interval",
             fmt::format("a checkpoint every {} steps will take most of the time",
                         output.checkpoint_interval));
    }
    SystemFacts facts = facts_;
    facts.ranks = facts.ranks.value_or(1);
    const auto expected = forecast(input_, facts);
    if (!expected) return;
    if (expected->trajectory_bytes > 20e9) advise_of_trajectories(expected->trajectory_bytes);
    if (expected->checkpoint_bytes > 20e9) {
      advise("output.checkpoint_interval",
             fmt::format("a checkpoint will take about {}, and two are kept",
                         byte_text(expected->checkpoint_bytes)));
    }
  }

  void advise_of_trajectories(double bytes) {
    std::vector<std::pair<std::string, std::int64_t>> intervals{
        {"output.trajectory_interval", input_.output.trajectory_interval},
        {"output.xtc_interval", input_.output.xtc_interval}};
    for (const TrajectoryRow& section : trajectory_rows()) {
      intervals.emplace_back(fmt::format("{}.interval", section.schema.name),
                             section.interval(input_));
    }
    std::erase_if(intervals, [](const auto& each) { return each.second == 0; });
    if (intervals.size() > 1) {
      advise(intervals.front().first,
             fmt::format("the trajectories will take about {}", byte_text(bytes)));
      return;
    }
    const std::int64_t frames = input_.run.steps / intervals.front().second + 1;
    advise(intervals.front().first,
           fmt::format("the trajectory will take about {}: {} frames of {}", byte_text(bytes),
                       frames, byte_text(bytes / static_cast<double>(frames))));
  }

  const Input& input_;
  const SystemFacts& facts_;
  std::vector<Diagnostic> advice_;
};

}  // namespace

SystemFacts facts_of(const Input& input) {
  SystemFacts facts;
  const auto& start = input.start;
  if (start.kind == StartKind::file) {
    if (start.box) facts.box = Box{*start.box, start.tilt_of_box()};
    return facts;
  }
  if (!(start.density > 0.0)) return facts;
  const double per_cell = sites_per_cell(start.lattice);
  if (start.kind == StartKind::lattice && start.particles == 0) {
    const double edge = std::cbrt(per_cell / start.density);
    const Vec3 box{start.cells[0] * edge, start.cells[1] * edge, start.cells[2] * edge};
    facts.particles =
        static_cast<std::int64_t>(per_cell) * start.cells[0] * start.cells[1] * start.cells[2];
    facts.box = Box{box};
  } else {
    const double edge = std::cbrt(static_cast<double>(start.particles) / start.density);
    facts.particles = start.particles;
    facts.box = Box{{edge, edge, edge}};
  }
  return facts;
}

std::vector<Diagnostic> physics_advice(const Input& input, const SystemFacts& facts) {
  return Adviser(input, facts).advise();
}

}  // namespace sterna::md
