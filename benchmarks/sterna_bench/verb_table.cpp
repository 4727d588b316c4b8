#include "verb.hpp"

namespace sterna::bench {

std::unique_ptr<Verb> make_neighbor();
std::unique_ptr<Verb> make_placement();
std::unique_ptr<Verb> make_reduce();
std::unique_ptr<Verb> make_sparse();
#if !defined(STERNA_SIMULATED) && !defined(STERNA_WITHOUT_ENGINE)
std::unique_ptr<Verb> make_fmm();
std::unique_ptr<Verb> make_kernels();
#endif
#ifndef STERNA_SIMULATED  // those of time on a real machine
std::unique_ptr<Verb> make_direct_put();
std::unique_ptr<Verb> make_halo_fmm();
std::unique_ptr<Verb> make_message();
std::unique_ptr<Verb> make_soak();
std::unique_ptr<Verb> make_tune();
std::unique_ptr<Verb> make_tune_check();
#endif

namespace {

const VerbRow rows[] = {
    {"neighbor", "adjacent exchange: every method on a ring or a three-dimensional grid",
     make_neighbor},
    {"sparse", "migrating particles: every method, receivers do not know their senders",
     make_sparse},
    {"reduce", "one agglomerated reduction against one allreduce for each value", make_reduce},
    {"placement", "bytes between nodes and hop-bytes of every placement of ranks", make_placement},
#ifndef STERNA_SIMULATED
    {"direct_put", "ghosts put where kernels read them, against the outbox of the halo exchange",
     make_direct_put},
    {"halo_fmm", "the multipole halo of three levels: MPI messages against puts with notices",
     make_halo_fmm},
#ifndef STERNA_WITHOUT_ENGINE
    {"fmm", "electrostatics by the fast multipole method: time per charge at measured errors",
     make_fmm},
    {"kernels", "inner loops of forces on one core: cycles for a vector of pairs", make_kernels},
#endif
    {"message", "one array between two ranks: copied, lent, given away, posted, persistent",
     make_message},
    {"soak", "ten million rounds of every method: does memory grow, does a round stall", make_soak},
    {"tune", "measures a grid of patterns and writes the machine file that later runs start from",
     make_tune},
    {"tune-check", "holds the methods that the tuner chooses against the best ones",
     make_tune_check},
#endif
};

}  // namespace

void add_methods_option(CLI::App& command, std::vector<std::string>& methods,
                        std::span<const comm::MethodInfo> table) {
  methods.clear();
  for (const comm::MethodInfo& method : table) methods.emplace_back(method.name);
  command.add_option("--methods", methods, "only these")
      ->delimiter(',')
      ->check(CLI::IsMember(methods))
      ->default_str("every method");
}

std::span<const VerbRow> verb_table() {
  return rows;
}

}  // namespace sterna::bench
