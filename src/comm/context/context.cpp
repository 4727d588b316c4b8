#include "sterna/comm/context.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "comm/context/agreement.hpp"
#include "comm/context/call_watch.hpp"
#include "comm/context/clock.hpp"
#include "comm/context/context_implementation.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/context/session_folder.hpp"
#include "comm/context/transport_probe.hpp"
#include "comm/context/versions.hpp"
#include "comm/context/waiter.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

namespace {

/// Open MPI 5 prints a warning for each window that UCX cannot serve, even if another component
/// does. The setting that stops it is made when this library is loaded, because programs that start
/// MPI themselves start it before they call anything here.
[[gnu::constructor]] void silence_windows() {
  setenv("OMPI_MCA_osc_ucx_verbose", "-1", 0);
}

}  // namespace

// ------------------------------------------------------------------------- implementation

Context::Implementation::Implementation(MPI_Comm owned, ContextOptions given)
    : communicator(owned), options(given) {
  if (communicator == MPI_COMM_NULL) return;
  const CollectiveCall call("start of a context", options.timeout, late_ranks);
  MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &size);
  int* highest = nullptr;
  int known = 0;
  MPI_Comm_get_attr(communicator, MPI_TAG_UB, &highest, &known);
  if (known != 0) highest_tag_ = *highest;
  find_nodes();
}

bool Context::Implementation::mpi_has_ended() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  return finalized != 0;
}

bool Context::Implementation::can_wait() const {
  return !failed && std::uncaught_exceptions() == 0 && !mpi_has_ended();
}

Context::Implementation::~Implementation() {
  one_call_exchanges.clear();  // their objects are ended below, by all ranks
  if (communicator == MPI_COMM_NULL || mpi_has_ended() || failed) return;
  if ((rdma_in_use || !collective_objects.empty()) && std::uncaught_exceptions() == 0) {
    try {
      collective_objects.end_released_by_all(*this);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Ibarrier(communicator, &request);
      wait_for_request(*this, request, "end of the context", "barrier", 0);
    } catch (const Error&) {
      return;  // a rank is gone; the next object that needs it reports that
    }
  }
  // A message of an exchange that another rank has abandoned may be left. Then the communicator is
  // not freed, because MPICH would end the program.
  int unreceived = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator, &unreceived, MPI_STATUS_IGNORE);
  if (unreceived != 0) return;
  const CollectiveCall call("end of a context", options.timeout,
                            [this] { return stopped_ranks(*this); });
  MPI_Comm_free(&communicator);
}

namespace {

/// The variable STERNA_RANKS_PER_NODE=2 divides each real node into nodes of two ranks, so that
/// communication between nodes can be tested on one machine.
void split_for_tests(MPI_Comm& node) {
  const char* const ranks_per_node = std::getenv("STERNA_RANKS_PER_NODE");
  const int wanted = ranks_per_node == nullptr ? 0 : std::atoi(ranks_per_node);
  if (wanted < 1) return;
  int rank = 0;
  MPI_Comm_rank(node, &rank);
  MPI_Comm part = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(node, rank / wanted, rank, &part), "STERNA_RANKS_PER_NODE");
  MPI_Comm_free(&node);
  node = part;
}

}  // namespace

void Context::Implementation::find_nodes() {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node),
            "finding the ranks of this node");
  // A launcher may have bound each rank to a core of its own, so only all masks together say how
  // many cores the node has.
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  MPI_Allreduce(MPI_IN_PLACE, &allowed, sizeof allowed, MPI_BYTE, MPI_BOR, node);
  const int cores = CPU_COUNT(&allowed);
  int ranks_here = 0;
  MPI_Comm_size(node, &ranks_here);
  if (ranks_here > cores) {
    // A simulated rank has a core of its own, whatever machine simulates it, so its waits do not
    // sleep.
    shares_cores = !simulated;
    polls_of_memory = 0;
    polls_of_messages = 20;
  }
  split_for_tests(node);
  MPI_Comm_size(node, &ranks_here);
  ranks_on_node.resize(static_cast<std::size_t>(ranks_here));
  MPI_Allgather(&rank, 1, MPI_INT, ranks_on_node.data(), 1, MPI_INT, node);
  const Process self = Process::self();
  processes_on_node.resize(ranks_on_node.size());
  MPI_Allgather(&self, sizeof self, MPI_BYTE, processes_on_node.data(), sizeof self, MPI_BYTE,
                node);
  const std::string why_no_shm = why_no_shared_memory(node);
  MPI_Comm_free(&node);

  // A node is identified by its lowest rank; numbering nodes in that order needs no further
  // message.
  const int leader = ranks_on_node.front();
  std::vector<int> leader_of(static_cast<std::size_t>(size));
  MPI_Allgather(&leader, 1, MPI_INT, leader_of.data(), 1, MPI_INT, communicator);
  node_of.resize(leader_of.size());
  for (int other = 0; other < size; ++other) {
    const auto i = static_cast<std::size_t>(other);
    node_of[i] =
        leader_of[i] == other ? node_count++ : node_of[static_cast<std::size_t>(leader_of[i])];
  }
  find_transports(why_no_shm);
}

void Context::Implementation::find_transports(const std::string& why_no_shm) {
  for (const auto& [name, why_not] : probe_transports(node_count, why_no_shm)) {
    const std::string reason = agree_on_reason(*this, why_not, name);
    transports.push_back({name, reason.empty(), reason});
  }
}

int Context::Implementation::reserve_tags(int count) {
  if (next_tag_ > highest_tag_ - count) next_tag_ = 0;
  const int first = next_tag_;
  next_tag_ += count;
  return first;
}

void Context::Implementation::keep_until_exit(std::shared_ptr<void> memory) {
  static auto* const kept = new std::vector<std::shared_ptr<void>>;  // reachable, but never freed
  kept->push_back(std::move(memory));
}

// --------------------------------------------------------------------------------- context

namespace {

MPI_Comm duplicate(MPI_Comm communicator, const ContextOptions& options) {
  const CollectiveCall call("start of a context", options.timeout, late_ranks);
  MPI_Comm copy = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(communicator, &copy), "duplicating the communicator");
  return copy;
}

}  // namespace

Context::Context(ContextOptions options)
    : Context(std::make_shared<Implementation>(duplicate(MPI_COMM_WORLD, options), options)) {}

Context::Context(std::shared_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

Context Context::Implementation::unowned(const Context& context) {
  return Context(
      std::shared_ptr<Implementation>(std::shared_ptr<void>(), &context.implementation()));
}

MPI_Comm communicator_at(const void* address) {
  if (address == nullptr) throw Error("making a context: no communicator is given");
  for (const MPI_Comm predefined : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    // If MPI_Comm is a pointer, compilers accept a communicator as the address of one. So the
    // address is compared with the predefined communicators.
    std::uintptr_t handle = 0;
    std::memcpy(&handle, &predefined, std::min(sizeof handle, sizeof predefined));
    if (reinterpret_cast<std::uintptr_t>(address) == handle) {
      throw Error("making a context: a MPI_Comm itself is given, expected its address");
    }
  }
  return *static_cast<const MPI_Comm*>(address);
}

Context Context::from_communicator(const void* mpi_communicator, ContextOptions options) {
  int started = 0;
  MPI_Initialized(&started);
  if (started == 0 || Implementation::mpi_has_ended()) {
    throw Error("making a context: MPI does not run");
  }
  const MPI_Comm original = communicator_at(mpi_communicator);
  if (original == MPI_COMM_NULL) {
    throw Error("making a context: the communicator is MPI_COMM_NULL");
  }
  return Context(std::make_shared<Implementation>(duplicate(original, options), options));
}

int Context::rank() const {
  return implementation_->rank;
}
int Context::size() const {
  return implementation_->size;
}
int Context::node_of(int rank) const {
  return implementation_->node_of.at(static_cast<std::size_t>(rank));
}
int Context::node_count() const {
  return implementation_->node_count;
}
std::span<const int> Context::ranks_on_node() const {
  return implementation_->ranks_on_node;
}
bool Context::valid() const {
  return implementation_->communicator != MPI_COMM_NULL;
}

void Context::set_timeout(Seconds timeout) const {
  implementation_->options.timeout = timeout;
}

double Context::processor_seconds_waited() const {
  return implementation_->processor_seconds_waited;
}

void Context::set_tuning(const TuningOptions& tuning) const {
  implementation_->options.tuning = tuning;
}

Context Context::split(int color) const {
  MPI_Comm part = MPI_COMM_NULL;
  const CollectiveCall call("splitting the context", implementation_->options.timeout,
                            [this] { return stopped_ranks(*implementation_); });
  check_mpi(MPI_Comm_split(implementation_->communicator, color < 0 ? MPI_UNDEFINED : color,
                           implementation_->rank, &part),
            "splitting the context");
  Context result(std::make_shared<Implementation>(part, implementation_->options));
  result.implementation_->idle_hook = implementation_->idle_hook;
  return result;
}

std::string Context::description() const {
  const std::string ucx = ucx_version();
  return ucx.empty() ? mpi_version() : fmt::format("{}, {}", mpi_version(), ucx);
}

std::span<const Context::Transport> Context::transports() const {
  return implementation_->transports;
}

void Context::on_idle(std::function<void()> hook) const {
  implementation_->idle_hook = std::move(hook);
}

}  // namespace sterna::comm
