#include "python/exceptions.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <exception>

#include "md/core/file_error.hpp"
#include "md/core/unstable_run.hpp"
#include "md/simulation/simulation.hpp"
#include "python/simulation.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::python {
namespace nb = nanobind;
namespace {

void set_error(const char* name, const nb::object& error) {
  PyErr_SetObject(nb::module_::import_("sterna.errors").attr(name).ptr(), error.ptr());
}

void set_error(const char* name, const std::exception& error) {
  const nb::object type = nb::module_::import_("sterna.errors").attr(name);
  set_error(name, type(error.what()));
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const md::InputError& error) {
    const nb::object type = nb::module_::import_("sterna.errors").attr("InputError");
    set_error("InputError", type(error.what(), nb::cast(error.diagnostics())));
  } catch (const RemoteError& error) {
    set_error("RemoteError", error);
  } catch (const md::UnstableRun& error) {
    set_error("UnstableRun", error);
  } catch (const md::FileError& error) {
    set_error("SternaError", error);
  } catch (const comm::Error& error) {
    set_error("SternaError", error);
  }
}

}  // namespace

void register_exceptions() {
  nb::register_exception_translator(translate);
}

}  // namespace sterna::python
