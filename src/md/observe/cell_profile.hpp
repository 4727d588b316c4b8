#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "md/input/atom_groups.hpp"
#include "md/observe/cell_averages.hpp"
#include "md/observe/observer_table.hpp"
#include "md/observe/space_cells.hpp"

namespace sterna::md {

/// Density of each type or group, and temperature, in the cells of a division of the box.
class CellProfile final : public Observer {
 public:
  /// `name`: of the section; `title`: what the first line of the report calls it; `groups`: names of
  /// those that are counted in place of types.
  CellProfile(const std::string& name, std::int64_t interval, std::string title,
              const CellOptions& cells, const std::vector<std::string>& groups,
              const ObserverRequest& request)
      : Observer(name, interval),
        context_(request.context),
        units_(request.input.units),
        title_(std::move(title)),
        cells_(cells),
        averages_(request.names, groups_from_input(request.input, request.topology, groups), units_,
                  cells_.count()) {}

  void sample(const Frame& frame) override {
    cells_.place(context_, frame);
    for (std::size_t i = 0; i < frame.particles.local_count(); ++i) {
      const std::size_t cell = cells_.place_of(frame.particles.position[i].vector()).cell;
      if (cell < cells_.count()) averages_.add(frame, i, cell);
    }
  }

  std::span<double> sums() override { return averages_.sums(); }
  std::vector<double> common() const override { return cells_.state(); }
  void set_common(std::span<const double> values) override { cells_.set_state(values); }

  ObserverReport report(std::span<const double> all_sums) const override {
    std::string text = fmt::format("# {}, {:.0f} frames\n# {}{}\n", title_, cells_.samples(),
                                   cells_.header(units_), averages_.header());
    for (std::size_t cell = 0; cell < cells_.count(); ++cell) {
      text += cells_.row(cell, units_) + averages_.row(all_sums, cell, cells_.volume(cell)) + "\n";
    }
    return {.text = text};
  }

 protected:
  bool adds_up() const override { return true; }

 private:
  comm::Context context_;
  UnitSystem units_;
  std::string title_;
  SpaceCells cells_;
  CellAverages averages_;
};

}  // namespace sterna::md
