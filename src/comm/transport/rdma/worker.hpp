#pragma once

#include <map>
#include <string>

#include "comm/context/progress.hpp"

// A type of UCX.
struct ucp_context;
struct ucp_ep;
struct ucp_worker;

namespace sterna::comm::rdma {

/// UCX in this process: one context and one worker, used by one thread and made on first use. They
/// live until the process ends, because peers may need their help until then.
class Worker final : ProgressHelper {
 public:
  /// Throws Error if UCX does not work here, or is not in this build.
  static Worker& instance();

  ucp_context* context() const { return context_; }
  ucp_worker* get() const { return worker_; }
  /// The address of this worker, which others need to connect; to be sent as bytes.
  const std::string& address() const { return address_; }
  /// Returns the endpoint of the worker at `address`, made on first use.
  ucp_ep* endpoint(const std::string& address);
  void progress();
  /// Orders puts: later puts to a target arrive after earlier ones.
  void fence();

 private:
  Worker();
  void help() override { progress(); }

  ucp_context* context_ = nullptr;
  ucp_worker* worker_ = nullptr;
  std::string address_;
  std::map<std::string, ucp_ep*> endpoints_;
};

}  // namespace sterna::comm::rdma
