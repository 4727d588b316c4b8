#include <algorithm>
#include <cmath>

#include "md/start/foreign/ls1/generator.hpp"

namespace sterna::md::ls1 {
namespace {

/// Places molecules of the first component at random in each of ls1's linked cells. They may
/// overlap.
class CellGenerator final : public Generator {
 public:
  using Generator::Generator;

 private:
  void make_molecules() override {
    std::int64_t per_cell = 0;
    if (const XmlElement* element = values_.require(generator_, "numMoleculesPerCell")) {
      per_cell = values_.integer(*element, 0, 1'000'000).value_or(0);
    }
    temperature_ = number(generator_, "initTemperature");
    bool at_least_two = true;
    if (const XmlElement* element = generator_.find("generateAtLeastTwoParticles")) {
      at_least_two = values_.boolean(*element).value_or(true);
    }
    check();
    const Vec3& box = start_.box.length;
    if (per_cell == 0) {
      for (int n = 0; at_least_two && n < 2; ++n) add_in({}, box);
    } else {
      if (!(config_.cutoff > 0.0)) generator_.fail("PerCellGenerator needs a cutoff in <cutoffs>");
      Vec3 cells;
      for (int axis = 0; axis < 3; ++axis) {
        cells[axis] = std::max(
            1.0, std::floor(box[axis] / config_.cutoff * static_cast<double>(config_.cells)));
      }
      if (!(cells.x * cells.y * cells.z * static_cast<double>(per_cell) <= 2e8)) {
        generator_.fail("the cells have more than 2e8 molecules");
      }
      const Vec3 edges{box.x / cells.x, box.y / cells.y, box.z / cells.z};
      for (double i = 0; i < cells.x; ++i) {
        for (double j = 0; j < cells.y; ++j) {
          for (double k = 0; k < cells.z; ++k) {
            for (std::int64_t n = 0; n < per_cell; ++n) {
              add_in({i * edges.x, j * edges.y, k * edges.z}, edges);
            }
          }
        }
      }
    }
    if (!start_.molecules.empty()) remove_momentum();
  }

  void add_in(const Vec3& corner, const Vec3& edges) {
    RandomSequence random = random_of_next(displacement_stream_);
    Placed molecule;
    for (int axis = 0; axis < 3; ++axis) {
      molecule.position[axis] = corner[axis] + edges[axis] * random.uniform();
    }
    equal_velocity(molecule, 3.0, temperature_);
    add(molecule);
  }

  double temperature_ = 0.0;
};

}  // namespace

std::unique_ptr<Generator> make_cell_generator(const GeneratorConfig& config, std::uint64_t seed) {
  return std::make_unique<CellGenerator>(config, seed);
}

}  // namespace sterna::md::ls1
