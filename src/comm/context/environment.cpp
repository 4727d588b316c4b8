#include "sterna/comm/environment.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <net/if.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "comm/context/call_watch.hpp"
#include "comm/context/launcher.hpp"
#include "comm/context/session_folder.hpp"
#include "comm/context/transport_settings.hpp"
#include "sterna/comm/joined.hpp"

namespace sterna::comm {
namespace {

/// MPI_Abort waits for the launcher, which may be the process that does not answer.
constexpr std::chrono::seconds abort_timeout(10);

bool mpi_is_usable() {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

std::vector<std::string> network_interfaces() {
  std::vector<std::string> names;
  if (struct if_nameindex* const all = if_nameindex(); all != nullptr) {
    for (const auto* each = all; each->if_index != 0; ++each) names.emplace_back(each->if_name);
    if_freenameindex(all);
  }
  return names;
}

}  // namespace

Environment::Environment(int& argc, char**& argv, const EnvironmentOptions& options)
    : timeout_(options.timeout),
      joined_(mpi_is_usable()),
      folder_(joined_ ? nullptr : std::make_unique<SessionFolder>()) {
  if (joined_) return;
  const int ranks = std::max(1, launched_ranks(std::getenv));
  const bool one_node = is_on_one_node(std::getenv);
  if (!one_node && !options.interface.empty() && if_nametoindex(options.interface.c_str()) == 0) {
    abort(fmt::format("sterna: error: this node has no network interface \"{}\": it has {}",
                      options.interface, joined(network_interfaces(), ", ")));
  }
  choose_transports(one_node, ranks, folder_->path(), options.interface);
  if (const int rank = launched_rank(std::getenv); rank >= 0) folder_->announce(rank, ranks);
  {
    const CollectiveCall start("start of MPI", timeout_, late_ranks);
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  }
  int found = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &found);
  const std::string refusal = why_not_this_launcher(found, std::getenv);
  if (refusal.empty()) return;
  // Only one process prints the message.
  if (launched_rank(std::getenv) == 0) std::fprintf(stderr, "%s\n", refusal.c_str());
  MPI_Finalize();
  folder_.reset();
  std::exit(1);
}

Environment::~Environment() {
  if (joined_ || !mpi_is_usable()) return;
  // MPI_Finalize would wait for all ranks, but the exception has left the others behind.
  if (std::uncaught_exceptions() > 0) abort("ended by an error that nobody caught");
  const CollectiveCall end("end of MPI", timeout_, late_ranks);
  MPI_Finalize();
}

void Environment::abort(const std::string& message, int exit_code) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::fflush(nullptr);
  if (const SessionFolder* const folder = SessionFolder::in_use()) folder->remove_files();
  if (mpi_is_usable()) {
    const CollectiveCall end("abort of MPI", abort_timeout);
    MPI_Abort(MPI_COMM_WORLD, exit_code);
  }
  std::_Exit(exit_code);
}

}  // namespace sterna::comm
