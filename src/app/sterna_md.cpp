// sterna-md: the program that every rank runs. `sterna` (Python) starts it with a launcher.

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/after_run.hpp"
#include "app/command_line.hpp"
#include "app/rank_process.hpp"
#include "md/core/file_error.hpp"
#include "md/core/json.hpp"
#include "md/core/unstable_run.hpp"
#include "md/input/check_molecules.hpp"
#include "md/input/input_text.hpp"
#include "md/input/model_list.hpp"
#include "md/input/overwritten_inputs.hpp"
#include "md/input/physics_advice.hpp"
#include "md/input/read_input.hpp"
#include "md/input/reference_pages.hpp"
#include "md/input/schema_export.hpp"
#include "md/output/run_files.hpp"
#include "md/simulation/signals.hpp"
#include "md/simulation/simulation.hpp"
#include "md/simulation/thermodynamic_averages.hpp"
#include "md/start/foreign/foreign_input.hpp"
#include "md/start/foreign/ls1/start_file.hpp"
#include "md/start/readers/start_file_reader.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/environment.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/free_memory.hpp"
#include "sterna/comm/joined.hpp"
#include "sterna/comm/methods.hpp"
#include "sterna/version.hpp"

namespace {

using namespace sterna;

void print_method(const comm::MethodInfo& method, const std::string& reason) {
  fmt::print("  {:<20} {:<9} {}\n", method.name, reason.empty() ? "works" : "missing",
             method.description);
  if (!method.needs.empty()) fmt::print("  {:<20} {:<9} needs {}\n", "", "", method.needs);
  if (!method.aliases.empty()) {
    fmt::print("  {:<20} {:<9} also called {}\n", "", "", comm::joined(method.aliases, ", "));
  }
  if (!reason.empty()) fmt::print("  {:<20} {:<9} {}\n", "", "", reason);
}

/// `name`: of a method, or what the literature calls it; empty: all. Whether there are any.
bool print_methods(const comm::Context& context, const std::string& name) {
  bool any = false;
  const auto table = [&](const char* family, auto methods, auto why_unavailable) {
    std::vector<comm::MethodInfo> shown(methods.begin(), methods.end());
    if (!name.empty()) shown = comm::methods_called(methods, name);
    if (shown.empty()) return;
    if (!any) fmt::print("{}\n", context.description());
    any = true;
    fmt::print("{}\n", family);
    for (const comm::MethodInfo& method : shown) {
      print_method(method, why_unavailable(context, method.name));
    }
  };
  table("neighbor exchange (halo)", comm::neighbor_methods(),
        comm::why_neighbor_method_unavailable);
  table("sparse exchange (migration)", comm::sparse_methods(), comm::why_sparse_method_unavailable);
  return any;
}

/// What to say where no method has this name.
std::string no_such_method(const std::string& name) {
  std::vector<comm::MethodInfo> all(comm::neighbor_methods().begin(),
                                    comm::neighbor_methods().end());
  const auto sparse = comm::sparse_methods();
  all.insert(all.end(), sparse.begin(), sparse.end());
  return comm::unknown_method_message("communication", name, all);
}

std::string_view in_words(comm::BlocksInMpi blocks) {
  switch (blocks) {
    case comm::BlocksInMpi::never:
      return "no";
    case comm::BlocksInMpi::for_help:
      return "where data move only with the target's help";
    case comm::BlocksInMpi::always:
      return "yes";
  }
  return {};
}

/// For tools/write_reference_pages.py: the tables, and what a rank does in a round of an example.
void print_method_table() {
  md::Json table;
  const auto add = [&](const char* family, auto methods, auto work, double peers, double bytes) {
    for (const comm::MethodInfo& method : methods) {
      const comm::MethodTraits& traits = method.traits;
      table[family].push_back(
          {{"name", method.name},
           {"description", method.description},
           {"needs", method.needs},
           {"aliases", std::vector<std::string>(method.aliases.begin(), method.aliases.end())},
           {"traits",
            {{"blocks_in_mpi", in_words(traits.blocks_in_mpi)},
             {"names_late_rank", traits.names_late_rank},
             {"between_nodes", traits.between_nodes},
             {"one_way_takes_notice", traits.one_way_takes_notice}}},
           {"work", work(method.name, 8, peers, bytes)}});
    }
  };
  add("neighbor", comm::neighbor_methods(), comm::work_of_neighbor_method, 6, 4800);
  add("sparse", comm::sparse_methods(), comm::work_of_sparse_method, 3, 4800);
  fmt::print("{}\n", md::json_text(table, 1));
}

/// Sterna's own input, or that of another program, as the end of the name says.
md::ReadResult read_any_input(const std::string& path) {
  const md::ForeignProgram* foreign = md::foreign_program_of(path);
  return foreign != nullptr ? foreign->read(path).checked : md::read_input(path);
}

/// What of the input must be known before MPI starts. Where the file cannot be read by this rank,
/// or is wrong, the defaults: `run` says so.
comm::EnvironmentOptions start_options(const std::string& path) {
  comm::EnvironmentOptions options;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return options;
  const md::ReadResult result = read_any_input(path);
  if (!result.ok()) return options;
  options.timeout = std::chrono::duration<double>(result.input.communication.timeout);
  options.interface = result.input.communication.interface;
  return options;
}

/// Writes an input of another program as one of Sterna's.
int convert(const std::string& from, const std::string& to) {
  const md::ForeignProgram* foreign = md::foreign_program_of(from);
  if (foreign == nullptr) {
    fmt::print(stderr, "sterna-md: {} is no input of {}\n", from, md::foreign_programs());
    return bad_input;
  }
  md::ForeignInput input = foreign->read(from);
  fmt::print(stderr, "{}", md::render(input.checked.diagnostics));
  if (!input.checked.ok()) return bad_input;
  namespace files = std::filesystem;
  if (files::exists(to)) {
    fmt::print(stderr, "sterna-md: {} exists already\n", to);
    return failure;
  }
  // Paths in an input are relative to its folder.
  const files::path old_folder = files::absolute(from).parent_path();
  const files::path new_folder = files::absolute(to).parent_path();
  auto& start = input.given.section<md::Ls1StartOptions>();
  for (std::string* file : {&input.given.start.file, &start.header}) {
    if (file->empty() || files::path(*file).is_absolute()) continue;
    *file = (old_folder / *file).lexically_normal().lexically_proximate(new_folder).string();
  }
  std::ofstream out(to, std::ios::binary);
  out << fmt::format("# Converted from {} by sterna {}.\n", files::path(from).filename().string(),
                     version)
      << md::input_text(input.given);
  out.close();
  if (!out) {
    fmt::print(stderr, "sterna-md: {} cannot be written\n", to);
    return failure;
  }
  return success;
}

/// Where a run of this input writes, for a front end.
int print_outputs(const std::string& path) {
  const md::ReadResult result = read_any_input(path);
  if (!result.ok()) {
    fmt::print(stderr, "{}", md::render(result.diagnostics));
    return bad_input;
  }
  const md::Json outputs{{"directory", result.input.output.directory},
                         {"name", result.input.run.name},
                         {"report", result.input.output.report},
                         {"export", result.input.output.exports}};
  fmt::print("{}\n", md::json_text(outputs));
  return success;
}

/// Averages of columns that come from the standard input.
int print_averages() {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  try {
    fmt::print("{}\n", md::averages_of_columns(text));
  } catch (const md::Json::exception& error) {
    fmt::print(stderr, "sterna-md: --averages: {}\n", error.what());
    return bad_input;
  }
  return success;
}

/// What a rank may take, where so many may be meant for this machine.
void look_at_memory(md::SystemFacts& facts) {
  constexpr unsigned most_ranks_per_core = 64;
  const auto ranks = static_cast<unsigned>(*facts.ranks);
  if (ranks > most_ranks_per_core * std::max(1u, std::thread::hardware_concurrency())) return;
  const comm::FreeMemory node = comm::free_memory_of_node();
  const comm::FreeMemory process = comm::free_memory_of_process();
  const double share = static_cast<double>(node.bytes) / ranks;
  const auto alone = static_cast<double>(process.bytes);
  facts.memory_per_rank = std::min(share, alone);
  facts.memory_limit = alone < share ? process.limit : node.limit;
}

int check(const std::string& path, int ranks) {
  const md::ReadResult result = read_any_input(path);
  std::vector<md::Diagnostic> diagnostics = result.diagnostics;
  if (result.ok()) {
    md::SystemFacts facts = md::facts_of(result.input);
    facts.ranks = ranks;
    look_at_memory(facts);
    if (result.input.start.kind == md::StartKind::file) {
      try {
        // The whole file: what is wrong in its last line is better known now.
        const auto reader = md::StartFileReader::open(result.input);
        facts.particles = reader->header().particle_count;
        facts.box = reader->header().box;
        diagnostics.insert(diagnostics.end(), reader->header().warnings.begin(),
                           reader->header().warnings.end());
        if (auto wrong = md::wrong_particle_count(result.input, *facts.particles); !wrong.empty()) {
          diagnostics.push_back(
              md::diagnose(result.input, md::Severity::error, "molecule[0]", std::move(wrong)));
        }
        facts.particles_of_type.assign(
            std::max(result.input.types.size(), result.input.components.size()), 0);
        for (auto chunk = reader->read_chunk(100000); !chunk.empty();
             chunk = reader->read_chunk(100000)) {
          for (const md::ParticleRecord& record : chunk) {
            ++facts.particles_of_type[static_cast<std::size_t>(record.position.type)];
          }
        }
      } catch (const md::StartFileError& error) {
        diagnostics.push_back(error.diagnostic());
      }
    }
    const auto overwritten = md::overwritten_inputs(result.input);
    diagnostics.insert(diagnostics.end(), overwritten.begin(), overwritten.end());
    if (!md::has_errors(diagnostics)) {
      const auto advice = md::physics_advice(result.input, facts);
      diagnostics.insert(diagnostics.end(), advice.begin(), advice.end());
      if (const auto expected = md::forecast(result.input, facts)) {
        fmt::print("{}: {} particles on {} rank{} ({} x {} x {}), about {:.4g} MB per rank\n", path,
                   *facts.particles, ranks, ranks == 1 ? "" : "s", expected->grid[0],
                   expected->grid[1], expected->grid[2], expected->memory_per_rank / 1e6);
      }
    }
  }
  fmt::print("{}", md::render(diagnostics));
  if (md::has_errors(diagnostics)) return bad_input;
  fmt::print("{}: valid\n", path);
  return success;
}

/// Large blocks go back to the system when they are free. By itself glibc keeps blocks of up to
/// 32 MB that were freed once, and what lies between them leaves holes: a tenth of a run's memory.
void return_large_blocks() {
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

/// What was read and made at the start leaves holes between small blocks.
void return_free_memory() {
#ifdef M_MMAP_THRESHOLD
  malloc_trim(0);
#endif
}

int run(const comm::Context& world, const Arguments& arguments,
        const std::string& interface_at_start, AfterRun& after_run) {
  // One rank reads, so that all see the same text; what it finds in the input of another program
  // it hands on as the text of one of Sterna's.
  std::string text;
  std::string unreadable;
  md::ForeignInput foreign;
  const md::ForeignProgram* const program = md::foreign_program_of(arguments.input);
  if (program != nullptr) {
    if (world.rank() == 0) {
      foreign = program->read(arguments.input);
      text = md::input_text(foreign.given);
      if (!foreign.checked.ok()) unreadable = md::render(foreign.checked.diagnostics);
    }
  } else if (world.rank() == 0) {
    md::ReadResult failure;
    if (auto found = md::input_file_text(arguments.input, failure)) {
      text = std::move(*found);
    } else {
      unreadable = md::render(failure.diagnostics);
    }
  }
  comm::broadcast(world, 0, unreadable);
  if (!unreadable.empty()) {
    if (world.rank() == 0) fmt::print(stderr, "{}", unreadable);
    return bad_input;
  }
  comm::broadcast(world, 0, text);
  md::ReadResult result = md::read_input_text(
      text, arguments.input, world.rank() == 0 && program == nullptr, arguments.steps);
  std::string findings;
  if (world.rank() == 0) {
    auto diagnostics = program != nullptr ? foreign.checked.diagnostics : result.diagnostics;
    if (program != nullptr) {
      result.input.places = foreign.checked.input.places;
      // Other steps than those of the file may not go with it.
      if (arguments.steps && !result.ok()) diagnostics = result.diagnostics;
    }
    if (result.ok()) {
      md::SystemFacts facts = md::facts_of(result.input);
      facts.ranks = world.size();
      const auto advice = md::physics_advice(result.input, facts);
      diagnostics.insert(diagnostics.end(), advice.begin(), advice.end());
      const auto overwritten = md::overwritten_inputs(result.input);
      diagnostics.insert(diagnostics.end(), overwritten.begin(), overwritten.end());
    }
    fmt::print(stderr, "{}", md::render(diagnostics));
    if (md::has_errors(diagnostics)) findings = "errors";
  }
  comm::broadcast(world, 0, findings);
  if (!findings.empty()) return bad_input;

  if (world.node_count() > 1 && result.input.communication.interface != interface_at_start) {
    throw comm::Error(fmt::format(
        "rank {} could not read {} before MPI started, so it did not keep to the interface \"{}\": "
        "put the input where all nodes see it",
        world.rank(), arguments.input, result.input.communication.interface));
  }
  world.set_timeout(std::chrono::duration<double>(result.input.communication.timeout));
  world.set_tuning({.enabled = result.input.communication.tuning,
                    .machine_file = result.input.communication.machine_file});
  result.input.output.report |= arguments.report;
  if (!after_run.can_export(world, result.input.output.exports)) return failure;
  md::catch_signals();
  md::SimulationOptions options;
  options.only_runs_to_the_end = true;
  options.resume = arguments.resume;
  options.verbose = arguments.verbose;
  options.overwrite = arguments.overwrite;
  options.progress = arguments.progress == "always"  ? md::Progress::always
                     : arguments.progress == "never" ? md::Progress::never
                                                     : md::Progress::automatic;
  // These come on all ranks together, so none waits for others, and one says it for all.
  const auto ended = [&](const std::exception& error, Exit status) {
    if (world.rank() == 0) fmt::print(stderr, "sterna-md: {}\n", error.what());
    return status;
  };
  try {
    md::Simulation simulation(world, result.input, options);
    result.input = {};  // the simulation has its own, which may be large
    return_free_memory();
    const md::Input& input = simulation.input();
    const auto& output = input.output;
    const std::filesystem::path folder(output.directory);
    const std::string stem = (folder / input.run.name).lexically_normal();
    for (const std::string& format : output.exports) {
      after_run.expect_export(stem + ".h5md", stem + md::export_file_ending(format));
    }
    if (output.report) after_run.expect_report(stem + ".log.jsonl");
    return simulation.run() == md::Outcome::complete ? success : interrupted;
  } catch (const md::FileError& error) {
    return ended(error, failure);
  } catch (const md::UnstableRun& error) {
    return ended(error, failure);
  } catch (const md::StartInterrupted& stop) {
    return ended(stop, interrupted);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return_large_blocks();
  Arguments arguments;
  if (const auto status = read_command_line(argc, argv, arguments)) return *status;
  if (arguments.schema || arguments.reference) {
    fmt::print("{}",
               arguments.schema ? md::input_json_schema() + "\n" : md::input_reference_markdown());
    return success;
  }
  if (arguments.pages) {
    fmt::print("{}\n", md::json_text(md::Json(md::reference_pages())));
    return success;
  }
  if (arguments.method_table) {
    print_method_table();
    return success;
  }
  if (arguments.models || arguments.model_table) {
    fmt::print("{}", arguments.models ? md::model_list() : md::model_list_json());
    return success;
  }
  if (arguments.averages) return print_averages();
  if (arguments.input.empty() && !arguments.methods) {
    fmt::print(stderr, "sterna-md: no input file given; see sterna-md --help\n");
    return bad_input;
  }
  if (arguments.outputs) return print_outputs(arguments.input);
  if (!arguments.convert_to.empty()) return convert(arguments.input, arguments.convert_to);
  if (arguments.check) {
    return check(arguments.input, arguments.ranks > 0 ? arguments.ranks : 1);
  }

  const comm::EnvironmentOptions options = start_options(arguments.input);
  if (arguments.show_timeout) {
    fmt::print("{:g}\n", options.timeout.count());
    return success;
  }
  prepare_rank_process();
  comm::Environment environment(argc, argv, options);
  AfterRun after_run(arguments.python);
  try {
    const comm::Context world({.timeout = options.timeout});
    if (arguments.methods) {
      if (world.rank() != 0 || print_methods(world, arguments.method)) return success;
      fmt::print(stderr, "sterna-md: {}\n", no_such_method(arguments.method));
      return bad_input;
    }
    const int status = run(world, arguments, options.interface, after_run);
    md::release_signals();
    const bool written = after_run.write(world);
    return written || status != success ? status : failure;
  } catch (const std::exception& error) {
    // One rank alone may be here: the others must not wait for it.
    comm::Environment::abort(fmt::format("sterna-md: {}{}", error.what(), after_run.advice()),
                             failure);
  }
}
