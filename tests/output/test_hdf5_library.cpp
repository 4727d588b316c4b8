#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "md/core/file_error.hpp"
#include "md/output/hdf5_file.hpp"
#include "md/output/hdf5_library.hpp"
#include "output/output_support.hpp"

using namespace sterna::md;

namespace {

/// Sets an environment variable and restores it at the end.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Setting() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("the error without a library says what was tried and how to get one") {
  {
    const Setting given("STERNA_HDF5", "/nowhere/libhdf5.so");
    const std::string text = failure_of([] { hdf5::library(); });
    CHECK(contains(text, "pip install h5py"));
    CHECK(contains(text, "/nowhere/libhdf5.so: "));
  }
  // A library that lacks what is needed is refused, with the name of what it lacks.
  const Setting given("STERNA_HDF5", "libm.so.6");
  CHECK(contains(failure_of([] { hdf5::library(); }), "libm.so.6: H5open is not in it"));
}

TEST_CASE("the active virtual environment comes before the system") {
  const Setting none_given("STERNA_HDF5", "");
  namespace fs = std::filesystem;
  const fs::path environment = fs::temp_directory_path() / "sterna-test-environment";
  const fs::path libraries = environment / "lib/python3.11/site-packages/h5py.libs";
  fs::create_directories(libraries);
  const fs::path bundled = libraries / "libhdf5-0123abcd.so.320.0.0";
  std::ofstream(bundled) << "";
  std::ofstream(libraries / "libhdf5_hl-0123abcd.so.320.0.0") << "";
  const Setting active("VIRTUAL_ENV", environment.string());
  const auto candidates = hdf5::library_candidates();
  fs::remove_all(environment);

  const auto of_environment = std::find(candidates.begin(), candidates.end(), bundled.string());
  const auto of_system = std::find(candidates.begin(), candidates.end(), "libhdf5_serial.so.103");
  CHECK(of_environment < of_system);
  CHECK(of_system < candidates.end());
  for (const std::string& candidate : candidates) CHECK(!contains(candidate, "hdf5_hl"));
}

TEST_CASE("folders above the program and the current one are not searched") {
  const Setting none_given("STERNA_HDF5", "");
  const Setting active("VIRTUAL_ENV", ".");  // the current folder, whatever that is
  const Setting conda("CONDA_PREFIX", "");
  const Setting home("HOME", std::filesystem::current_path().string());
  namespace fs = std::filesystem;
  const fs::path program = fs::read_symlink("/proc/self/exe");
  std::vector<fs::path> planted;
  for (const fs::path& place :
       {program.parent_path(), program.parent_path().parent_path(), fs::current_path()}) {
    for (const char* prefix : {".venv", ".local", "."}) {
      const fs::path libraries = place / prefix / "lib/python3.99/site-packages/h5py.libs";
      fs::create_directories(libraries);
      std::ofstream(libraries / "libhdf5-planted.so.320.0.0") << "";
      planted.push_back(libraries.parent_path().parent_path());
    }
  }
  const auto candidates = hdf5::library_candidates();
  for (fs::path folder : planted) {
    fs::remove_all(folder);
    // Then what was made for it, as far as it is empty.
    std::error_code not_empty;
    while (fs::remove(folder = folder.parent_path(), not_empty)) {
    }
  }
  for (const std::string& candidate : candidates) {
    CAPTURE(candidate);
    CHECK(!contains(candidate, "planted"));
  }
}

TEST_CASE("errors name the file, the object and the library's reason") {
  try {
    hdf5::library();
  } catch (const FileError& error) {
    MESSAGE("skipped: ", error.what());
    return;
  }
  MESSAGE("HDF5 ", hdf5::library().version, " from ", hdf5::library().path);
  CHECK(contains(failure_of([] { hdf5::File::create("/nowhere/x.h5"); }),
                 "/nowhere/x.h5: cannot create: "));
  const std::string path =
      (std::filesystem::temp_directory_path() / "sterna-test-not-hdf5.h5").string();
  std::ofstream(path) << "this is no HDF5 file";
  CHECK(contains(failure_of([&] { hdf5::File::open(path); }), path + ": cannot open: "));
  {
    hdf5::File file = hdf5::File::create(path);
    file.make_group("a");
    CHECK(contains(failure_of([&] { file.make_group("a"); }), "cannot make the group a: "));
    CHECK(contains(failure_of([&] { file.extent("a/b"); }), "cannot open a/b: "));
    CHECK(file.exists("a"));
    CHECK(!file.exists("b/c/d"));
    file.make_dataset("a/n", hdf5::Type::int64,
                      {.extent = {3}, .maximum = {hdf5::unlimited}, .chunk = {4}});
    const std::int64_t values[3] = {1, -2, std::int64_t{1} << 60};
    const hdf5::Size first[1] = {0}, count[1] = {3};
    file.write("a/n", first, count, values);
    CHECK(file.read_integers("a/n") == std::vector<std::int64_t>{1, -2, std::int64_t{1} << 60});
    CHECK(file.has_type("a/n", hdf5::Type::int64));
    CHECK(!file.has_type("a/n", hdf5::Type::int32));
    file.close();
  }
  std::filesystem::remove(path);
}

namespace {

int turns_begun = 0, turns_ended = 0;

}  // namespace

TEST_CASE("each use of the library is one turn, whatever it calls itself") {
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("sterna-turns-{}.h5", ::getpid()))
          .string();
  hdf5::library();
  hdf5::set_turns({.begin = [] { ++turns_begun; }, .end = [] { ++turns_ended; }});
  {
    hdf5::File file = hdf5::File::create(path);
    CHECK(turns_begun == 1);
    file.make_group("/group");
    CHECK(turns_begun == 2);
    CHECK(turns_ended == 2);
    // An error ends the turn, too.
    CHECK_THROWS_AS(file.make_group("/group"), FileError);
    CHECK(turns_begun == turns_ended);
    {
      const hdf5::InUse outer;
      const int before = turns_begun;
      file.make_group("/other");
      CHECK(turns_begun == before);
      CHECK(turns_ended == before - 1);
    }
    file.close();
  }
  CHECK(turns_begun == turns_ended);
  hdf5::set_turns({});
  std::filesystem::remove(path);
}
