#pragma once

#include <string>

#ifdef STERNA_HAVE_UCX
#include <ucp/api/ucp.h>

#include <map>
#include <string_view>
#include <vector>
#endif

namespace sterna::comm::rdma {

/// Lets UCX move what is under way and answer other ranks; nothing where it is not in use.
void make_progress();

#ifdef STERNA_HAVE_UCX

/// Something that other ranks wait for and that takes more than UCX does by itself: the next step
/// of a barrier. As long as it lives, `make_progress` lets it do what it can.
class Helper {
 public:
  Helper();
  virtual ~Helper();
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;
  virtual void help() = 0;
};

/// Throws Error with UCX's own text where `status` is an error.
void check_ucx(ucs_status_t status, std::string_view what);

/// UCX in this process: one context and one worker, used by one thread, made on first use. They
/// live until the process ends: peers may need their help to the last.
class Worker {
 public:
  /// Throws Error where UCX does not work here.
  static Worker& instance();

  ucp_context_h context() const { return context_; }
  ucp_worker_h get() const { return worker_; }
  /// What others need to reach this worker; to be sent as bytes.
  const std::string& address() const { return address_; }
  /// The way to the worker at `address`, made on first use.
  ucp_ep_h endpoint(const std::string& address);
  void progress() { ucp_worker_progress(worker_); }
  /// Orders puts: those after it arrive after those before it, per target.
  void fence();

 private:
  Worker();
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  std::string address_;
  std::map<std::string, ucp_ep_h> endpoints_;
};

#endif

}  // namespace sterna::comm::rdma
