#include "comm/context/collective_objects.hpp"

#include <mpi.h>

#include <algorithm>
#include <utility>

#include "comm/context/context_implementation.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/context/waiter.hpp"

namespace sterna::comm {
namespace {

constexpr const char* end_of_exchanges = "end of exchanges";

}  // namespace

CollectiveObjects::~CollectiveObjects() {
  for (Entry& entry : objects_) {
    if (entry.object) entry.object->keep_until_exit();
  }
}

std::uint64_t CollectiveObjects::announce() {
  objects_.push_back({++last_number_, false, nullptr});
  return last_number_;
}

void CollectiveObjects::release(std::uint64_t number, std::unique_ptr<CollectiveObject> object) {
  const auto entry = std::ranges::find(objects_, number, &Entry::number);
  entry->released = true;
  entry->object = std::move(object);
}

void CollectiveObjects::end_released_by_all(Context::Implementation& context) {
  if (objects_.empty()) return;
  // The array has two values for each object: whether this rank still owns it, and its rounds here.
  std::vector<std::uint64_t> mine;
  for (const Entry& entry : objects_) {
    mine.push_back(entry.released ? 0 : 1);
    mine.push_back(entry.object ? entry.object->rounds() : 0);
  }
  std::vector<std::uint64_t> most(mine.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(mine.data(), most.data(), static_cast<int>(mine.size()), MPI_UINT64_T,
                           MPI_MAX, context.communicator, &request),
            end_of_exchanges);
  wait_for_request(context, request, end_of_exchanges, "allreduce", 0);
  std::vector<std::pair<std::unique_ptr<CollectiveObject>, std::uint64_t>> ending;
  std::vector<Entry> staying;
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    if (most[2 * i] != 0) {
      staying.push_back(std::move(objects_[i]));
    } else if (objects_[i].object) {
      ending.emplace_back(std::move(objects_[i].object), most[2 * i + 1]);
    }
  }
  objects_ = std::move(staying);
  for (std::size_t i = 0; i < ending.size(); ++i) {
    try {
      ending[i].first->end(ending[i].second);
    } catch (...) {
      for (; i < ending.size(); ++i) ending[i].first->keep_until_exit();
      throw;
    }
  }
}

}  // namespace sterna::comm
