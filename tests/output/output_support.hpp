#pragma once

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// A folder that all ranks see, emptied and removed at the end. Collective.
class SharedFolder {
 public:
  explicit SharedFolder(const comm::Context& context) : context_(context) {
    if (context.rank() == 0) {
      std::string pattern = (std::filesystem::temp_directory_path() / "sterna-XXXXXX").string();
      path_ = ::mkdtemp(pattern.data());
    }
    comm::broadcast(context, 0, path_);
  }
  ~SharedFolder() {
    comm::barrier(context_);
    std::error_code ignored;
    if (context_.rank() == 0) std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  const comm::Context& context_;
  std::string path_;
};

/// While it lives, no file of this process can grow beyond `bytes`: what a full disk looks like
/// from inside, on every machine.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uint64_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_;
};

/// What `work` throws; empty where it does not.
template <class Work>
std::string failure_of(const Work& work) {
  try {
    work();
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Values that say which particle and which frame they belong to.
inline double self_identifying(std::int64_t id, int component, std::int64_t frame) {
  return static_cast<double>(id) + 0.25 * component + 1e-6 * static_cast<double>(frame);
}

/// Likewise; not of unit length, which no file cares about.
inline Quaternion self_identifying_orientation(std::int64_t id, std::int64_t frame) {
  const auto value = [&](int component) { return self_identifying(id, component, frame); };
  return {value(3), -value(4), value(5), -value(6)};
}

/// `total` particles, dealt out over the ranks in no order; ids 1 to `total`, three types. With
/// `box` long enough, positions lie inside.
inline ParticleStore dealt_particles(const comm::Context& context, std::int64_t total,
                                     std::int64_t frame = 0, bool rotating = false,
                                     std::vector<char> turning = {}) {
  std::vector<std::int64_t> ids;
  for (std::int64_t k = 0; k < total; ++k) {
    // 7919 is prime and larger than any factor in the tests: a permutation of the slots.
    const std::int64_t slot = k * 7919 % total;
    if ((slot / 3 + frame) % context.size() == context.rank()) ids.push_back(slot + 1);
  }
  ParticleStore store;
  store.set_rotating(rotating);
  if (!turning.empty()) store.set_turning_types(std::move(turning));
  store.resize_local(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) store.position[i].type = ids[i] % 3;
  store.place_rotors();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::int64_t id = ids[i];
    if (rotating) {
      store.orientation[i] = self_identifying_orientation(id, frame);
      store.angular_momentum[i] = {self_identifying(id, 7, frame), 1e-300, -1.0 / 3.0};
    }
    const auto value = [&](int component) { return self_identifying(id, component, frame); };
    store.id[i] = id;
    store.position[i] = {value(0), value(1), value(2), id % 3};
    store.velocity[i] = {-value(0), -value(1), -value(2)};
    store.force[i] = {2.0 * value(0), 2.0 * value(1), 2.0 * value(2)};
    store.image[i] = {static_cast<std::int32_t>(id % 5), -static_cast<std::int32_t>(id % 7), 1};
  }
  return store;
}

}  // namespace sterna::md
