#pragma once

#include <string>
#include <vector>

#include "app/after_run.hpp"
#include "app/command_line.hpp"
#include "md/input/diagnostics.hpp"
#include "md/input/physics_advice.hpp"
#include "md/input/stages.hpp"
#include "sterna/comm/context.hpp"

namespace sterna {

/// Reads the stages of an input of Sterna, or the single input of another program, by the ending of
/// the path.
std::vector<md::StageInput> read_any_input(const std::string& path);
bool all_are_ok(const std::vector<md::StageInput>& stages);

/// Mistakes about a stage's files, and with `advice` also advice on its settings for a system with
/// these facts.
std::vector<md::Diagnostic> findings_of_stage(const std::vector<md::StageInput>& stages,
                                              const md::StageInput& stage,
                                              const md::SystemFacts& facts, bool advice);
/// On how many of the ranks of a job the first stage simulates the system: where it has replicas,
/// on those of a group.
int ranks_of_first_stage(const std::vector<md::StageInput>& stages, int ranks);
/// Removes repeated diagnostics, because stages share most keys and so most findings.
void without_repetitions(std::vector<md::Diagnostic>& diagnostics);

/// Collective. Runs all stages of an input, or the stages that are left. Returns the exit status.
int run_command(const comm::Context& world, const Arguments& arguments,
                const std::string& interface_at_start, AfterRun& after_run);

}  // namespace sterna
