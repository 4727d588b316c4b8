#include "md/output/hdf5_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>

#include "md/core/file_error.hpp"
#include "md/output/hdf5_build_environment.hpp"

namespace sterna::md::hdf5 {
namespace {

namespace fs = std::filesystem;

/// The entries of a folder that begin with `prefix`, sorted by name.
std::vector<std::string> entries(const fs::path& folder, std::string_view prefix) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().starts_with(prefix))
      found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Appends the HDF5 libraries in a folder of Python packages.
void add_packages(const fs::path& packages, std::vector<std::string>& candidates) {
  for (const auto& file : entries(packages / "h5py.libs", "libhdf5-")) candidates.push_back(file);
}

/// Appends the HDF5 libraries of a Python installation or environment at `prefix`. In Conda
/// environments the library itself is in lib/.
void add_prefix(const fs::path& prefix, std::vector<std::string>& candidates) {
  std::error_code ignored;
  for (const char* lib : {"lib", "lib64"}) {
    for (const auto& python : entries(prefix / lib, "python3")) {
      add_packages(fs::path(python) / "site-packages", candidates);
    }
  }
  if (fs::exists(prefix / "conda-meta", ignored)) {
    for (const auto& file : entries(prefix / "lib", "libhdf5.so")) candidates.push_back(file);
  }
}

/// Loads a library. Returns an empty text, with `library` complete, or the reason why it is
/// unusable.
std::string load(const std::string& file, Library& library) {
  struct Close {
    void operator()(void* handle) const { ::dlclose(handle); }
  };
  std::unique_ptr<void, Close> handle(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (handle == nullptr) return ::dlerror();
  std::string missing;
  const auto find = [&](const char* name) {
    void* symbol = ::dlsym(handle.get(), name);
    if (symbol == nullptr && missing.empty()) missing = name;
    return symbol;
  };
#define STERNA_HDF5_LOAD(name, ...) \
  library.name = reinterpret_cast<decltype(library.name)>(find(#name));
  STERNA_HDF5_FUNCTIONS(STERNA_HDF5_LOAD)
#undef STERNA_HDF5_LOAD
  if (!missing.empty()) return missing + " is not in it (HDF5 1.10.5 or later is needed)";
  // Called before H5open, because otherwise the library closes files left open by a failed write at
  // exit, and fails again.
  library.H5dont_atexit();
  if (library.H5open() < 0) return "H5open failed";
#define STERNA_HDF5_LOAD(name) \
  if (const void* constant = find(#name)) library.name = *static_cast<const Handle*>(constant);
  STERNA_HDF5_CONSTANTS(STERNA_HDF5_LOAD)
#undef STERNA_HDF5_LOAD
  if (!missing.empty()) return missing + " is not in it";
  library.H5Pset_file_locking = reinterpret_cast<decltype(library.H5Pset_file_locking)>(
      ::dlsym(handle.get(), "H5Pset_file_locking"));
  unsigned major = 0, minor = 0, release = 0;
  library.H5get_libversion(&major, &minor, &release);
  library.version = fmt::format("{}.{}.{}", major, minor, release);
  library.path = file;
  // The program reports failures, so the library must not print them.
  library.H5Eset_auto2(0, nullptr, nullptr);
  static_cast<void>(handle.release());  // the library stays loaded until the process ends
  return "";
}

Turns shared_turns;
thread_local int turns_taken = 0;

}  // namespace

void set_turns(const Turns& turns) {
  shared_turns = turns;
}

InUse::Turn::Turn() {
  if (turns_taken++ == 0 && shared_turns.begin != nullptr) shared_turns.begin();
}

InUse::Turn::~Turn() {
  if (--turns_taken == 0 && shared_turns.end != nullptr) shared_turns.end();
}

std::vector<std::string> library_candidates() {
  // If STERNA_HDF5 is set, only that library is tried: falling back silently would surprise the
  // user.
  if (const std::string given = environment("STERNA_HDF5"); !given.empty()) return {given};

  std::vector<std::string> candidates;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  // Only bin/ in PREFIX is trusted; other users might write to other parents or the current folder.
  if (program.parent_path().filename() == "bin") {
    add_prefix(program.parent_path().parent_path(), candidates);
  }
  if (const char* prefix = build_environment()) add_prefix(prefix, candidates);
  for (const char* const active : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const fs::path prefix = environment(active); prefix.is_absolute()) {
      add_prefix(prefix, candidates);
    }
  }
  for (const char* name : {"libhdf5_serial.so.103", "libhdf5.so", "libhdf5.so.103",
                           "libhdf5.so.200", "libhdf5.so.310", "libhdf5.so.320"}) {
    candidates.emplace_back(name);
  }
  std::vector<std::string> unique;
  for (std::string& candidate : candidates) {
    if (std::find(unique.begin(), unique.end(), candidate) == unique.end()) {
      unique.push_back(std::move(candidate));
    }
  }
  return unique;
}

const Library& library() {
  static std::unique_ptr<const Library> loaded;
  if (loaded != nullptr) return *loaded;
  std::string tried;
  for (const std::string& candidate : library_candidates()) {
    auto found = std::make_unique<Library>();
    const std::string reason = load(candidate, *found);
    if (reason.empty()) {
      loaded = std::move(found);
      return *loaded;
    }
    tried += fmt::format("\n  {}: {}", candidate, reason);
  }
  throw FileError(fmt::format(
      "no HDF5 library was found, which the trajectory needs. Get one with `pip install h5py` in "
      "the "
      "Python environment of Sterna or the active one, or name one in the environment variable "
      "STERNA_HDF5. Tried:{}",
      tried));
}

}  // namespace sterna::md::hdf5
