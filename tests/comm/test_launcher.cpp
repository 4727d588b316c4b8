#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "comm/context/launcher.hpp"

using namespace sterna::comm;

namespace {

/// An environment that holds nothing else.
Variables environment(const std::map<std::string, std::string>& variables) {
  return [&variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

using Map = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("the launcher of another MPI is refused") {
  const Map mpich{{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}};
  const Map open_mpi{{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}};
  const Map slurm{{"SLURM_PROCID", "3"}, {"SLURM_STEP_NUM_TASKS", "8"}};
  for (const Map& variables : {mpich, open_mpi, slurm}) {
    CHECK(why_not_this_launcher(1, environment(variables)).find("MPI found 1") !=
          std::string::npos);
    CHECK(why_not_this_launcher(launched_ranks(environment(variables)), environment(variables)) ==
          "");
  }
  // What is started by `srun --mpi=pmi2`.
  Map pmi2 = mpich;
  pmi2["SLURM_STEP_NUM_TASKS"] = "4";
  for (const Map& variables : {slurm, pmi2}) {
    const std::string error = why_not_this_launcher(1, environment(variables));
    CHECK(error.starts_with("sterna: error: srun started"));
    CHECK(error.find("srun --mpi=pmix") != std::string::npos);
  }
  CHECK(launched_rank(environment(slurm)) == 3);
  CHECK(launched_ranks(environment(mpich)) == 4);
}

TEST_CASE("one rank in a job of more is what its own launcher says") {
  const Map mpiexec_in_step{{"OMPI_COMM_WORLD_RANK", "0"},
                            {"OMPI_COMM_WORLD_SIZE", "1"},
                            {"SLURM_PROCID", "0"},
                            {"SLURM_STEP_NUM_TASKS", "8"}};
  const Map batch_script{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}};
  const Map one_task{{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}};
  for (const Map& variables : {mpiexec_in_step, batch_script, one_task, Map{}}) {
    CHECK(why_not_this_launcher(1, environment(variables)) == "");
  }
  CHECK(launched_rank(environment(batch_script)) == -1);
}

TEST_CASE("whether all ranks are on one node") {
  const auto one_node = [](const Map& variables) { return is_on_one_node(environment(variables)); };
  CHECK(one_node({}));
  CHECK(one_node({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}));
  CHECK(one_node({{"OMPI_COMM_WORLD_RANK", "0"},
                  {"OMPI_COMM_WORLD_SIZE", "4"},
                  {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}}));
  CHECK_FALSE(one_node({{"OMPI_COMM_WORLD_RANK", "0"},
                        {"OMPI_COMM_WORLD_SIZE", "4"},
                        {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}));
  CHECK_FALSE(one_node({{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}}));
  CHECK(one_node({{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}, {"MPI_LOCALNRANKS", "4"}}));
  CHECK_FALSE(one_node({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "8"}}));
  CHECK_FALSE(one_node(
      {{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_STEP_NUM_NODES", "2"}}));
  CHECK_FALSE(one_node({{"PMIX_RANK", "0"}}));
}
