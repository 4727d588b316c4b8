#include <algorithm>
#include <cmath>

#include "md/start/foreign/ls1/generator.hpp"

namespace sterna::md::ls1 {
namespace {

class DropletGenerator final : public Generator {
 public:
  using Generator::Generator;

 private:
  /// Makes a droplet in its vapor. Sites are the face centers of a cubic grid, three in each cell.
  /// Each site is occupied with the probability that gives the density inside or outside.
  void make_molecules() override {
    const double radius = number(generator_, "droplet/radius");
    const double inner = number(generator_, "droplet/density");
    const double outer = number(generator_, "outer-density");
    const Vec3& edges = start_.box.length;
    const double longest = std::max({edges.x, edges.y, edges.z});
    Vec3 center{0.5 * longest, 0.5 * longest, 0.5 * longest};
    if (const XmlElement* given = generator_.find("droplet/center")) {
      center = values_.vector(*given, center).value_or(center);
    }
    check();
    constexpr double overload = 1.3333;  // ratio of sites to molecules
    constexpr double displacement = 0.07;
    const double volume = longest * longest * longest;
    const double cells = std::ceil(std::cbrt(volume * overload * std::max(inner, outer) / 3.0));
    if (!(cells <= 1000.0)) generator_.fail("the droplet's grid has more than 3e9 sites");
    const double edge = longest / cells;
    const double site_density = 3.0 * cells * cells * cells / volume;
    const auto n = static_cast<std::int64_t>(cells);
    std::uint64_t site = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t k = 0; k < n; ++k) {
          for (int face = 0; face < 3; ++face) {
            ++site;
            const Vec3 place{(static_cast<double>(i) + (face == 0 ? 0.0 : 0.5)) * edge,
                             (static_cast<double>(j) + (face == 1 ? 0.0 : 0.5)) * edge,
                             (static_cast<double>(k) + (face == 2 ? 0.0 : 0.5)) * edge};
            if (place.x >= edges.x || place.y >= edges.y || place.z >= edges.z) continue;
            double squared = 0.0;
            for (int axis = 0; axis < 3; ++axis) {
              double d = place[axis] - center[axis];
              d -= std::round(d / edges[axis]) * edges[axis];
              squared += d * d;
            }
            const double density = squared > radius * radius ? outer : inner;
            if (vacancy_stream_.sequence(site, 0).uniform() > density / site_density) continue;
            RandomSequence random = displacement_stream_.sequence(site, 0);
            Placed molecule;
            molecule.position = place;
            for (int axis = 0; axis < 3; ++axis) {
              molecule.position[axis] += displacement * edge * (random.uniform() - 0.5);
            }
            equal_velocity(molecule, 3.0, config_.temperature);
            add(molecule);
          }
        }
      }
    }
  }
};

}  // namespace

std::unique_ptr<Generator> make_droplet_generator(const GeneratorConfig& config,
                                                  std::uint64_t seed) {
  return std::make_unique<DropletGenerator>(config, seed);
}

}  // namespace sterna::md::ls1
