#include "comm/tune/evidence_store.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "comm/context/context_implementation.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::comm {
namespace {

MachineKey key_of(const Context& context) {
  static const std::string machine = machine_name();
  return {machine, context.description(), context.size(), most_ranks_on_a_node(context)};
}

/// Prints each text once, because many exchanges find the same file broken.
void warn(const std::string& text) {
  static std::vector<std::string> said;
  if (text.empty() || std::ranges::find(said, text) != said.end()) return;
  said.push_back(text);
  std::fprintf(stderr, "sterna: warning: %s\n", text.c_str());
}

/// The reasons why files could not be written, by their paths.
std::map<std::string, std::string>& reasons_not_kept() {
  static std::map<std::string, std::string> reasons;
  return reasons;
}

/// The measurements that this context knows; read when they are first needed.
std::vector<StoredEvidence>& memory(const Context& context) {
  Context::Implementation& implementation = context.implementation();
  if (implementation.tuning_memory == nullptr) {
    const TuningOptions& options = implementation.options.tuning;
    std::string text = to_json(std::vector<StoredEvidence>{});
    if (options.reuse && context.rank() == 0) {
      std::string warning;
      auto all = MachineFile(machine_file_path(options.machine_file)).read(warning);
      warn(warning);
      const MachineKey key = key_of(context);
      std::erase_if(all, [&](const StoredEvidence& e) { return e.key != key; });
      text = to_json(all);
    }
    broadcast(context, 0, text);
    implementation.tuning_memory =
        std::make_shared<std::vector<StoredEvidence>>(evidence_from_json(text));
  }
  return *std::static_pointer_cast<std::vector<StoredEvidence>>(implementation.tuning_memory);
}

}  // namespace

int most_ranks_on_a_node(const Context& context) {
  std::vector<int> count(static_cast<std::size_t>(context.node_count()), 0);
  for (int rank = 0; rank < context.size(); ++rank) {
    ++count[static_cast<std::size_t>(context.node_of(rank))];
  }
  return std::ranges::max(count);
}

const std::vector<StoredEvidence>& stored_evidence(const Context& context) {
  return memory(context);
}

void keep_evidence(const Context& context, StoredEvidence evidence) {
  evidence.key = key_of(context);
  std::vector<StoredEvidence>& known = memory(context);
  std::erase_if(known, [&](const StoredEvidence& old) {
    return old.family == evidence.family &&
           pattern_class(old.shape) == pattern_class(evidence.shape);
  });
  known.push_back(evidence);
  if (context.rank() != 0) return;
  const std::string path = machine_file_path(context.implementation().options.tuning.machine_file);
  std::string& reason = reasons_not_kept()[path];
  // Another try would wait for the file again, so there is none.
  if (!reason.empty()) return;
  // The other ranks wait during this time, which must stay below their timeout.
  constexpr double most = 10.0;
  const double timeout = context.implementation().options.timeout.count();
  reason = MachineFile(path).add(evidence,
                                 std::chrono::duration<double>(std::min(most, 0.25 * timeout)));
  warn(reason);
}

std::string why_not_kept(const Context& context) {
  return reasons_not_kept()[machine_file_path(
      context.implementation().options.tuning.machine_file)];
}

std::string machine_file(const Context& context) {
  return machine_file_path(context.implementation().options.tuning.machine_file);
}

}  // namespace sterna::comm
