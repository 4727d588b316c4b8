#include "python/input_bindings.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "md/input/diagnostics.hpp"
#include "md/input/input_text.hpp"
#include "md/input/read_input.hpp"
#include "md/input/stages.hpp"
#include "md/simulation/simulation.hpp"
#include "md/start/foreign/foreign_input.hpp"

namespace sterna::python {
namespace nb = nanobind;
namespace {

std::string severity_name(md::Severity severity) {
  switch (severity) {
    case md::Severity::error:
      return "error";
    case md::Severity::warning:
      return "warning";
    case md::Severity::advice:
      return "advice";
  }
  return {};
}

/// The text of an input file of Sterna, or an input of another program converted to one. Throws
/// InputError.
std::string input_file_text(const std::string& path) {
  if (const md::ForeignProgramRow* foreign = md::foreign_program_of(path)) {
    md::ForeignInput input = foreign->read(path);
    if (!input.checked.ok()) throw md::InputError(std::move(input.checked.diagnostics));
    return md::input_text(input.given);
  }
  md::ReadResult failure;
  const auto text = md::input_file_text(path, failure);
  if (!text) throw md::InputError(std::move(failure.diagnostics));
  return *text;
}

/// Returns the errors and warnings of all stages, each once.
std::vector<md::Diagnostic> findings_of(const std::vector<md::StageInput>& stages) {
  std::vector<md::Diagnostic> all;
  for (const md::StageInput& stage : stages) {
    for (const md::Diagnostic& found : stage.read.diagnostics) {
      const auto is_same = [&](const md::Diagnostic& other) {
        return other.line == found.line && other.column == found.column &&
               other.message == found.message && other.file == found.file;
      };
      if (std::ranges::none_of(all, is_same)) all.push_back(found);
    }
  }
  return all;
}

std::vector<md::Diagnostic> check(const std::string& text, const std::string& name, bool from_file,
                                  bool has_stages) {
  if (has_stages) return findings_of(md::read_stages(text, name));
  return (from_file ? md::read_input_text(text, name) : md::read_program_input(text, name))
      .diagnostics;
}

/// The text of the stage of this number as an input of its own. Throws InputError where something
/// is wrong in any stage.
std::string stage_text(const std::string& text, const std::string& name, std::size_t number) {
  const std::vector<md::StageInput> stages = md::read_stages(text, name);
  std::vector<md::Diagnostic> found = findings_of(stages);
  if (md::has_errors(found)) throw md::InputError(std::move(found));
  return md::stage_text(text, name, stages.at(number));
}

}  // namespace

void bind_input(nb::module_& module) {
  nb::class_<md::Diagnostic>(module, "Diagnostic",
                             "One finding about an input, with the place that it is about.")
      .def_prop_ro("severity",
                   [](const md::Diagnostic& self) { return severity_name(self.severity); })
      .def_ro("file", &md::Diagnostic::file)
      .def_ro("line", &md::Diagnostic::line)
      .def_ro("column", &md::Diagnostic::column)
      .def_ro("length", &md::Diagnostic::length)
      .def_ro("message", &md::Diagnostic::message)
      .def_ro("source_line", &md::Diagnostic::source_line)
      .def("__getstate__",
           [](const md::Diagnostic& self) {
             return std::make_tuple(severity_name(self.severity), self.file, self.line, self.column,
                                    self.length, self.message, self.source_line,
                                    self.source_column);
           })
      .def("__setstate__",
           [](md::Diagnostic& self, const std::tuple<std::string, std::string, int, int, int,
                                                     std::string, std::string, int>& state) {
             new (&self) md::Diagnostic;
             const std::string& severity = std::get<0>(state);
             self.severity = severity == "error"     ? md::Severity::error
                             : severity == "warning" ? md::Severity::warning
                                                     : md::Severity::advice;
             std::tie(std::ignore, self.file, self.line, self.column, self.length, self.message,
                      self.source_line, self.source_column) = state;
           })
      .def("__str__", [](const md::Diagnostic& self) { return md::render(self); })
      .def("__repr__", [](const md::Diagnostic& self) {
        return "<Diagnostic " + self.file + ":" + std::to_string(self.line) + ":" +
               std::to_string(self.column) + ": " + severity_name(self.severity) + ": " +
               self.message + ">";
      });
  module.def("check", &check);
  module.def("stage_text", &stage_text);
  module.def("render", [](const std::vector<md::Diagnostic>& diagnostics) {
    return md::render(diagnostics);
  });
  module.def("input_file_text", &input_file_text);
}

}  // namespace sterna::python
