#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "md/input/input_record.hpp"
#include "md/input/read_input.hpp"

using namespace sterna::md;

namespace {

std::string argon(std::string_view epsilon = "\"119.8 K\"", std::string_view density = "21.0",
                  std::string_view more = "") {
  return std::string("units = \"nano\"\n[run]\nsteps = 10\ntimestep = \"2 fs\"\n[start]\n") +
         "kind = \"lattice\"\ncells = [4, 4, 4]\ntemperature = 90\ndensity = " +
         std::string(density) + "\n[[type]]\nname = \"Ar\"\nmass = 39.948\nsigma = 0.3405\n" +
         "epsilon = " + std::string(epsilon) + "\n[interaction]\ncutoff = 1.0\n" +
         std::string(more);
}

InputChanges changes(const std::string& before, const std::string& now,
                     const std::string& path = "test.toml") {
  const auto read = [&](const std::string& text) {
    auto result = read_input_text(text, path);
    INFO(render(result.diagnostics));
    REQUIRE(result.ok());
    return result.input;
  };
  const Input input = read(now);
  return compare_inputs(input_record(read(before)), input_record(input), input.units);
}

bool tells(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

}  // namespace

TEST_CASE("what defines the system is told from settings, in the units of the input") {
  CHECK(changes(argon(), argon()).system.empty());
  CHECK(changes(argon(), argon()).settings.empty());
  const InputChanges other = changes(argon(), argon("\"120 K\"", "20.0"));
  CHECK(other.settings.empty());
  CHECK(other.system.size() == 2);
  CHECK(tells(other.system, "start.density: 21 1/nm^3 in the checkpoint, now 20 1/nm^3"));

  const std::string thermostat =
      "[thermostat]\nkind = \"langevin\"\ntemperature = 95\ntime_constant = \"1 ps\"\n";
  const InputChanges setting = changes(argon(), argon("\"119.8 K\"", "21.0", thermostat));
  CHECK(setting.system.empty());
  CHECK(
      tells(setting.settings, "thermostat[0].temperature: not given in the checkpoint, now 95 K"));
  CHECK(setting.other_state);
  CHECK_FALSE(setting.timestep);
  CHECK(setting.sections.contains("thermostat"));
}

TEST_CASE("output, ranks and steps leave the averages what they are") {
  const InputChanges more =
      changes(argon(), argon("\"119.8 K\"", "21.0", "[output]\nthermo_interval = 5\n"));
  CHECK(more.settings ==
        std::vector<std::string>{"output.thermo_interval: 100 in the checkpoint, now 5"});
  CHECK_FALSE(more.other_state);
}

TEST_CASE("a value that is written in another way, or is the default, is no change") {
  CHECK(changes(argon("\"1 kJ/mol\""), argon("\"1.0001 kJ/mol\"")).system.size() == 1);
  // The same energy and density, rounded by other conversions.
  CHECK(changes(argon("\"0.3 kcal/mol\""), argon("\"1.2552 kJ/mol\"")).system.empty());
  CHECK(changes(argon(), argon("\"119.8 K\"", "\"0.021 1/angstrom^3\"")).system.empty());
  CHECK(changes(argon(), argon("\"119.8 K\"", "21.0", "[output]\nthermo_interval = 100\n"))
            .settings.empty());
}

TEST_CASE("a start file is known by its content, not by its name") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("sterna-record-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const char* x) {
    std::ofstream(folder / name) << "2\n\nA 1 1 1\nA " << x << " 2 2\n";
  };
  write("a.xyz", "2");
  write("same.xyz", "2");
  write("other.xyz", "3");
  const auto text = [](const std::string& name) {
    return "[run]\nsteps = 10\ntimestep = 0.001\n[start]\nkind = \"file\"\nfile = \"" + name +
           "\"\nbox = [9, 9, 9]\n[[type]]\nname = \"A\"\n[interaction]\ncutoff = 2.5\n";
  };
  const std::string path = (folder / "test.toml").string();
  const InputChanges renamed = changes(text("a.xyz"), text("same.xyz"), path);
  CHECK(renamed.system.empty());
  CHECK_FALSE(renamed.other_state);
  CHECK(changes(text("a.xyz"), text("other.xyz"), path).system ==
        std::vector<std::string>{"the start file has another content than when the run began"});
  std::filesystem::remove_all(folder);
}
