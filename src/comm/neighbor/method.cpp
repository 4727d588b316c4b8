#include "comm/neighbor/method.hpp"

#include "comm/context/agreement.hpp"
#include "comm/neighbor/inboxes.hpp"
#include "comm/neighbor/outboxes.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {

void throw_on_all(const NeighborSetting& setting, const std::string& fault) {
  const std::string agreed = agree_on_reason(setting.context, fault, setting.exchange);
  if (!agreed.empty()) throw Error(setting.exchange + ": " + agreed);
}

void NeighborMethod::run_empty(std::uint64_t round) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (links_[i].send_items > 0) commit(i, 0, round);
  }
  start(round);
  finish(round);
}

MemoryNeed NeighborMethod::memory_for(std::span<const Link> links) const {
  return {.plain = sum_of_bytes(Outboxes(links, setting_.item_size).bytes(),
                                Inboxes(links, setting_.item_size, 1).bytes())};
}

std::shared_ptr<two_sided::Memory> NeighborMethod::place_boxes(std::uint64_t round) {
  Outboxes outboxes(links_, setting_.item_size);
  Inboxes inboxes(links_, setting_.item_size, 1);
  auto memory = std::make_shared<two_sided::Memory>(outboxes.bytes() + inboxes.bytes());
  outboxes.use(memory->data());
  inboxes.use(memory->data() + outboxes.bytes(), round);
  places_ = places_of(outboxes, inboxes);
  return memory;
}

}  // namespace sterna::comm
