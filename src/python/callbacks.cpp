#include "python/callbacks.hpp"

#include <nanobind/ndarray.h>

#include <cstddef>

#include "md/core/units.hpp"

namespace sterna::python {
namespace nb = nanobind;

WeakMethod::WeakMethod(const nb::object& owner, const char* method, int number)
    : owner_(nb::weakref(owner)), method_(method), number_(number) {}

WeakMethod::~WeakMethod() {
  const nb::gil_scoped_acquire held;
  owner_.reset();
}

void Observer::report(const md::Frame&) {
  simulation_.call_python([this] { method_.call(); });
}

void PythonForce::finish(md::ParticleStore& particles, md::EnergyAndVirial* sums) {
  using Rows = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
  using Tensor = nb::ndarray<const double, nb::shape<3, 3>, nb::c_contig, nb::device::cpu>;
  simulation_.call_python([&] {
    const nb::object result = method_.call();
    if (result.is_none()) return;
    const double energy_unit = 1.0 / simulation_.unit(md::Dimension::energy);
    const double force_unit = 1.0 / simulation_.unit(md::Dimension::force);
    const auto force = nb::cast<Rows>(result[1]);
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      const double* const row = force.data() + 3 * i;
      particles.force[i] += force_unit * md::Vec3{row[0], row[1], row[2]};
    }
    if (sums == nullptr) return;
    sums->energy += energy_unit * nb::cast<double>(result[0]);
    const auto virial = nb::cast<Tensor>(result[2]);
    constexpr int places[6] = {0, 4, 8, 1, 2, 5};  // xx yy zz xy xz yz
    for (int k = 0; k < 6; ++k) sums->virial[k] += energy_unit * virial.data()[places[k]];
  });
}

}  // namespace sterna::python
