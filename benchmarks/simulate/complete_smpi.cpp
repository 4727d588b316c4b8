// What SimGrid's SMPI (3.32) lacks for `sterna::comm`, by the profiling interface of MPI: functions
// that are found before those of SimGrid and call these by their names with P.
// - A poll that finds nothing lets time pass, otherwise it would find nothing for ever. SMPI's own
//   way to do so waits longer after each failure of any rank.
// - Matched probes, which it does not have.
// - The test of several requests together: SMPI completes those that it can, without their status.
// - The test of a window's exposure epoch: it waits for its end instead, since it has only that.
// - Persistent requests, with which it loses messages: here each start makes an ordinary one. Their
//   handles are not its own, so it may not be asked for their status either.
// - Non-blocking collectives, which it makes of one message from each rank to each other or to one
//   (quadratic in the ranks): here the blocking ones, by the algorithms of Open MPI. None of the
//   methods computes between the start of one and its end.
#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

/// A poll takes this long, seconds.
constexpr double poll_time = 1e-7;
/// In long waits polls are this part of the time waited so far apart: what comes is seen late by
/// less than that.
constexpr double part_of_wait = 0.01;

/// A message that a probe has found. It is received at once, so that no other probe finds it, into
/// memory of its own until it is told its place.
struct Matched {
  std::vector<std::byte> bytes;
  MPI_Request request = MPI_REQUEST_NULL;
  void* place = nullptr;
};

/// What a persistent request was made from, and the ordinary one that carries it since its start.
struct Persistent {
  std::function<int(MPI_Request*)> start;
  MPI_Request active = MPI_REQUEST_NULL;
};

/// What is kept for each rank: all are in this process.
struct Rank {
  double last_progress = 0.0;  ///< when it last saw something happen
  /// Messages that were told their place and have not arrived. Handles of different ranks may be
  /// the same: SMPI uses the memory of completed ones again.
  std::unordered_map<MPI_Request, std::unique_ptr<Matched>> under_way;
  /// By handle, which is the address.
  std::unordered_map<MPI_Request, std::unique_ptr<Persistent>> persistent;
  /// Of ordinary requests that were complete when others of a test of all were not; by handle,
  /// which is the address.
  std::unordered_map<MPI_Request, std::unique_ptr<MPI_Status>> kept;
};

Rank& this_rank() {
  static std::unordered_map<aid_t, Rank> ranks;
  return ranks[sg_actor_self_get_pid()];
}

void note_poll(bool found) {
  Rank& rank = this_rank();
  const double now = simgrid_get_clock();
  if (found) {
    rank.last_progress = now;
  } else {
    sg_actor_sleep_for(std::max(poll_time, part_of_wait * (now - rank.last_progress)));
  }
}

void deliver(MPI_Request request) {
  auto& under_way = this_rank().under_way;
  const auto found = under_way.find(request);
  if (found == under_way.end()) return;
  const Matched& message = *found->second;
  std::memcpy(message.place, message.bytes.data(), message.bytes.size());
  under_way.erase(found);
}

/// Null: an ordinary request.
Persistent* find_persistent(MPI_Request request) {
  const auto& persistent = this_rank().persistent;
  const auto found = persistent.find(request);
  return found == persistent.end() ? nullptr : found->second.get();
}

bool is_active(MPI_Request request) {
  const Persistent* const persistent = find_persistent(request);
  return (persistent != nullptr ? persistent->active : request) != MPI_REQUEST_NULL;
}

int test(MPI_Request* request, int* done, MPI_Status* status) {
  if (Persistent* const persistent = find_persistent(*request)) {
    return PMPI_Test(&persistent->active, done, status);
  }
  auto& kept = this_rank().kept;
  const MPI_Request before = *request;
  if (const auto found = kept.find(before); found != kept.end()) {
    if (status != MPI_STATUS_IGNORE) *status = *found->second;
    kept.erase(found);
    *request = MPI_REQUEST_NULL;
    *done = 1;
    return MPI_SUCCESS;
  }
  const int code = PMPI_Test(request, done, status);
  if (*done != 0) deliver(before);
  return code;
}

/// Tests all that are active; the indices of those that complete, or MPI_UNDEFINED where none is.
int test_some(int count, MPI_Request* requests, int* completed, int* indices,
              MPI_Status* statuses) {
  bool any_active = false;
  int code = MPI_SUCCESS;
  *completed = 0;
  for (int i = 0; i < count && code == MPI_SUCCESS; ++i) {
    if (!is_active(requests[i])) continue;
    any_active = true;
    int done = 0;
    MPI_Status* const status =
        statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + *completed;
    code = test(requests + i, &done, status);
    if (done != 0) indices[(*completed)++] = i;
  }
  if (!any_active) *completed = MPI_UNDEFINED;
  return code;
}

int make_persistent(MPI_Request* request, std::function<int(MPI_Request*)> start) {
  auto persistent = std::make_unique<Persistent>(Persistent{std::move(start)});
  *request = reinterpret_cast<MPI_Request>(persistent.get());
  this_rank().persistent[*request] = std::move(persistent);
  return MPI_SUCCESS;
}

/// The handle of a collective that was complete when the call returned, until it is tested.
char completed_mark;
const MPI_Request completed_collective = reinterpret_cast<MPI_Request>(&completed_mark);

int completed(int code, MPI_Request* request) {
  *request = completed_collective;
  return code;
}

}  // namespace

extern "C" {

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  const MPI_Request before = *request;
  if (before == completed_collective) *request = MPI_REQUEST_NULL;
  *done = *request == MPI_REQUEST_NULL;  // SMPI says so only where a status is asked for
  const int code = *done != 0 ? MPI_SUCCESS : test(request, done, status);
  note_poll(*done != 0);
  return code;
}

int MPI_Testsome(int count, MPI_Request* requests, int* completed, int* indices,
                 MPI_Status* statuses) {
  const int code = test_some(count, requests, completed, indices, statuses);
  note_poll(*completed != 0);
  return code;
}

int MPI_Testall(int count, MPI_Request* requests, int* done, MPI_Status* statuses) {
  auto& kept = this_rank().kept;
  int code = MPI_SUCCESS;
  *done = 1;
  for (int i = 0; i < count && code == MPI_SUCCESS; ++i) {
    if (!is_active(requests[i]) || kept.contains(requests[i])) continue;
    auto status = std::make_unique<MPI_Status>();
    int one_done = 0;
    code = test(requests + i, &one_done, status.get());
    if (one_done == 0) {
      *done = 0;
    } else if (requests[i] == MPI_REQUEST_NULL) {
      requests[i] = reinterpret_cast<MPI_Request>(status.get());
      kept[requests[i]] = std::move(status);
    }
  }
  for (int i = 0; i < count && *done != 0 && code == MPI_SUCCESS; ++i) {
    int one_done = 0;
    if (!kept.contains(requests[i])) continue;
    code = test(requests + i, &one_done,
                statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + i);
  }
  note_poll(*done != 0);
  return code;
}

int MPI_Send_init(const void* data, int count, MPI_Datatype type, int target, int tag,
                  MPI_Comm communicator, MPI_Request* request) {
  return make_persistent(request, [=](MPI_Request* active) {
    return PMPI_Isend(data, count, type, target, tag, communicator, active);
  });
}

int MPI_Ssend_init(const void* data, int count, MPI_Datatype type, int target, int tag,
                   MPI_Comm communicator, MPI_Request* request) {
  return make_persistent(request, [=](MPI_Request* active) {
    return PMPI_Issend(data, count, type, target, tag, communicator, active);
  });
}

int MPI_Recv_init(void* data, int count, MPI_Datatype type, int source, int tag,
                  MPI_Comm communicator, MPI_Request* request) {
  return make_persistent(request, [=](MPI_Request* active) {
    return PMPI_Irecv(data, count, type, source, tag, communicator, active);
  });
}

int MPI_Start(MPI_Request* request) {
  Persistent* const persistent = find_persistent(*request);
  return persistent->start(&persistent->active);
}

int MPI_Request_free(MPI_Request* request) {
  if (this_rank().persistent.erase(*request) == 0) return PMPI_Request_free(request);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int MPI_Request_get_status(MPI_Request request, int* done, MPI_Status* status) {
  const Persistent* const persistent = find_persistent(request);
  const MPI_Request active = persistent != nullptr ? persistent->active : request;
  *done = active == MPI_REQUEST_NULL || active == completed_collective ||
          this_rank().kept.contains(active);
  return *done != 0 ? MPI_SUCCESS : PMPI_Request_get_status(active, done, status);
}

int MPI_Win_test(MPI_Win window, int* done) {
  *done = 1;
  return PMPI_Win_wait(window);
}

int MPI_Iprobe(int source, int tag, MPI_Comm communicator, int* found, MPI_Status* status) {
  const int code = PMPI_Iprobe(source, tag, communicator, found, status);
  note_poll(*found != 0);
  return code;
}

int MPI_Improbe(int source, int tag, MPI_Comm communicator, int* found, MPI_Message* message,
                MPI_Status* status) {
  if (const int code = MPI_Iprobe(source, tag, communicator, found, status); code != MPI_SUCCESS) {
    return code;
  }
  if (*found == 0) return MPI_SUCCESS;
  int bytes = 0;
  PMPI_Get_count(status, MPI_BYTE, &bytes);
  auto matched = std::make_unique<Matched>();
  matched->bytes.resize(static_cast<std::size_t>(bytes));
  const int code = PMPI_Irecv(matched->bytes.data(), bytes, MPI_BYTE, status->MPI_SOURCE,
                              status->MPI_TAG, communicator, &matched->request);
  *message = matched.release();
  return code;
}

int MPI_Imrecv(void* place, int, MPI_Datatype, MPI_Message* message, MPI_Request* request) {
  std::unique_ptr<Matched> matched(static_cast<Matched*>(*message));
  *message = MPI_MESSAGE_NULL;
  matched->place = place;
  *request = matched->request;
  this_rank().under_way[*request] = std::move(matched);
  return MPI_SUCCESS;
}

int MPI_Mrecv(void* place, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Imrecv(place, count, type, message, &request);
  int done = 0;
  int code = MPI_SUCCESS;
  while (code == MPI_SUCCESS && done == 0) code = MPI_Test(&request, &done, status);
  return code;
}

/// Of the predefined types, and of types made of bytes.
int MPI_Get_elements_x(MPI_Status* status, MPI_Datatype type, MPI_Count* elements) {
  int bytes = 0;
  int size = 1;
  PMPI_Get_count(status, MPI_BYTE, &bytes);
  const int code = PMPI_Type_size(type, &size);
  *elements = bytes / std::max(1, size);
  return code;
}

int MPI_Ibarrier(MPI_Comm communicator, MPI_Request* request) {
  return completed(PMPI_Barrier(communicator), request);
}

int MPI_Iallreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op operation,
                   MPI_Comm communicator, MPI_Request* request) {
  return completed(PMPI_Allreduce(mine, all, count, type, operation, communicator), request);
}

int MPI_Ireduce_scatter_block(const void* mine, void* result, int count, MPI_Datatype type,
                              MPI_Op operation, MPI_Comm communicator, MPI_Request* request) {
  return completed(PMPI_Reduce_scatter_block(mine, result, count, type, operation, communicator),
                   request);
}

int MPI_Iallgather(const void* mine, int count, MPI_Datatype type, void* all, int count_of_each,
                   MPI_Datatype type_of_all, MPI_Comm communicator, MPI_Request* request) {
  return completed(PMPI_Allgather(mine, count, type, all, count_of_each, type_of_all, communicator),
                   request);
}

int MPI_Igather(const void* mine, int count, MPI_Datatype type, void* all, int count_of_each,
                MPI_Datatype type_of_all, int root, MPI_Comm communicator, MPI_Request* request) {
  return completed(
      PMPI_Gather(mine, count, type, all, count_of_each, type_of_all, root, communicator), request);
}

int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm communicator,
               MPI_Request* request) {
  return completed(PMPI_Bcast(data, count, type, root, communicator), request);
}

int MPI_Iexscan(const void* mine, void* result, int count, MPI_Datatype type, MPI_Op operation,
                MPI_Comm communicator, MPI_Request* request) {
  return completed(PMPI_Exscan(mine, result, count, type, operation, communicator), request);
}
}
