#include <algorithm>
#include <array>
#include <cmath>

#include "md/start/foreign/ls1/generator.hpp"

namespace sterna::md::ls1 {
namespace {

class CubicGridGenerator final : public Generator {
 public:
  using Generator::Generator;

 private:
  /// Makes the body-centered grid whose number of molecules is nearest to the wanted number.
  void make_molecules() override {
    generator_.pass_over({"specification"});  // whether density or number is given
    const XmlElement* density = generator_.find("density");
    const XmlElement* wanted_count = generator_.find("numMolecules");
    if ((density == nullptr) == (wanted_count == nullptr)) {
      generator_.fail("<generator> needs either <density> or <numMolecules>");
    }
    double wanted = 0.0;
    if (density != nullptr) {
      wanted = std::floor(values_.positive(*density).value_or(1.0) * start_.box.volume());
    } else {
      wanted = static_cast<double>(values_.integer(*wanted_count, 2, 200'000'000).value_or(2));
    }
    const XmlElement* mixture = generator_.find("binaryMixture");
    const bool binary = mixture != nullptr && values_.boolean(*mixture).value_or(false);
    if (binary && component_count() < 2) {
      values_.error(*mixture, "<binaryMixture> needs two components");
    }
    check();
    if (!(wanted <= 2e8)) generator_.fail("the grid has more than 2e8 molecules");
    const std::array<std::int64_t, 3> cells = grid_cells(wanted);
    Vec3 spacing;
    for (int axis = 0; axis < 3; ++axis) {
      spacing[axis] = start_.box.length[axis] / static_cast<double>(cells[axis]);
    }
    for (std::int64_t k = 0; k < cells[2]; ++k) {
      for (std::int64_t j = 0; j < cells[1]; ++j) {
        for (std::int64_t i = 0; i < cells[0]; ++i) {
          for (int center = 0; center < 2; ++center) {
            const double offset = center == 0 ? 0.25 : 0.75;
            Placed molecule;
            molecule.component = binary ? center : 0;
            molecule.position = {(static_cast<double>(i) + offset) * spacing.x,
                                 (static_cast<double>(j) + offset) * spacing.y,
                                 (static_cast<double>(k) + offset) * spacing.z};
            equal_velocity(molecule, 3.0, config_.temperature);
            add(molecule);
          }
        }
      }
    }
    remove_momentum();
  }

  std::array<std::int64_t, 3> grid_cells(double wanted) const {
    const double wanted_cells = std::floor(0.5 * wanted);
    std::array<std::int64_t, 3> rounded{}, best{};
    for (int axis = 0; axis < 3; ++axis) {
      const double edge = start_.box.length[axis];
      rounded[axis] = std::max<std::int64_t>(
          1, std::llround(std::cbrt(wanted_cells / start_.box.volume()) * edge));
    }
    double smallest = 1e300;
    for (std::int64_t z = -1; z <= 1; ++z) {
      for (std::int64_t y = -1; y <= 1; ++y) {
        for (std::int64_t x = -1; x <= 1; ++x) {
          const std::array<std::int64_t, 3> cells{rounded[0] + x, rounded[1] + y, rounded[2] + z};
          if (std::ranges::min(cells) < 1) continue;
          const double off =
              std::abs(2.0 * static_cast<double>(cells[0] * cells[1] * cells[2]) - wanted);
          // Among equally near grids the rounded one is preferred.
          if (off < smallest || (off == smallest && cells == rounded)) {
            smallest = off;
            best = cells;
          }
        }
      }
    }
    return best;
  }
};

}  // namespace

std::unique_ptr<Generator> make_cubic_grid_generator(const GeneratorConfig& config,
                                                     std::uint64_t seed) {
  return std::make_unique<CubicGridGenerator>(config, seed);
}

}  // namespace sterna::md::ls1
