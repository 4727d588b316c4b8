#include "comm/transport/ofi/provider.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "comm/context/launcher.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm::ofi {
namespace {

/// The version of the interface that this file was written for. Libraries from 1.11 on serve it.
constexpr std::uint32_t interface_version = FI_VERSION(1, 11);
/// From this version of the library on the provider for shared memory is chosen by itself. That of
/// 1.17 does not complete all puts: rounds of two ranks wait for ever.
constexpr std::uint32_t version_with_shm = FI_VERSION(2, 0);

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw Error(fmt::format("libfabric has no function {}", name));
}

Library load() {
  // The path is that of the build. An MPI that has loaded a libfabric of its own keeps it, and this
  // transport then uses that one, because a process has one library of a name.
  void* library = dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = dlopen(STERNA_LIBFABRIC, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();
    throw Error(fmt::format("libfabric cannot be loaded: {}", reason == nullptr ? "" : reason));
  }
  Library functions;
  find(library, "fi_getinfo", functions.getinfo);
  find(library, "fi_dupinfo", functions.dupinfo);
  find(library, "fi_freeinfo", functions.freeinfo);
  find(library, "fi_fabric", functions.fabric);
  find(library, "fi_strerror", functions.strerror);
  find(library, "fi_version", functions.version);
  return functions;
}

/// Returns the providers that serve `hints` (null: all), the fastest first, as libfabric says.
Info providers(const fi_info* hints) {
  fi_info* found = nullptr;
  const int status =
      Library::instance().getinfo(interface_version, nullptr, nullptr, 0, hints, &found);
  if (status == -FI_ENODATA) return nullptr;
  check_libfabric(status, "asking libfabric for its providers");
  return Info(found);
}

/// What the transport needs of a provider.
Info needs() {
  Info hints(Library::instance().dupinfo(nullptr));
  if (hints == nullptr) throw Error("libfabric: no memory for a description of providers");
  hints->caps = FI_RMA | FI_ATOMIC;
  hints->ep_attr->type = FI_EP_RDM;
  // Of a transfer that is complete, the data are in the target's memory: see worker.hpp.
  hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE;
  // Transfers have the space that a provider may ask for.
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  // All that a provider may ask of memory, but not keys longer than a word (FI_MR_RAW).
  hints->domain_attr->mr_mode =
      FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  return hints;
}

bool begins_with_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view one) { return name.starts_with(one); });
}

/// True for a provider that is not for real use (sockets), loses packets under load (udp) or was an
/// experiment (net, the later tcp), so that the user must ask for it.
bool is_for_tests(std::string_view name) {
  return begins_with_one_of(name, {"sockets", "udp", "net"});
}

/// Returns the names of all providers of this machine, each once.
std::string all_names() {
  std::vector<std::string> names;
  const Info all = providers(nullptr);
  for (const fi_info* one = all.get(); one != nullptr; one = one->next) {
    const std::string name = one->fabric_attr->prov_name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

const Library& Library::instance() {
  static const Library library = load();
  return library;
}

void check_libfabric(long status, std::string_view what) {
  if (status >= 0) return;
  throw Error(fmt::format("{}: {}", what, Library::instance().strerror(static_cast<int>(-status))));
}

Info choose_provider() {
  const Info hints = needs();
  const Info able = providers(hints.get());
  const char* const wanted = std::getenv("FI_PROVIDER");
  const bool one_node = is_on_one_node([](const char* name) { return std::getenv(name); });
  // On one node shm is the fastest, and it reaches no other node.
  const bool takes_shm = one_node && Library::instance().version() >= version_with_shm;
  const auto choose = [&](auto suits) {
    const fi_info* one = able.get();
    while (one != nullptr && !suits(std::string_view(one->fabric_attr->prov_name))) one = one->next;
    return one;
  };
  const fi_info* chosen = nullptr;
  if (wanted != nullptr) {
    chosen = able.get();
  } else if (takes_shm) {
    chosen = choose([](std::string_view name) { return name == "shm"; });
  }
  if (chosen == nullptr) {
    chosen = choose([](std::string_view name) { return name != "shm" && !is_for_tests(name); });
  }
  if (chosen == nullptr) {
    throw Error(fmt::format(
        "no provider of libfabric has connectionless endpoints, puts, atomic additions and "
        "completion at the target (FI_EP_RDM, FI_RMA, FI_ATOMIC, FI_DELIVERY_COMPLETE){}; found {}",
        wanted == nullptr ? "" : fmt::format(" among FI_PROVIDER={}", wanted), all_names()));
  }
  return Info(Library::instance().dupinfo(chosen));
}

}  // namespace sterna::comm::ofi
