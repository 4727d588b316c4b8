#include "md/output/h5md_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "md/system/particle_fields.hpp"

namespace sterna::md {
namespace {

using hdf5::Type;

template <class Stored, class Numbers>
void put_as(std::byte* place, const Numbers& numbers) {
  for (const auto number : numbers) {
    const auto stored = static_cast<Stored>(number);
    std::memcpy(place, &stored, sizeof(stored));
    place += sizeof(stored);
  }
}

template <class Numbers>
void put_numbers(std::byte* place, const Numbers& numbers, Type type) {
  switch (type) {
    case Type::float32:
      return put_as<float>(place, numbers);
    case Type::float64:
      return put_as<double>(place, numbers);
    case Type::int32:
      return put_as<std::int32_t>(place, numbers);
    case Type::int64:
      return put_as<std::int64_t>(place, numbers);
  }
}

}  // namespace

H5mdField h5md_field(std::string_view name, std::string dataset, Type real, bool per_frame) {
  H5mdField result{H5mdQuantity::field, name, std::move(dataset), real, 1, per_frame};
  for_each_field([&](const auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if (field.name != name) return;
    result.field = field.name;
    result.components = Field::components;
    if (!Field::whole_numbers) return;
    result.type = sizeof(typename Field::StoredType) == 4 ? Type::int32 : Type::int64;
  });
  return result;
}

H5mdField h5md_field(const AddedFieldLayout& added, std::string dataset, Type real) {
  const auto components = static_cast<std::size_t>(added.components);
  return {H5mdQuantity::added, "", std::move(dataset), real, components, true};
}

void put_added(const AddedField& added, Type type, std::span<const std::uint32_t> particles,
               std::byte* place, std::size_t stride) {
  for (const std::uint32_t i : particles) {
    put_numbers(place, added.of(i), type);
    place += stride;
  }
}

std::string_view h5md_unit(const H5mdField& dataset) {
  Dimension dimension = Dimension::none;
  if (dataset.quantity == H5mdQuantity::mass) dimension = Dimension::mass;
  for_each_field([&](const auto& field) {
    if (field.name == dataset.field) dimension = field.dimension;
  });
  switch (dimension) {
    case Dimension::length:
      return "nm";
    case Dimension::velocity:
      return "nm ps-1";
    case Dimension::force:
      return "kJ mol-1 nm-1";
    case Dimension::angular_momentum:
      return "u nm+2 ps-1";
    case Dimension::mass:
      return "u";
    default:
      return "";
  }
}

H5mdValues::H5mdValues(std::vector<double> type_masses, const Topology* topology, double rounding)
    : type_masses_(std::move(type_masses)), topology_(topology) {
  // Multiples of a power of two have trailing zero bits, which compress well.
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

void H5mdValues::put(const H5mdField& dataset, const Box& box, const ParticleStore& store,
                     std::span<const std::uint32_t> particles, std::byte* place,
                     std::size_t stride) const {
  const auto put_all = [&](const auto& numbers_of) {
    for (const std::uint32_t i : particles) {
      put_numbers(place, numbers_of(i), dataset.type);
      place += stride;
    }
  };
  switch (dataset.quantity) {
    case H5mdQuantity::field:
      for_each_field([&](const auto& field) {
        using Field = std::remove_cvref_t<decltype(field)>;
        if (field.name != dataset.field) return;
        put_all([&](std::uint32_t i) {
          auto numbers = shown(field, store, box, i);
          if constexpr (Field::is_position) {
            if (grid_ > 0.0) {
              for (double& x : numbers) x = grid_ * std::round(x / grid_);
            }
          }
          return numbers;
        });
      });
      break;
    case H5mdQuantity::added:
      break;
    case H5mdQuantity::mass:
      put_all([&](std::uint32_t i) {
        const auto type = static_cast<std::size_t>(store.position[i].type);
        return std::array{type < type_masses_.size() ? type_masses_[type] : 1.0};
      });
      break;
    case H5mdQuantity::atom_name:
      put_all([&](std::uint32_t i) {
        const Topology::Place at = topology_->place_of(store.id[i]);
        return std::array{name_of_atom_[at.molecule][static_cast<std::size_t>(at.atom)]};
      });
      break;
    case H5mdQuantity::molecule:
      put_all([&](std::uint32_t i) {
        return std::array<std::int64_t, 1>{topology_->place_of(store.id[i]).molecule_number};
      });
      break;
  }
}

}  // namespace sterna::md
