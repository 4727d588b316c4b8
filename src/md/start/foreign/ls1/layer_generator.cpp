#include <algorithm>
#include <cmath>

#include "md/start/foreign/ls1/generator.hpp"

namespace sterna::md::ls1 {
namespace {

constexpr double most_slots = 1e9;

/// Makes two layers across y, of the first and of the second component (of the first, if there is
/// no second). Each is a grid of cells with three places on their faces, of which as many are
/// occupied as the layer's density needs.
class LayerGenerator final : public Generator {
 public:
  using Generator::Generator;

 private:
  void make_molecules() override {
    const double density = number(generator_, "layer1/density");
    const XmlElement* other = generator_.find("layer2/density");
    const double other_density =
        other != nullptr ? values_.positive(*other).value_or(density) : density;
    const double share = fraction("layer1/l1_ratio", 0.5);
    const double begin = fraction("layer1/l1_offset", 0.3);
    check();
    fill(0, begin, share, density);
    if (share < 1.0) fill(component_count() > 1 ? 1 : 0, begin + share, 1.0 - share, other_density);
  }

  double fraction(std::string_view path, double otherwise) {
    const XmlElement* element = generator_.find(path);
    if (element == nullptr) return otherwise;
    const auto value = values_.number(*element);
    if (value && !(*value >= 0.0 && *value <= 1.0)) {
      values_.error(*element, "a share of the box's y edge is a number from 0 to 1");
    }
    return value.value_or(otherwise);
  }

  /// Fills a layer. `begin` and `share` are fractions of the box's y edge.
  void fill(std::int64_t component, double begin, double share, double density) {
    const Vec3& box = start_.box.length;
    const Vec3 edges{box.x, share * box.y, box.z};
    const double wanted = std::round(edges.x * edges.y * edges.z * density);
    if (!(wanted >= 1.0)) return;
    if (!(wanted <= most_slots / 8.0)) generator_.fail("a layer has more than 1e8 molecules");
    constexpr int places = 3;  // in a cell
    const double cells = wanted / places;
    const auto at_least_one = [](double value) { return std::max(1.0, value); };
    Vec3 counts;
    counts.y = at_least_one(std::round(std::cbrt(cells * edges.y * edges.y / (edges.x * edges.z))));
    counts.x = at_least_one(std::round(std::sqrt(edges.x * cells / counts.y / edges.z)));
    counts.z = at_least_one(std::ceil(cells / counts.y / counts.x));
    double slots = places * counts.x * counts.y * counts.z;
    if (!(slots <= most_slots)) generator_.fail("the layer's grid has more than 1e9 places");
    const Vec3 cell{edges.x / counts.x, edges.y / counts.y, edges.z / counts.z};
    // The grid begins off the faces of the box, as in ls1.
    const Vec3 corner{0.1 * box.x, begin * box.y, 0.1 * box.z};
    double missing = wanted;
    for (double i = 0; i < counts.x; ++i) {
      for (double j = 0; j < counts.y; ++j) {
        for (double k = 0; k < counts.z; ++k) {
          for (int place = 0; place < places; ++place) {
            // Every choice of `wanted` places is equally likely.
            RandomSequence vacancy = vacancy_stream_.sequence(++slot_, 0);
            const bool taken = slots * vacancy.uniform() < missing;
            slots -= 1.0;
            if (!taken) continue;
            missing -= 1.0;
            add_at(component, corner + Vec3{i * cell.x, j * cell.y, k * cell.z}, cell, place);
          }
        }
      }
    }
  }

  void add_at(std::int64_t component, const Vec3& corner, const Vec3& cell, int place) {
    constexpr double displacement = 0.125;  // as a fraction of the cell's edges
    RandomSequence random = displacement_stream_.sequence(slot_, 0);
    Placed molecule;
    molecule.component = component;
    for (int axis = 0; axis < 3; ++axis) {
      const double face = axis == place ? 0.0 : 0.5;
      molecule.position[axis] =
          corner[axis] + cell[axis] * (face + displacement * (random.uniform() - 0.5));
    }
    equal_velocity(molecule, 3.0, config_.temperature);
    add(molecule);
  }

  std::uint64_t slot_ = 0;  // counts the places of both layers
};

}  // namespace

std::unique_ptr<Generator> make_layer_generator(const GeneratorConfig& config, std::uint64_t seed) {
  return std::make_unique<LayerGenerator>(config, seed);
}

}  // namespace sterna::md::ls1
