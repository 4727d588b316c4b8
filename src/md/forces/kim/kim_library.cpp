#include "md/forces/kim/kim_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace sterna::md::kim {
namespace {

std::unique_ptr<const Library> load() {
  const char* const given = std::getenv("STERNA_KIM");
  const std::string file = given != nullptr && *given != '\0' ? given : "libkim-api.so.2";
  // Models are linked to the library, so its symbols are for all.
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr) {
    throw std::runtime_error(fmt::format(
        "the library of KIM cannot be loaded: {}. On Debian and Ubuntu: apt install libkim-api2 "
        "openkim-models; elsewhere STERNA_KIM names the file libkim-api.so.2",
        ::dlerror()));
  }
  auto loaded = std::make_unique<Library>();
  const auto find = [&](const char* name) {
    void* const symbol = ::dlsym(handle, name);
    if (symbol == nullptr) {
      throw std::runtime_error(
          fmt::format("{} has no {}; expected version 2 of the KIM API", file, name));
    }
    return symbol;
  };
#define STERNA_KIM_LOAD(name, result, parameters) \
  loaded->name = reinterpret_cast<decltype(loaded->name)>(find(#name));
  STERNA_KIM_FUNCTIONS(STERNA_KIM_LOAD)
#undef STERNA_KIM_LOAD
#define STERNA_KIM_LOAD(name) loaded->name = *static_cast<const Id*>(find(#name));
  STERNA_KIM_CONSTANTS(STERNA_KIM_LOAD)
#undef STERNA_KIM_LOAD
  // Otherwise the library writes kim.log into the working folder.
  loaded->KIM_Log_PushDefaultVerbosity(loaded->KIM_LOG_VERBOSITY_silent);
  return loaded;
}

}  // namespace

const Library& library() {
  static std::unique_ptr<const Library> loaded;
  if (loaded == nullptr) loaded = load();
  return *loaded;
}

}  // namespace sterna::md::kim
