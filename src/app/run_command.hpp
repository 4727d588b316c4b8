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

/// The stages of Sterna's own input, or the one input of another program, as the end of the name
/// says.
std::vector<md::StageInput> read_any_input(const std::string& path);
bool all_are_ok(const std::vector<md::StageInput>& stages);

/// What is wrong with a stage's files, and with `advice` also what its settings mean for a system of
/// these facts.
std::vector<md::Diagnostic> findings_of_stage(const std::vector<md::StageInput>& stages,
                                              const md::StageInput& stage,
                                              const md::SystemFacts& facts, bool advice);
/// Stages share most of their keys, and so what there is to say of them.
void without_repetitions(std::vector<md::Diagnostic>& diagnostics);

/// Runs an input: all its stages, or what is left of them. Collective. Returns the exit status.
int run_command(const comm::Context& world, const Arguments& arguments,
                const std::string& interface_at_start, AfterRun& after_run);

}  // namespace sterna
