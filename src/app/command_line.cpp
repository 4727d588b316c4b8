#include "app/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "md/input/input_schema.hpp"
#include "sterna/version.hpp"

namespace sterna {

// It is long because it is a table, with a row for each option.
std::optional<int> read_command_line(int argc, char** argv, Arguments& arguments) {
  CLI::App app{
      "Molecular dynamics of large systems. Start it under mpiexec or srun, or with "
      "the command `sterna run`."};
  app.set_version_flag("--version", fmt::format("sterna {}", version));
  app.add_option("INPUT", arguments.input,
                 "input file (TOML, a config.xml of ls1-MarDyn or a .mddef of MODYLAS)");
  app.add_option("--steps", arguments.steps, "the steps of the run, instead of `steps` in [run]")
      ->check(CLI::Range(std::int64_t{0}, static_cast<std::int64_t>(md::most_steps)));
  auto* const resume =
      app.add_flag("--resume", arguments.resume, "continue from the latest valid checkpoint");
  app.add_option("--from", arguments.from,
                 "of an input with stages the first to run: those before it have ended, and it "
                 "starts anew")
      ->excludes(resume);
  app.add_flag("--overwrite", arguments.overwrite,
               "start from the beginning and remove what an earlier run left, instead of keeping "
               "it as backups")
      ->excludes(resume);
  app.add_flag("--report", arguments.report,
               "at the end also write NAME.report.html, as `report = true` in [output] does");
  app.add_option("--python", arguments.python,
                 "the Python that writes the report and exports; default: that of the command "
                 "sterna beside this program, or on PATH");
  app.add_flag("--verbose", arguments.verbose,
               "at the end also say where the time went, and which exchange methods were used");
  app.add_flag("--outputs", arguments.outputs,
               "only print as JSON where a run of the input writes: directory, name, whether a "
               "report is asked for, and formats to export");
  app.add_flag("--averages", arguments.averages,
               "for front ends: read columns of a log as JSON, print their averages over the part "
               "where the run has settled, and end");
  app.add_flag("--check", arguments.check, "only say what is wrong with the input");
  app.add_option("--convert", arguments.convert_to,
                 "write an input of another program as a TOML file of this name, and end");
  app.add_option("--ranks", arguments.ranks, "ranks that --check thinks of")
      ->check(CLI::PositiveNumber);
  app.add_flag("--show-timeout", arguments.show_timeout,
               "print the timeout that the input sets, in seconds");
  app.add_flag("--schema", arguments.schema, "print the JSON Schema of the input");
  app.add_flag("--reference", arguments.reference, "print the reference page of the input");
  app.add_flag("--pages", arguments.pages,
               "print as JSON the reference pages of single potentials, thermostats and barostats");
  auto* const methods =
      app.add_option(
             "--methods", arguments.method,
             "list the exchange methods and what works here, or those with this name, which "
             "may be that of the literature")
          ->expected(0, 1);
  app.add_flag("--method-table", arguments.method_table, "print the exchange methods as JSON");
  app.add_flag("--models", arguments.models, "list the published models of molecules");
  app.add_flag("--model-table", arguments.model_table, "print the published models as JSON");
  app.add_option("--progress", arguments.progress, "auto, always (lines for a front end) or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? success : bad_input;
  }
  arguments.methods = methods->count() > 0;
  return std::nullopt;
}

}  // namespace sterna
