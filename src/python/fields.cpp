#include "python/fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "sterna/comm/nearest_name.hpp"

namespace sterna::python {
namespace {

using md::Dimension;

constexpr std::array fields = {
    Field{"position", 3, false, Dimension::length},
    Field{"velocity", 3, false, Dimension::velocity},
    Field{"force", 3, false, Dimension::force},
    Field{"id", 1, true},
    Field{"type", 1, true},
    Field{"image", 3, true},
    Field{"orientation", 4, false, Dimension::none, true},
    Field{"angular_momentum", 3, false, Dimension::angular_momentum, true},
    Field{"torque", 3, false, Dimension::energy, true},
};

/// Calls visit(i, position, image) for each local particle, wrapped into the box.
template <class Visit>
void for_each_wrapped(const md::ParticleStore& particles, const md::Box& box, Visit&& visit) {
  const bool upright = box.tilt.none();
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const md::Vec3 place = particles.position[i].vector();
    const md::Image& image = particles.image[i];
    // Nearly all of them.
    if (upright && place.x >= 0.0 && place.y >= 0.0 && place.z >= 0.0 && place.x < box.length.x &&
        place.y < box.length.y && place.z < box.length.z) {
      visit(i, place, image);
      continue;
    }
    int crossings[3] = {};
    const md::Vec3 position = box.wrap(place, crossings);
    visit(i, position,
          md::Image{image.x + crossings[0], image.y + crossings[1], image.z + crossings[2]});
  }
}

}  // namespace

const Field& field_by_name(std::string_view name, bool rotating) {
  const auto found = std::ranges::find(fields, name, &Field::name);
  if (found != fields.end() && (rotating || !found->of_rotation)) return *found;
  std::vector<std::string_view> names;
  for (const Field& field : fields) {
    if (rotating || !field.of_rotation) names.push_back(field.name);
  }
  if (found != fields.end()) {
    throw std::invalid_argument(fmt::format(
        "no particle of this simulation rotates, so there is no \"{}\"; expected one of {}", name,
        fmt::join(names, ", ")));
  }
  throw std::invalid_argument(comm::unknown_name_message("array of particles", name, names));
}

void write_rows(const Field& field, const md::ParticleStore& particles, const md::Box& box,
                double* rows) {
  const std::size_t count = particles.local_count();
  const auto copy = [&](const md::AlignedBuffer<md::Vec3>& vectors) {
    for (std::size_t i = 0; i < count; ++i) {
      rows[3 * i] = vectors[i].x;
      rows[3 * i + 1] = vectors[i].y;
      rows[3 * i + 2] = vectors[i].z;
    }
  };
  if (field.name == "position") {
    for_each_wrapped(particles, box, [&](std::size_t i, const md::Vec3& p, const md::Image&) {
      rows[3 * i] = p.x;
      rows[3 * i + 1] = p.y;
      rows[3 * i + 2] = p.z;
    });
  } else if (field.name == "velocity") {
    copy(particles.velocity);
  } else if (field.name == "force") {
    copy(particles.force);
  } else if (field.name == "angular_momentum") {
    copy(particles.angular_momentum);
  } else if (field.name == "torque") {
    copy(particles.torque);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      const md::Quaternion& q = particles.orientation[i];
      rows[4 * i] = q.w;
      rows[4 * i + 1] = q.x;
      rows[4 * i + 2] = q.y;
      rows[4 * i + 3] = q.z;
    }
  }
}

void write_rows(const Field& field, const md::ParticleStore& particles, const md::Box& box,
                std::int64_t* rows) {
  const std::size_t count = particles.local_count();
  if (field.name == "id") {
    std::copy_n(particles.id.data(), count, rows);
  } else if (field.name == "type") {
    for (std::size_t i = 0; i < count; ++i) rows[i] = particles.position[i].type;
  } else {
    for_each_wrapped(particles, box, [&](std::size_t i, const md::Vec3&, const md::Image& image) {
      rows[3 * i] = image.x;
      rows[3 * i + 1] = image.y;
      rows[3 * i + 2] = image.z;
    });
  }
}

}  // namespace sterna::python
