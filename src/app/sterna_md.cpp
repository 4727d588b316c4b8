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
#include "app/run_command.hpp"
#include "md/core/file_error.hpp"
#include "md/core/json.hpp"
#include "md/core/unstable_run.hpp"
#include "md/ensemble/grand_canonical_section.hpp"
#include "md/forces/bonded/input/check_molecules.hpp"
#include "md/input/input_text.hpp"
#include "md/input/model_list.hpp"
#include "md/input/overwritten_inputs.hpp"
#include "md/input/physics_advice.hpp"
#include "md/input/read_input.hpp"
#include "md/input/reference_pages.hpp"
#include "md/input/run_files.hpp"
#include "md/input/schema_export.hpp"
#include "md/input/stages.hpp"
#include "md/replicas/replica_run.hpp"
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

/// Prints the methods called `name` or, by the literature, so; all if it is empty. Returns whether
/// there are any.
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

/// The message if no method has this name.
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

/// Prints tables for tools/write_reference_pages.py: the methods, and a rank's work in a round of
/// an example.
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

/// Options that must be known before MPI starts. If this rank cannot read the file, or if it has
/// mistakes, the defaults are used, and `run` reports this.
comm::EnvironmentOptions start_options(const std::string& path) {
  comm::EnvironmentOptions options;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return options;
  const md::ReadResult result = std::move(read_any_input(path).front().read);
  if (!result.ok()) return options;
  options.timeout = comm::Seconds(result.input.communication.timeout);
  options.interface = result.input.communication.interface;
  return options;
}

/// Writes an input of another program as an input of Sterna.
int convert(const std::string& from, const std::string& to) {
  const md::ForeignProgramRow* foreign = md::foreign_program_of(from);
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
  // Paths in an input are relative to its folder, so they must be adapted to the new one.
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

md::Json outputs_of(const md::Input& input) {
  md::Json outputs{{"directory", input.output.directory},
                   {"name", input.run.name},
                   {"report", input.output.report},
                   {"export", input.output.exports}};
  if (md::has_replicas(input)) outputs["replicas"] = md::replica_count(input);
  return outputs;
}

/// Prints the output paths of an input for a front end: of the last stage, and of all stages.
int print_outputs(const std::string& path) {
  const std::vector<md::StageInput> stages = read_any_input(path);
  if (!all_are_ok(stages)) {
    for (const md::StageInput& stage : stages) {
      fmt::print(stderr, "{}", md::render(stage.read.diagnostics));
    }
    return bad_input;
  }
  md::Json outputs = outputs_of(stages.back().read.input);
  outputs["stages"] = md::Json::array();
  for (const md::StageInput& stage : stages) {
    if (stage.name.empty()) continue;
    outputs["stages"].push_back(outputs_of(stage.read.input));
    outputs["stages"].back()["stage"] = stage.name;
  }
  fmt::print("{}\n", md::json_text(outputs));
  return success;
}

/// Prints averages of columns that are read from standard input.
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

/// Sets the memory limit of a rank, if so many ranks may be meant for this machine.
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

/// Reads the whole start file, because a mistake in its last line had better be found before the
/// run.
void look_at_start_file(const md::Input& input, md::SystemFacts& facts,
                        std::vector<md::Diagnostic>& diagnostics) {
  try {
    const auto reader = md::StartFileReader::open(input);
    facts.particles = reader->header().particle_count;
    facts.box = reader->header().box;
    diagnostics.insert(diagnostics.end(), reader->header().warnings.begin(),
                       reader->header().warnings.end());
    if (auto wrong = md::wrong_particle_count(input, *facts.particles); !wrong.empty()) {
      diagnostics.push_back(
          md::diagnose(input, md::Severity::error, "molecule[0]", std::move(wrong)));
    }
    facts.particles_of_type.assign(input.types.size() + input.components.size(), 0);
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

int check(const std::string& path, int ranks) {
  const std::vector<md::StageInput> stages = read_any_input(path);
  std::vector<md::Diagnostic> diagnostics;
  for (const md::StageInput& stage : stages) {
    diagnostics.insert(diagnostics.end(), stage.read.diagnostics.begin(),
                       stage.read.diagnostics.end());
  }
  if (!md::has_errors(diagnostics)) {
    // All stages simulate the particles of the first.
    const md::Input& first = stages.front().read.input;
    md::SystemFacts facts = md::facts_of(first);
    facts.ranks = ranks_of_first_stage(stages, ranks);
    look_at_memory(facts);
    if (first.start.kind == md::StartKind::file) look_at_start_file(first, facts, diagnostics);
    for (const md::StageInput& stage : stages) {
      const auto found = findings_of_stage(stages, stage, facts, !md::has_errors(diagnostics));
      diagnostics.insert(diagnostics.end(), found.begin(), found.end());
    }
    if (!md::has_errors(diagnostics)) {
      if (const auto expected = md::forecast(first, facts)) {
        fmt::print("{}: {} particles{} on {} rank{} ({} x {} x {}), about {:.4g} MB per rank\n",
                   path, *facts.particles,
                   md::changes_numbers(first) ? " at the start, which come and go," : "",
                   *facts.ranks, *facts.ranks == 1 ? "" : "s", expected->grid[0], expected->grid[1],
                   expected->grid[2], expected->memory_per_rank / 1e6);
      }
    }
  }
  without_repetitions(diagnostics);
  fmt::print("{}", md::render(diagnostics));
  if (md::has_errors(diagnostics)) return bad_input;
  if (stages.front().name.empty()) {
    fmt::print("{}: valid\n", path);
  } else {
    std::vector<std::string> names;
    for (const md::StageInput& stage : stages) names.push_back(stage.name);
    fmt::print("{}: valid, with {} stage{}: {}\n", path, names.size(), names.size() == 1 ? "" : "s",
               comm::joined(names, ", "));
  }
  return success;
}

/// Makes free large blocks return to the system. By default glibc keeps blocks up to 32 MB after
/// they were freed once, and blocks between them leave holes of a tenth of a run's memory.
void return_large_blocks() {
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
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
    const int status = run_command(world, arguments, options.interface, after_run);
    md::release_signals();
    const bool written = after_run.write(world);
    return written || status != success ? status : failure;
  } catch (const std::exception& error) {
    // The error may have occurred on this rank only, so the others must not wait for it.
    comm::Environment::abort(fmt::format("sterna-md: {}{}", error.what(), after_run.advice()),
                             failure);
  }
}
