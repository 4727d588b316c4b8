#include "comm/transport/rdma/worker.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "comm/transport/rdma/ucx.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm::rdma {
namespace {

/// True if the documentation of UCX's configuration mentions `word`.
bool documents(const ucp_config_t* config, std::string_view word) {
  char* text = nullptr;
  std::size_t length = 0;
  std::FILE* const stream = open_memstream(&text, &length);
  if (stream == nullptr) return false;
  ucp_config_print(
      config, stream, nullptr,
      static_cast<ucs_config_print_flags_t>(UCS_CONFIG_PRINT_CONFIG | UCS_CONFIG_PRINT_DOC));
  std::fclose(stream);
  const bool found = std::string_view(text, length).find(word) != std::string_view::npos;
  std::free(text);
  return found;
}

/// Sets the options that serve puts with notices best, unless the user has set them.
void configure(ucp_config_t* config) {
  const auto unless_set = [&](const char* name, const char* value) {
    if (std::getenv(fmt::format("UCX_{}", name).c_str()) == nullptr) {
      ucp_config_modify(config, name, value);
    }
  };
  // All transports are allowed except cma (copies by the kernel), which slows puts of 8 KiB and
  // more in UCX 1.22.
  unless_set("TLS", "^cma");
  // By default a fence over TCP waits inside UCX 1.22 until all targets have answered, which is 100
  // times slower, and endless if one has died. This mode orders puts by the connection if that is
  // enough. UCX 1.13 neither waits so nor knows the mode.
  if (documents(config, "ep_based")) unless_set("FENCE_MODE", "ep_based");
}

}  // namespace

void check_ucx(ucs_status_t status, std::string_view what) {
  if (status != UCS_OK) throw Error(fmt::format("{}: {}", what, ucs_status_string(status)));
}

Worker& Worker::instance() {
  static auto* const worker = new Worker;  // never freed
  return *worker;
}

Worker::Worker() {
  ucp_config_t* config = nullptr;
  check_ucx(ucp_config_read(nullptr, nullptr, &config), "reading the configuration of UCX");
  configure(config);
  ucp_params_t context_parameters{};
  context_parameters.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME;
  context_parameters.features = UCP_FEATURE_RMA | UCP_FEATURE_AMO64 | UCP_FEATURE_AM;
  context_parameters.name = "sterna";
  const ucs_status_t started = ucp_init(&context_parameters, config, &context_);
  ucp_config_release(config);
  check_ucx(started, "starting UCX");

  ucp_worker_params_t worker_parameters{};
  worker_parameters.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  worker_parameters.thread_mode = UCS_THREAD_MODE_SINGLE;
  check_ucx(ucp_worker_create(context_, &worker_parameters, &worker_), "making a UCX worker");

  ucp_address_t* address = nullptr;
  std::size_t bytes = 0;
  check_ucx(ucp_worker_get_address(worker_, &address, &bytes), "asking UCX for its address");
  address_.assign(reinterpret_cast<const char*>(address), bytes);
  ucp_worker_release_address(worker_, address);
}

ucp_ep* Worker::endpoint(const std::string& address) {
  const auto known = endpoints_.find(address);
  if (known != endpoints_.end()) return known->second;
  ucp_ep_params_t parameters{};
  parameters.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
  parameters.address = reinterpret_cast<const ucp_address_t*>(address.data());
  ucp_ep_h endpoint = nullptr;
  check_ucx(ucp_ep_create(worker_, &parameters, &endpoint), "connecting to a peer by UCX");
  endpoints_.emplace(address, endpoint);
  return endpoint;
}

void Worker::progress() {
  ucp_worker_progress(worker_);
}

void Worker::fence() {
  check_ucx(ucp_worker_fence(worker_), "UCX fence");
}

}  // namespace sterna::comm::rdma
