#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "comm/context/agreement.hpp"
#include "comm/context/context_implementation.hpp"
#include "comm/transport/two_sided/handshake.hpp"

namespace sterna::comm {

/// The note of windows that send only their handle.
struct NoNote {};

/// The data that a peer needs to write into a memory: a note of its owner, which may differ between
/// peers, and the transport's handle. They are sent as bytes.
template <class Note>
std::string describe(const Note& note, const std::string& handle) {
  static_assert(std::is_trivially_copyable_v<Note>);
  return std::string(reinterpret_cast<const char*>(&note), sizeof note) + handle;
}

/// Returns the parts of a peer's description.
template <class Note>
std::pair<Note, std::string> note_and_handle(const std::string& description) {
  Note note;
  std::memcpy(&note, description.data(), sizeof note);
  return {note, description.substr(sizeof note)};
}

/// Connects this rank's memory with that of `ranks`; each of them must do the same. Collective over
/// the context, by messages with `tag`. A failure on one rank is an Error on all, and no rank goes
/// on before all are connected. `describe_all()` makes the memory and returns a description for
/// each of the ranks; `connect_to(i, description)` takes the description of rank i's memory.
template <class DescribeAll, class ConnectTo>
void connect(Context::Implementation& context, std::string_view exchange_name, int tag,
             std::span<const int> ranks, DescribeAll&& describe_all, ConnectTo&& connect_to) {
  std::vector<std::string> outgoing;
  on_all_ranks(context, exchange_name, [&] { outgoing = describe_all(); });
  const std::vector<std::string> incoming = handshake(context, exchange_name, tag, ranks, outgoing);
  on_all_ranks(context, exchange_name, [&] {
    for (std::size_t i = 0; i < incoming.size(); ++i) connect_to(i, incoming[i]);
  });
}

}  // namespace sterna::comm
