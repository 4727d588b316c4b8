#include "comm/context/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace sterna::comm {
namespace {

/// The variables by which a launcher describes the job to a process.
struct Launcher {
  const char* name;
  const char* rank;
  const char* ranks;
  const char* ranks_here;  ///< null if the launcher does not tell
  const char* nodes;       ///< null if the launcher does not tell
};

/// The innermost launcher comes first: mpiexec inside a job of Slurm sets its own variables beside
/// Slurm's. A batch script and a shell of salloc have SLURM_PROCID, too, but only a step has the
/// number of its tasks.
constexpr std::array launchers = {
    Launcher{"Open MPI's mpiexec", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
             "OMPI_COMM_WORLD_LOCAL_SIZE", nullptr},
    Launcher{"mpiexec of MPICH, Intel MPI or Cray", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS",
             nullptr},
    Launcher{"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", nullptr, "SLURM_STEP_NUM_NODES"},
};

/// Returns the variable's number; -1 if it is missing or no number.
int number(const Variables& variables, const char* name) {
  const char* const text = name == nullptr ? nullptr : variables(name);
  if (text == nullptr || *text < '0' || *text > '9') return -1;
  return std::atoi(text);
}

const Launcher* find_launcher(const Variables& variables) {
  const auto found = std::ranges::find_if(launchers, [&](const Launcher& launcher) {
    return number(variables, launcher.rank) >= 0 && number(variables, launcher.ranks) > 0;
  });
  return found == launchers.end() ? nullptr : &*found;
}

}  // namespace

bool is_on_one_node(const Variables& variables) {
  const Launcher* const launcher = find_launcher(variables);
  if (launcher == nullptr) {
    // Other launchers tell only that they have started the process.
    return std::ranges::none_of(std::array{"PMIX_RANK", "PALS_RANKID", "SLURM_STEP_NUM_TASKS"},
                                [&](const char* name) { return variables(name) != nullptr; });
  }
  if (launcher->nodes != nullptr) return number(variables, launcher->nodes) == 1;
  return number(variables, launcher->ranks_here) == number(variables, launcher->ranks);
}

std::string why_not_this_launcher(int ranks, const Variables& variables) {
  const Launcher* const launcher = find_launcher(variables);
  if (launcher == nullptr || ranks > 1) return {};
  const int announced = number(variables, launcher->ranks);
  if (announced <= ranks) return {};
  // srun starts ranks for MPICH's kind of MPI with the variables of MPICH's mpiexec.
  const bool by_srun = number(variables, "SLURM_STEP_NUM_TASKS") > 0;
  return fmt::format(
      "sterna: error: {} started {} ranks ({}={}), but MPI found {}: it is the launcher of another "
      "MPI, and each process would run the whole job over the others' files. {} (`sterna version` "
      "shows it), or, to run one process on purpose, unset {}.",
      by_srun ? "srun" : launcher->name, announced, launcher->ranks, announced, ranks,
      by_srun ? "Use srun --mpi=pmix if Sterna was built with Open MPI, --mpi=pmi2 if with MPICH"
              : "Use the launcher of the MPI that Sterna was built with",
      launcher->ranks);
}

int launched_rank(const Variables& variables) {
  const Launcher* const launcher = find_launcher(variables);
  return launcher == nullptr ? -1 : number(variables, launcher->rank);
}

int launched_ranks(const Variables& variables) {
  const Launcher* const launcher = find_launcher(variables);
  return launcher == nullptr ? 0 : number(variables, launcher->ranks);
}

}  // namespace sterna::comm
