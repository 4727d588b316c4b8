#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/units.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::python {

/// What there is of each particle, as rows of doubles or of whole numbers.
struct Field {
  std::string_view name;
  std::size_t columns;  ///< 1: an array of one axis
  bool whole_numbers;
  md::Dimension dimension = md::Dimension::none;
  bool of_rotation = false;  ///< only there where particles rotate
};

/// Throws std::invalid_argument with the nearest name where there is no such field.
const Field& field_by_name(std::string_view name, bool rotating);

/// A row for each local particle, in internal units; positions wrapped into the box, with their
/// image.
void write_rows(const Field& field, const md::ParticleStore& particles, const md::Box& box,
                double* rows);
void write_rows(const Field& field, const md::ParticleStore& particles, const md::Box& box,
                std::int64_t* rows);

}  // namespace sterna::python
