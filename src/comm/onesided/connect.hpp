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

/// For windows that send nothing besides their handle.
struct NoNote {};

/// What a peer must know to write into a memory: a note of its owner, which may be another one for
/// each peer, and the transport's handle. Sent as bytes.
template <class Note>
std::string describe(const Note& note, const std::string& handle) {
  static_assert(std::is_trivially_copyable_v<Note>);
  return std::string(reinterpret_cast<const char*>(&note), sizeof note) + handle;
}

/// The parts of what a peer sent.
template <class Note>
std::pair<Note, std::string> note_and_handle(const std::string& description) {
  Note note;
  std::memcpy(&note, description.data(), sizeof note);
  return {note, description.substr(sizeof note)};
}

/// Connects this rank's memory with that of `ranks`; each of them must do the same. Collective over
/// the context, by messages with `tag`: what fails on one rank is an Error of all, and nobody goes
/// on before all are connected. `describe_all()` makes the memory and returns a description for
/// each of the ranks; `connect_to(i, description)` takes that of rank i's memory.
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
