#include "comm/neighbor/method.hpp"

#include "comm/context/mpi_error.hpp"
#include "comm/neighbor/inboxes.hpp"
#include "comm/neighbor/link_requests.hpp"
#include "comm/neighbor/outboxes.hpp"

namespace sterna::comm {

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

void NeighborMethod::await_sends(LinkRequests& requests, std::uint64_t round) {
  Waiter(setting_.context)
      .wait(
          [&] {
            int done = 0;
            check_mpi(MPI_Testall(static_cast<int>(links_.size()), requests.sends(), &done,
                                  MPI_STATUSES_IGNORE),
                      setting_.exchange_name);
            return done != 0;
          },
          [&] {
            Awaited awaited{setting_.exchange_name, setting_.method_name, round, {}};
            for (std::size_t i = 0; i < links_.size(); ++i) {
              if (LinkRequests::is_active(requests.send(i))) {
                awaited.ranks.push_back(links_[i].rank);
              }
            }
            return awaited;
          });
}

std::shared_ptr<two_sided::Memory> NeighborMethod::allocate_buffers(std::uint64_t round) {
  Outboxes outboxes(links_, setting_.item_size);
  Inboxes inboxes(links_, setting_.item_size, 1);
  auto memory = std::make_shared<two_sided::Memory>(outboxes.bytes() + inboxes.bytes());
  outboxes.use(memory->data());
  inboxes.use(memory->data() + outboxes.bytes(), round);
  link_buffers_ = make_link_buffers(outboxes, inboxes);
  return memory;
}

}  // namespace sterna::comm
