#include "comm/transport/rdma/remote_memory.hpp"

#include <atomic>
#include <cstring>
#include <utility>

#include "comm/transport/rdma/ucx.hpp"
#include "comm/transport/rdma/worker.hpp"

namespace sterna::comm::rdma {
namespace {

/// A notice is a word, which is stored as one, after all earlier stores.
void store(std::byte* target, const std::byte* source, std::size_t bytes) {
  std::uint64_t word = 0;
  if (bytes == sizeof word && reinterpret_cast<std::uintptr_t>(target) % sizeof word == 0) {
    std::memcpy(&word, source, sizeof word);
    std::atomic_ref(*reinterpret_cast<std::uint64_t*>(target))
        .store(word, std::memory_order_release);
  } else {
    std::memcpy(target, source, bytes);
  }
}

}  // namespace

RemoteMemory::RemoteMemory(const std::string& handle) {
  std::uint64_t worker_bytes = 0;
  std::memcpy(&worker_bytes, handle.data(), sizeof worker_bytes);
  endpoint_ = Worker::instance().endpoint(handle.substr(sizeof worker_bytes, worker_bytes));
  const char* const address = handle.data() + sizeof worker_bytes + worker_bytes;
  std::memcpy(&base_, address, sizeof base_);
  check_ucx(ucp_ep_rkey_unpack(endpoint_, address + sizeof base_, &key_), "unpacking a memory key");
  void* mapped = nullptr;
  if (ucp_rkey_ptr(key_, base_, &mapped) == UCS_OK) mapped_ = static_cast<std::byte*>(mapped);
}

RemoteMemory::~RemoteMemory() {
  if (key_ != nullptr) ucp_rkey_destroy(key_);
}

RemoteMemory::RemoteMemory(RemoteMemory&& other) noexcept
    : endpoint_(other.endpoint_),
      key_(std::exchange(other.key_, nullptr)),
      base_(other.base_),
      mapped_(other.mapped_),
      requests_(std::move(other.requests_)) {}

void RemoteMemory::keep(void* request, const char* what) {
  if (UCS_PTR_IS_ERR(request)) check_ucx(UCS_PTR_STATUS(request), what);
  if (request != nullptr) requests_.push_back(request);
}

void RemoteMemory::put(std::size_t offset, const std::byte* source, std::size_t bytes,
                       const Memory* registered) {
  if (mapped_ != nullptr) {
    store(mapped_ + offset, source, bytes);
    return;
  }
  ucp_request_param_t parameters{};
  if (registered != nullptr) {
    parameters.op_attr_mask = UCP_OP_ATTR_FIELD_MEMH;
    parameters.memh = registered->get();
  }
  keep(ucp_put_nbx(endpoint_, source, bytes, base_ + offset, key_, &parameters), "UCX put");
}

void RemoteMemory::get(std::size_t offset, std::byte* target, std::size_t bytes) {
  ucp_request_param_t parameters{};
  keep(ucp_get_nbx(endpoint_, target, bytes, base_ + offset, key_, &parameters), "UCX get");
}

void RemoteMemory::fetch_add(std::size_t offset, const std::uint64_t& value,
                             std::uint64_t& before) {
  ucp_request_param_t parameters{};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_REPLY_BUFFER;
  parameters.datatype = ucp_dt_make_contig(sizeof value);
  parameters.reply_buffer = &before;
  keep(
      ucp_atomic_op_nbx(endpoint_, UCP_ATOMIC_OP_ADD, &value, 1, base_ + offset, key_, &parameters),
      "UCX fetch and add");
}

bool RemoteMemory::sent() {
  while (!requests_.empty()) {
    const ucs_status_t status = ucp_request_check_status(requests_.back());
    if (status == UCS_INPROGRESS) return false;
    ucp_request_free(requests_.back());
    requests_.pop_back();
    check_ucx(status, "UCX put");
  }
  return true;
}

void RemoteMemory::flush() {
  if (mapped_ != nullptr) return;
  ucp_request_param_t parameters{};
  keep(ucp_ep_flush_nbx(endpoint_, &parameters), "UCX flush");
}

}  // namespace sterna::comm::rdma
