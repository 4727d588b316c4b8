// sterna-bench: measures the communication of this machine, one experiment a verb. Start it under
// mpiexec or srun; `sterna bench` starts it for several numbers of ranks and draws the results.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/environment.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/nearest_name.hpp"
#include "sterna/version.hpp"
#include "verb.hpp"

namespace {

using namespace sterna;

/// Exit statuses, as those of sterna-md.
enum Exit { success = 0, failure = 1, bad_input = 2 };

std::string command_line(int argc, char** argv) {
  std::string line = "sterna-bench";
  for (int i = 1; i < argc; ++i) line += fmt::format(" {}", argv[i]);
  return line;
}

/// For each argument that looks like an option and is none: what was meant.
void suggest_options(const CLI::App& command) {
  std::vector<std::string> written;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) written.push_back("--" + name);
  }
  const std::vector<std::string_view> names(written.begin(), written.end());
  for (const std::string& argument : command.remaining()) {
    if (!argument.starts_with("--")) continue;
    const std::string option = argument.substr(0, argument.find('='));
    fmt::print(stderr, "{}\n", comm::unknown_name_message("option", option, names));
  }
}

int run(const comm::Context& world, int argc, char** argv) {
  CLI::App app{
      "Measures the communication of this machine. Start it under mpiexec or srun, or "
      "with the command `sterna bench`."};
  app.set_version_flag("--version", fmt::format("sterna {}", version));
  app.require_subcommand(1);
  bench::Sampling sampling;
  std::string json_file;
  bool quiet = false;
  std::vector<std::unique_ptr<bench::Verb>> verbs;
  for (const bench::VerbRow& row : bench::verb_table()) {
    CLI::App& command = *app.add_subcommand(std::string(row.name), std::string(row.description));
    command.add_option("--seconds", sampling.seconds, "measured time of each candidate")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command.add_option("--rounds", sampling.rounds, "measured rounds, instead of --seconds")
        ->check(CLI::PositiveNumber);
    command.add_option("--blocks", sampling.blocks, "times that the candidates take turns")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command.add_option("--json", json_file, "also write the results to this file");
    command.add_flag("--quiet", quiet, "print no table");
    verbs.push_back(row.make());
    verbs.back()->add_options(command);
  }
  const std::string first = argc > 1 ? argv[1] : "-";
  if (!first.starts_with('-') &&
      std::ranges::find(bench::verb_table(), first, &bench::VerbRow::name) ==
          bench::verb_table().end()) {
    std::vector<std::string_view> names;
    for (const bench::VerbRow& row : bench::verb_table()) names.push_back(row.name);
    if (world.rank() == 0) {
      fmt::print(stderr, "sterna-bench: {}\n",
                 comm::unknown_name_message("experiment", first, names));
    }
    return bad_input;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = error.get_exit_code() == 0 ? success : bad_input;
    if (world.rank() != 0) return status;
    app.exit(error);
    const auto chosen = app.get_subcommands();
    if (status != success && !chosen.empty()) suggest_options(*chosen.front());
    return status;
  }
  for (std::size_t i = 0; i < verbs.size(); ++i) {
    const std::string name(bench::verb_table()[i].name);
    if (!app.got_subcommand(name)) continue;
    bench::Report report(world, name, command_line(argc, argv));
    verbs[i]->run(world, sampling, report);
    if (!quiet) report.print();
    if (!json_file.empty()) report.write(world, json_file);
    if (!report.faults().empty()) throw comm::Error(fmt::format("{}: {}", name, report.faults()));
  }
  return success;
}

}  // namespace

int main(int argc, char** argv) {
  comm::Environment environment(argc, argv);
  try {
    const comm::Context world;
    return run(world, argc, argv);
  } catch (const std::exception& error) {
    // One rank alone may be here: the others must not wait for it.
    comm::Environment::abort(fmt::format("sterna-bench: {}", error.what()), failure);
  }
}
