#include "python/fmm_bindings.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "python/kept.hpp"
#include "sterna/fmm.hpp"

namespace sterna::python {
namespace nb = nanobind;
using namespace nb::literals;
namespace {

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Results = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto span_of(const Array& array) {
  return std::span(array.data(), array.size());
}

class FmmSolver final : public Kept<fmm::Solver> {
 public:
  FmmSolver(const Context& context, const std::optional<fmm::Edges>& edges, double accuracy,
            int tolerance, int surroundings, int order, const std::string& exchange) {
    const nb::gil_scoped_release free;
    fmm::Options options;
    options.accuracy = accuracy;
    options.tolerance = static_cast<fmm::Tolerance>(tolerance);
    options.surroundings = static_cast<fmm::Surroundings>(surroundings);
    options.order = order;
    options.exchange = exchange;
    context_ = context.shared();
    exchange_ = edges ? std::make_unique<fmm::Solver>(*context_, *edges, options)
                      : std::make_unique<fmm::Solver>(*context_, options);
  }
  void set_box(const fmm::Edges& edges) {
    const nb::gil_scoped_release free;
    exchange().set_box(edges);
  }
  void tune(const Numbers& positions, const Numbers& charges) {
    const nb::gil_scoped_release free;
    exchange().tune(span_of(positions), span_of(charges));
  }
  std::pair<double, std::array<double, 9>> compute(const Numbers& positions, const Numbers& charges,
                                                   Results potentials, Results fields,
                                                   bool with_virial) {
    const nb::gil_scoped_release free;
    const fmm::Sums sums = exchange().compute(span_of(positions), span_of(charges),
                                              span_of(potentials), span_of(fields), with_virial);
    return {sums.energy, sums.virial};
  }
};

}  // namespace

void bind_fmm(nb::module_& module) {
  using Guard = nb::call_guard<Turn>;
  nb::class_<FmmSolver>(module, "FmmSolver")
      .def(nb::init<const Context&, const std::optional<fmm::Edges>&, double, int, int, int,
                    const std::string&>(),
           "context"_a, "edges"_a.none(), "accuracy"_a, "tolerance"_a, "surroundings"_a, "order"_a,
           "exchange"_a, Guard())
      .def("set_box", &FmmSolver::set_box, Guard())
      .def("tune", &FmmSolver::tune, Guard())
      .def("compute", &FmmSolver::compute, Guard())
      .def(
          "errors",
          [](const FmmSolver& self) {
            const fmm::Errors& e = self.exchange().errors();
            return std::array<double, 6>{e.field,          e.potential,          e.energy,
                                         e.absolute_field, e.absolute_potential, e.absolute_energy};
          },
          Guard())
      .def(
          "description", [](const FmmSolver& self) { return self.exchange().description(); },
          Guard());
}

}  // namespace sterna::python
