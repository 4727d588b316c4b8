// `sterna._core`: the engine's part of the Python package. Names, units, defaults and advice for
// users are in the package; this module has what only C++ can do.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>

#include "md/input/read_input.hpp"
#include "md/output/checkpoint_file.hpp"
#include "python/comm_bindings.hpp"
#include "python/exceptions.hpp"
#include "python/fmm_bindings.hpp"
#include "python/hdf5_turns.hpp"
#include "python/input_bindings.hpp"
#include "python/job.hpp"
#include "python/models.hpp"
#include "python/simulation.hpp"
#include "python/system_bindings.hpp"
#include "python/view.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sterna::python {
namespace {

/// A `Turn` as a Python context manager, for operations that consist of several calls.
class PythonTurn {
 public:
  explicit PythonTurn(std::string call) : call_(std::move(call)) {}
  void enter() { turn_.emplace(call_); }
  void exit() { turn_.reset(); }

 private:
  std::string call_;
  std::optional<Turn> turn_;
};

void bind_job(nb::module_& module) {
  module.def("place", [] {
    const Job::Place place = Job::of_process().place();
    return std::pair(place.rank, place.ranks);
  });
  module.def(
      "world",
      [] {
        const nb::gil_scoped_release free;
        const auto world = Job::of_process().world();
        return std::pair(world->rank(), world->size());
      },
      nb::call_guard<Turn>());
  module.def("end", [] { Job::of_process().end(); });
  module.def("abort", [](const std::string& message) { comm::Environment::abort(message); });
  nb::class_<PythonTurn>(module, "Turn")
      .def(nb::init<std::string>(), "call"_a)
      .def("__enter__", &PythonTurn::enter)
      .def("__exit__", [](PythonTurn& self, nb::args) { self.exit(); });
}

nb::dict terms_of(const Simulation& simulation) {
  nb::dict terms;
  const double unit = simulation.unit(md::Dimension::energy);
  for (const auto& term : simulation.engine().last_state().terms) {
    terms[term.name.c_str()] = nb::make_tuple(term.energy * unit, term.virial * unit);
    for (const auto& part : term.parts) {
      terms[part.name.c_str()] = nb::make_tuple(
          part.energy * unit, part.virial ? nb::cast(*part.virial * unit) : nb::none());
    }
  }
  return terms;
}

nb::tuple box_of(const Simulation& simulation) {
  const md::Box& box = simulation.engine().box();
  const double unit = simulation.unit(md::Dimension::length);
  return nb::make_tuple(
      nb::make_tuple(box.length.x * unit, box.length.y * unit, box.length.z * unit),
      nb::make_tuple(box.tilt.xy * unit, box.tilt.xz * unit, box.tilt.yz * unit));
}

std::array<double, 6> virial_tensor(const Simulation& simulation) {
  const double unit = simulation.unit(md::Dimension::energy);
  const nb::gil_scoped_release free;
  std::array<double, 6> tensor = simulation.engine().virial_tensor();
  for (double& value : tensor) value *= unit;
  return tensor;
}

double energy(Simulation& simulation, std::size_t state) {
  const double unit = simulation.unit(md::Dimension::energy);
  const nb::gil_scoped_release free;
  return simulation.engine().energy(state) * unit;
}

using Guard = nb::call_guard<Turn>;

// It is long because it is a table, with a row for each member that Python sees.
void bind_simulation(nb::module_& module) {
  nb::class_<Simulation>(module, "Simulation")
      .def(
          "__init__",
          [](Simulation* self, std::string text, std::string name, bool from_file,
             const md::System* system, std::uintptr_t communicator, bool files, bool resume,
             bool overwrite, std::string checkpoint) {
            SimulationRequest request;
            request.text = std::move(text);
            request.name = std::move(name);
            request.from_file = from_file;
            request.communicator = communicator;
            request.files = files;
            request.resume = resume;
            request.overwrite = overwrite;
            request.checkpoint = std::move(checkpoint);
            new (self) Simulation(request, system);
          },
          "text"_a, "name"_a, "from_file"_a, "system"_a.none(), "communicator"_a, "files"_a,
          "resume"_a, "overwrite"_a, "checkpoint"_a, Guard())
      .def(
          "changed",
          [](Simulation& self, std::string text, std::string name, bool from_file,
             std::optional<std::array<double, 6>> box, bool stretches) {
            SimulationRequest request;
            request.text = std::move(text);
            request.name = std::move(name);
            request.from_file = from_file;
            request.box = box;
            request.stretches = stretches;
            return std::make_unique<Simulation>(request, self);
          },
          "text"_a, "name"_a, "from_file"_a, "box"_a.none(), "stretches"_a, Guard())
      .def("set_progress", &Simulation::set_progress, "callback"_a.none(), Guard())
      .def("compare_call", &Simulation::compare_call, "call"_a, Guard())
      .def("run", &Simulation::run, Guard())
      .def("measure", &Simulation::measure, Guard())
      .def("energy", energy, Guard())
      .def_prop_ro(
          "state_count", [](const Simulation& self) { return self.engine().state_count(); },
          Guard())
      .def("steps_of", &Simulation::steps_of, Guard())
      .def("gather", &Simulation::gather, "name"_a, "root"_a.none(), Guard())
      .def("set", &Simulation::set, Guard())
      .def("add_particle_field", &Simulation::add_particle_field, Guard())
      .def("set_local", &Simulation::set_local, Guard())
      .def_prop_ro(
          "particle_fields",
          [](const Simulation& self) {
            nb::dict components;
            for (const md::AddedFieldLayout& layout : self.engine().particle_fields().layouts()) {
              components[layout.name.c_str()] = layout.components;
            }
            return components;
          },
          Guard())
      .def("save", &Simulation::save, Guard())
      .def("finish", &Simulation::finish, Guard())
      .def_prop_ro("report_path", &Simulation::report_path, Guard())
      .def_prop_ro("export_paths", &Simulation::export_paths, Guard())
      .def_prop_ro("closed", &Simulation::closed, Guard())
      .def("local", &Simulation::local, Guard())
      .def("observe", &Simulation::observe, "interval"_a, "at"_a, "needs_state"_a, "owner"_a,
           "number"_a, Guard())
      .def("add_force", &Simulation::add_force, Guard())
      .def("add_model", &Simulation::add_model, Guard())
      .def("reduce", &Simulation::reduce, Guard())
      .def_prop_ro(
          "thermo_interval",
          [](const Simulation& self) { return self.engine().input().output.thermo_interval; },
          Guard())
      .def_prop_ro(
          "changes_volume",
          [](const Simulation& self) { return self.engine().input().barostat.is_used(); }, Guard())
      .def(
          "close",
          [](Simulation& self) {
            const nb::gil_scoped_release free;
            self.close();
          },
          Guard())
      .def_prop_ro(
          "rank", [](const Simulation& self) { return self.engine(), self.context().rank(); },
          Guard())
      .def_prop_ro(
          "ranks", [](const Simulation& self) { return self.engine(), self.context().size(); },
          Guard())
      .def_prop_ro(
          "step", [](const Simulation& self) { return self.engine().step_number(); }, Guard())
      .def_prop_ro(
          "time",
          [](const Simulation& self) {
            return self.engine().time() * self.unit(md::Dimension::time);
          },
          Guard())
      .def_prop_ro("box", box_of, Guard())
      .def_prop_ro(
          "local_count",
          [](const Simulation& self) { return self.engine().particles().local_count(); }, Guard())
      .def_prop_ro(
          "checkpoint_path",
          [](const Simulation& self) {
            return md::checkpoint_path(md::output_stem(self.engine().input()));
          },
          Guard())
      .def_prop_ro(
          "particle_count", [](const Simulation& self) { return self.engine().particle_count(); },
          Guard())
      .def_prop_ro(
          "type_names", [](const Simulation& self) { return self.engine().type_names(); }, Guard())
      .def_prop_ro(
          "units",
          [](const Simulation& self) { return std::string(self.engine().input().units.name()); },
          Guard())
      .def(
          "take_warnings", [](Simulation& self) { return self.engine().take_warnings(); }, Guard())
      .def_prop_ro(
          "values", [](const Simulation& self) { return self.engine().last_values(); }, Guard())
      .def_prop_ro("terms", terms_of, Guard())
      .def("virial_tensor", virial_tensor, Guard());
}

void bind_view(nb::module_& module) {
  nb::class_<View>(module, "View")
      .def(nb::init<nb::object, std::set<std::string>>(), "owner"_a, "writable"_a, Guard())
      .def("array", &View::array, Guard())
      .def("end", &View::end, Guard());
}

}  // namespace
}  // namespace sterna::python

NB_MODULE(_core, module) {
  sterna::python::take_turns_with_h5py();
  sterna::python::register_exceptions();
  sterna::python::bind_job(module);
  sterna::python::bind_input(module);
  sterna::python::bind_system(module);
  sterna::python::bind_simulation(module);
  sterna::python::bind_view(module);
  sterna::python::bind_models(module);
  sterna::python::bind_comm(module);
  sterna::python::bind_fmm(module);
}
