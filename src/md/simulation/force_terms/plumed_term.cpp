// The term of PLUMED's kernel, from an input.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "md/core/agreement.hpp"
#include "md/core/display_text.hpp"
#include "md/ensemble/state_sections.hpp"
#include "md/ensemble/states_from_input.hpp"
#include "md/forces/alchemy/input/alchemy_section.hpp"
#include "md/forces/bias/input/bias_sections.hpp"
#include "md/forces/plumed/input/plumed_options.hpp"
#include "md/forces/plumed/plumed_forces.hpp"
#include "md/input/physics_advice.hpp"
#include "md/input/sections/section.hpp"
#include "md/simulation/force_term_table.hpp"

namespace sterna::md {
namespace {

InputSection plumed_section() {
  InputSection section{
      .schema = {.name = "plumed",
                 .description =
                     "Collective variables and biases of PLUMED, by its kernel, a library that is "
                     "loaded when the run starts: [how](howto/plumed.md). It acts besides "
                     "everything else."},
      .keys = {{.name = "file",
                .target = option<&PlumedOptions::file>,
                .description = "Path of PLUMED's input, relative to the folder of the input file.",
                .need = Need::required,
                .names_file = true,
                .aliases = {"input", "plumedfile", "plumed_file", "script"}},
               {.name = "kernel",
                .target = option<&PlumedOptions::kernel>,
                .description = "Path of the library libplumedKernel.so.",
                .default_text = "what the environment variable PLUMED_KERNEL names, or where the "
                                "system finds it",
                .aliases = {"library", "plumed_kernel"}},
               {.name = "keeps_momentum",
                .target = option<&PlumedOptions::keeps_momentum>,
                .description = "Whether all forces of PLUMED add up to 0, so that the total "
                               "momentum stays as it is. It does not where a variable is the "
                               "position of an atom in space."}}};
  section.behind = "bias";
  return section;
}

PlumedStart start_from_input(const Input& input) {
  PlumedStart start;
  start.path = plumed_file_path(input);
  start.has_natural_units = input.units.is_reduced();
  if (!input.minimizes() && input.run.timestep > 0.0) start.timestep = input.run.timestep;
  if (const auto temperature = temperature_of_run(input)) {
    start.thermal_energy = input.units.boltzmann() * *temperature;
  }
  start.replica = input.section<PlumedOptions>().replica;
  return start;
}

/// What the kernel cannot do with replicas that share no communicator of MPI.
std::string problem_with_replicas(const std::string& text) {
  for (const char* const word : {"@replicas:", "WALKERS_MPI", "RANDOM_EXCHANGES"}) {
    if (text.find(word) == std::string::npos) continue;
    return fmt::format(
        "{} needs a kernel that knows of all replicas; expected an input for each replica, such as "
        "plumed.0.dat, with WALKERS_DIR where walkers share hills",
        quote(word));
  }
  return {};
}

/// Checks the inputs of all replicas.
void check_replicas(const Input& input, const Report& report) {
  const auto error = [&](std::string message) {
    report(Severity::error, "plumed.file", std::move(message));
  };
  const std::string path = plumed_file_path(input);
  if (path.find_first_of(" \t\n{}#") != std::string::npos) {
    return error(
        fmt::format("with replicas PLUMED includes its input by name, which may have "
                    "no white space, braces or #; it is {}",
                    quote_path(path)));
  }
  std::string told;
  for (std::size_t k = 0; k < count_of_replicas(input); ++k) {
    std::string problem;
    try {
      problem = problem_with_replicas(plumed_file_text(input, static_cast<int>(k)));
    } catch (const std::runtime_error& unreadable) {
      problem = unreadable.what();
    }
    if (!problem.empty() && problem != told) error(problem);
    told = std::move(problem);
  }
}

void check_plumed(Input& input, bool look_at_files, const IsGood& is_good, const Report& report) {
  const auto& options = input.section<PlumedOptions>();
  if (!options.is_used()) return;
  const auto error = [&](std::string_view place, std::string message) {
    report(Severity::error, place, std::move(message));
  };
  if (input.minimizes()) {
    return error("plumed",
                 "a minimization needs an energy that stays, but hills and moving restraints of "
                 "PLUMED change with each step; expected [plumed] in runs that move, or in the "
                 "[[stage]]s of these only, as [stage.plumed]");
  }
  if (!is_good("plumed.file") || !look_at_files) return;
  const bool has_replicas = input.section<ReplicasSection>().are_used();
  PlumedStart start = start_from_input(input);
  std::shared_ptr<const PlumedKernel> kernel;
  if (has_replicas) {
    check_replicas(input, report);
  } else {
    try {
      start.text = plumed_file_text(input, -1);
    } catch (const std::runtime_error& problem) {
      return error("plumed.file", problem.what());
    }
  }
  try {
    kernel = PlumedKernel::load(options.kernel);
  } catch (const std::runtime_error& problem) {
    return error(options.kernel.empty() ? "plumed" : "plumed.kernel", problem.what());
  }
  if (has_replicas) return;
  // PLUMED checks numbers of atoms as it reads them.
  const auto particles = facts_of(input).particles;
  if (!particles || *particles < 1 || *particles > 1'000'000'000) return;
  start.atom_count = static_cast<int>(*particles);
  try {
    if (const auto mistake = find_plumed_mistake(kernel, start)) {
      const std::string line = mistake->line > 0 ? fmt::format(":{}", mistake->line) : "";
      error("plumed.file", fmt::format("{}{}: {}", printable(start.path), line, mistake->message));
    }
  } catch (const PlumedError& problem) {
    error("plumed.file", problem.what());
  }
}

std::vector<std::string_view> citations_of_plumed(const Input& input) {
  if (!input.section<PlumedOptions>().is_used()) return {};
  return {
      "Tribello, Bonomi, Branduardi, Camilloni and Bussi, Comput. Phys. Commun. 185, 604 (2014)"};
}

std::string bibliography_of_plumed(const Input& input) {
  if (!input.section<PlumedOptions>().is_used()) return {};
  return "@article{tribello2014,\n"
         "  author = {Tribello, Gareth A. and Bonomi, Massimiliano and Branduardi, Davide and "
         "Camilloni, Carlo and Bussi, Giovanni},\n"
         "  title = {{PLUMED} 2: New feathers for an old bird},\n"
         "  journal = {Computer Physics Communications},\n"
         "  volume = {185},\n"
         "  pages = {604--613},\n"
         "  year = {2014},\n"
         "  doi = {10.1016/j.cpc.2013.09.018}\n"
         "}\n";
}

PhysicsRow plumed_physics() {
  return {.name = "plumed",
          .sentence = "collective variables and biases of PLUMED",
          .sections = {plumed_section},
          .check = check_plumed,
          .text_files = {".plumed.log"},
          .citations = citations_of_plumed,
          .bibliography = bibliography_of_plumed};
}

/// The charge of an atom, in units of the elementary charge.
std::function<double(std::int64_t, std::int64_t)> charges_of(const TermRequest& request) {
  const double unit = std::sqrt(request.input.units.coulomb());
  if (request.places) {
    return [places = request.places, unit](std::int64_t id, std::int64_t) {
      return places->topology().atom_of(id).charge / unit;
    };
  }
  std::vector<double> charges;
  for (const Component& component : request.interaction.components()) {
    double charge = 0.0;
    for (const auto& site : component.charges) charge += site.charge;
    charges.push_back(charge / unit);
  }
  return [charges = std::move(charges)](std::int64_t, std::int64_t type) {
    return charges[static_cast<std::size_t>(type)];
  };
}

std::string why_no_bias_on_energy(const Input& input) {
  if (input.time_steps.are_used()) return "of which [multiple_time_steps] leaves out some";
  if (input.section<AlchemySection>().is_used()) {
    return "but the energies of other states by [alchemy] do not know of it";
  }
  return {};
}

std::unique_ptr<ForceTerm> make_plumed(const TermRequest& request) {
  const Input& input = request.input;
  const auto& section = input.section<PlumedOptions>();
  if (!section.is_used()) return nullptr;
  PlumedForces::Options options{.kernel = section.kernel,
                                .start = start_from_input(input),
                                .keeps_momentum = section.keeps_momentum,
                                .why_no_energy = why_no_bias_on_energy(input),
                                .masses = request.interaction.masses(),
                                .charge = charges_of(request),
                                .tail = {}};
  on_first_rank(request.context,
                [&] { options.start.text = plumed_file_text(input, section.replica); });
  options.tail = [&interaction = request.interaction](std::span<const double> counts,
                                                      double volume) {
    const auto tail = interaction.tail_correction(counts, volume);
    EnergyAndVirial all;
    all.energy = tail.energy;
    for (int axis = 0; axis < 3; ++axis) all.virial[axis] = tail.virial / 3.0;
    return all;
  };
  return std::make_unique<PlumedForces>(request.context, request.box, std::move(options));
}

}  // namespace

ForceTermRow force_term::plumed() {
  return {"plumed", "collective variables and biases of PLUMED", make_plumed, plumed_physics};
}

}  // namespace sterna::md
