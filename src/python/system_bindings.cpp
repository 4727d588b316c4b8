#include "python/system_bindings.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "md/simulation/system.hpp"

namespace sterna::python {
namespace nb = nanobind;
using namespace nb::literals;
namespace {

template <class Value, std::size_t columns>
using Rows = nb::ndarray<const Value, nb::shape<-1, columns>, nb::c_contig, nb::device::cpu>;
template <class Value>
using Numbers = nb::ndarray<const Value, nb::shape<-1>, nb::c_contig, nb::device::cpu>;

std::vector<md::Vec3> vectors(const std::optional<Rows<double, 3>>& rows) {
  std::vector<md::Vec3> vectors;
  for (std::size_t i = 0; rows && i < rows->shape(0); ++i) {
    const double* const row = rows->data() + 3 * i;
    vectors.push_back({row[0], row[1], row[2]});
  }
  return vectors;
}

md::System from_arrays(const std::array<double, 3>& length, const std::array<double, 3>& tilt,
                       const Rows<double, 3>& position, const std::optional<Numbers<int>>& type,
                       const std::optional<Rows<double, 3>>& velocity,
                       const std::optional<Numbers<std::int64_t>>& id,
                       const std::optional<Rows<double, 4>>& orientation,
                       std::optional<double> temperature) {
  md::System::Particles particles;
  particles.position = vectors(position);
  particles.velocity = vectors(velocity);
  if (type) particles.type.assign(type->data(), type->data() + type->size());
  if (id) particles.id.assign(id->data(), id->data() + id->size());
  for (std::size_t i = 0; orientation && i < orientation->shape(0); ++i) {
    const double* const q = orientation->data() + 4 * i;
    particles.orientation.push_back({q[0], q[1], q[2], q[3]});
  }
  const md::Box box{{length[0], length[1], length[2]}, {tilt[0], tilt[1], tilt[2]}};
  return md::System::from_particles(box, std::move(particles), temperature);
}

}  // namespace

void bind_system(nb::module_& module) {
  nb::class_<md::System>(module, "System")
      .def_static(
          "lattice",
          [](std::string kind, std::array<int, 3> cells, double density,
             std::optional<double> temperature) {
            return md::System::lattice({std::move(kind), cells, density, temperature});
          },
          "kind"_a, "cells"_a, "density"_a, "temperature"_a.none())
      .def_static(
          "random",
          [](std::int64_t particles, double density, std::optional<double> temperature) {
            return md::System::random({particles, density, temperature});
          },
          "particles"_a, "density"_a, "temperature"_a.none())
      .def_static("from_arrays", &from_arrays, "length"_a, "tilt"_a, "position"_a, "type"_a.none(),
                  "velocity"_a.none(), "id"_a.none(), "orientation"_a.none(),
                  "temperature"_a.none())
      .def("add_type",
           [](md::System& self, std::string name, std::optional<double> mass,
              std::optional<double> epsilon, std::optional<double> sigma, double fraction,
              double charge) {
             self.types.push_back({std::move(name), mass, epsilon, sigma, fraction, charge});
           })
      .def("input_text", &md::System::input_text);
}

}  // namespace sterna::python
