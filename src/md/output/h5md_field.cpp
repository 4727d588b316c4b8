#include "md/output/h5md_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

namespace sterna::md {
namespace {

using hdf5::Type;

template <class T>
void put_as(std::byte* place, std::span<const double> values) {
  for (const double value : values) {
    const T number = static_cast<T>(value);
    std::memcpy(place, &number, sizeof(T));
    place += sizeof(T);
  }
}

void put_vector(std::byte* place, const Vec3& v, Type type) {
  const double values[3] = {v.x, v.y, v.z};
  type == Type::float32 ? put_as<float>(place, values) : put_as<double>(place, values);
}

void put_quaternion(std::byte* place, const Quaternion& q, Type type) {
  const double values[4] = {q.w, q.x, q.y, q.z};
  type == Type::float32 ? put_as<float>(place, values) : put_as<double>(place, values);
}

/// Box::wrap, but a position that is not a number stays one instead of ending up in some image.
Vec3 wrap(const Box& box, const Vec3& position, int (&crossings)[3]) {
  std::fill(std::begin(crossings), std::end(crossings), 0);
  if (!std::isfinite(position.x + position.y + position.z)) return position;
  return box.wrap(position, crossings);
}

Vec3 rounded(const Vec3& position, double grid) {
  if (grid == 0.0) return position;
  return {grid * std::round(position.x / grid), grid * std::round(position.y / grid),
          grid * std::round(position.z / grid)};
}

}  // namespace

std::span<const std::string_view> h5md_field_names() {
  static constexpr std::array<std::string_view, 6> names{
      "position", "velocity", "force", "image", "orientation", "angular_momentum"};
  return names;
}

std::optional<H5mdQuantity> h5md_quantity_of(std::string_view field) {
  const auto names = h5md_field_names();
  const auto found = std::ranges::find(names, field);
  if (found == names.end()) return std::nullopt;
  return static_cast<H5mdQuantity>(found - names.begin());
}

bool needs_rotation(H5mdQuantity quantity) {
  return quantity == H5mdQuantity::orientation || quantity == H5mdQuantity::angular_momentum;
}

std::string_view h5md_unit(H5mdQuantity quantity) {
  switch (quantity) {
    case H5mdQuantity::position:
      return "nm";
    case H5mdQuantity::velocity:
      return "nm ps-1";
    case H5mdQuantity::force:
      return "kJ mol-1 nm-1";
    case H5mdQuantity::angular_momentum:
      return "u nm+2 ps-1";
    case H5mdQuantity::mass:
      return "u";
    default:
      return "";
  }
}

H5mdValues::H5mdValues(std::vector<double> type_masses, const Topology* topology, double rounding)
    : type_masses_(std::move(type_masses)), topology_(topology) {
  // Multiples of a power of two have zeros for their last bits.
  if (rounding > 0.0) grid_ = std::exp2(std::floor(std::log2(rounding)));
  if (topology_ == nullptr) return;
  for (const Topology::Molecule& molecule : topology_->molecules()) {
    std::vector<std::int32_t>& numbers = name_of_atom_.emplace_back();
    for (const Topology::Atom& atom : molecule.atoms) {
      const auto known = std::ranges::find(atom_names_, atom.name);
      numbers.push_back(static_cast<std::int32_t>(known - atom_names_.begin()));
      if (known == atom_names_.end()) atom_names_.push_back(atom.name);
    }
  }
}

void H5mdValues::put(const H5mdField& field, const Box& box, const ParticleStore& store,
                     std::uint32_t i, std::byte* place) const {
  int crossings[3];
  switch (field.quantity) {
    case H5mdQuantity::position:
      put_vector(place, rounded(wrap(box, store.position[i].vector(), crossings), grid_),
                 field.type);
      break;
    case H5mdQuantity::velocity:
      put_vector(place, store.velocity[i], field.type);
      break;
    case H5mdQuantity::force:
      put_vector(place, store.force[i], field.type);
      break;
    case H5mdQuantity::image: {
      wrap(box, store.position[i].vector(), crossings);
      const std::int32_t image[3] = {store.image[i].x + crossings[0],
                                     store.image[i].y + crossings[1],
                                     store.image[i].z + crossings[2]};
      std::memcpy(place, image, sizeof(image));
      break;
    }
    case H5mdQuantity::orientation:
      put_quaternion(place, store.orientation[i], field.type);
      break;
    case H5mdQuantity::angular_momentum:
      put_vector(place, store.angular_momentum[i], field.type);
      break;
    case H5mdQuantity::species: {
      const auto type = static_cast<std::int32_t>(store.position[i].type);
      std::memcpy(place, &type, sizeof(type));
      break;
    }
    case H5mdQuantity::id:
      std::memcpy(place, &store.id[i], sizeof(std::int64_t));
      break;
    case H5mdQuantity::mass: {
      const auto type = static_cast<std::size_t>(store.position[i].type);
      const double mass = type < type_masses_.size() ? type_masses_[type] : 1.0;
      std::memcpy(place, &mass, sizeof(mass));
      break;
    }
    case H5mdQuantity::atom_name: {
      const Topology::Place at = topology_->place_of(store.id[i]);
      std::memcpy(place, &name_of_atom_[at.molecule][static_cast<std::size_t>(at.atom)],
                  sizeof(std::int32_t));
      break;
    }
    case H5mdQuantity::molecule: {
      const std::int64_t molecule = topology_->place_of(store.id[i]).molecule_number;
      std::memcpy(place, &molecule, sizeof(molecule));
      break;
    }
  }
}

}  // namespace sterna::md
