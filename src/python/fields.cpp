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

template <class Vector>
void write(const Vector& v, double* row) {
  row[0] = v.x;
  row[1] = v.y;
  row[2] = v.z;
}

md::Vec3 wrapped(const md::ParticleStore& particles, const md::Box& box, std::size_t i,
                 md::Image& image) {
  int crossings[3] = {};
  image = particles.image[i];
  const md::Vec3 position = box.wrap(particles.position[i].vector(), crossings);
  image.x += crossings[0];
  image.y += crossings[1];
  image.z += crossings[2];
  return position;
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

void write_row(const Field& field, const md::ParticleStore& particles, const md::Box& box,
               std::size_t i, double* row) {
  md::Image image;
  if (field.name == "position") {
    write(wrapped(particles, box, i, image), row);
  } else if (field.name == "velocity") {
    write(particles.velocity[i], row);
  } else if (field.name == "force") {
    write(particles.force[i], row);
  } else if (field.name == "angular_momentum") {
    write(particles.angular_momentum[i], row);
  } else if (field.name == "torque") {
    write(particles.torque[i], row);
  } else {
    const md::Quaternion& q = particles.orientation[i];
    row[0] = q.w;
    row[1] = q.x;
    row[2] = q.y;
    row[3] = q.z;
  }
}

void write_row(const Field& field, const md::ParticleStore& particles, const md::Box& box,
               std::size_t i, std::int64_t* row) {
  if (field.name == "id") {
    *row = particles.id[i];
  } else if (field.name == "type") {
    *row = particles.position[i].type;
  } else {
    md::Image image;
    wrapped(particles, box, i, image);
    row[0] = image.x;
    row[1] = image.y;
    row[2] = image.z;
  }
}

}  // namespace sterna::python
