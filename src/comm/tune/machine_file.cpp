#include "comm/tune/machine_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "sterna/comm/regular_file.hpp"

namespace sterna::comm {
namespace {

using Json = nlohmann::ordered_json;

/// The version of the format; files of another version are left unchanged.
constexpr int format = 1;
/// The largest number of rows; the oldest are dropped first.
constexpr std::size_t most_rows = 2000;
/// The largest size in bytes; a row has about a thousand.
constexpr std::size_t largest_machine_file = std::size_t{32} << 20;

/// Returns the largest power of two that is at most `value`; 0 for values below 1. It is exact, so
/// that all ranks get the same class.
long octave(double value) {
  return value < 1.0 ? 0 : 1L << std::ilogb(value);
}

Json to_json(const StoredEvidence& e) {
  return {{"machine", e.key.machine},
          {"software", e.key.software},
          {"ranks", e.key.ranks},
          {"ranks_per_node", e.key.ranks_per_node},
          {"family", e.family},
          {"class", pattern_class(e.shape)},
          {"peers", e.shape.peers},
          {"bytes", e.shape.bytes},
          {"off_node_share", e.shape.off_node_share},
          {"possible_sources", e.shape.possible_sources},
          {"chosen", e.chosen},
          {"median_us", e.us}};
}

StoredEvidence evidence_from(const Json& row) {
  StoredEvidence e;
  row.at("machine").get_to(e.key.machine);
  row.at("software").get_to(e.key.software);
  row.at("ranks").get_to(e.key.ranks);
  row.at("ranks_per_node").get_to(e.key.ranks_per_node);
  row.at("family").get_to(e.family);
  e.shape.ranks = e.key.ranks;
  e.shape.ranks_per_node = e.key.ranks_per_node;
  row.at("peers").get_to(e.shape.peers);
  row.at("bytes").get_to(e.shape.bytes);
  row.at("off_node_share").get_to(e.shape.off_node_share);
  row.at("possible_sources").get_to(e.shape.possible_sources);
  row.at("chosen").get_to(e.chosen);
  row.at("median_us").get_to(e.us);
  for (const auto& [method, us] : e.us) {
    if (!(us > 0.0) || !std::isfinite(us)) throw std::runtime_error("a median is no time");
  }
  return e;
}

/// A lock that is held for the life of the object. If the file system has no locks, nothing is
/// held.
class Lock {
 public:
  Lock(const std::string& path, std::chrono::duration<double> lock_timeout)
      : file_(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
    // A writer holds the lock for milliseconds. A process that was stopped meanwhile must not stop
    // others, so waiting ends after a timeout.
    const auto start = std::chrono::steady_clock::now();
    while (file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      if (std::chrono::steady_clock::now() - start >= lock_timeout) {
        ::close(file_);
        throw std::runtime_error(fmt::format("another program holds {}", path));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  ~Lock() {
    if (file_ >= 0) ::close(file_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

}  // namespace

std::string pattern_class(const PatternShape& shape) {
  std::string text = fmt::format("{} peers, {} bytes each", octave(shape.peers),
                                 octave(shape.peers > 0.0 ? shape.bytes / shape.peers : 0.0));
  if (shape.possible_sources > 0.0) {
    text += fmt::format(", {} possible sources", octave(shape.possible_sources));
  }
  const long quarters = std::lround(std::ceil(4.0 * shape.off_node_share));
  if (quarters > 0) text += fmt::format(", up to {}/4 off the node", quarters);
  return text;
}

std::string machine_name() {
  std::string processor = "unknown processor";
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name") || line.find(": ") == std::string::npos) continue;
    processor = line.substr(line.find(": ") + 2);
    break;
  }
  return fmt::format("{}, {} cores", processor, ::sysconf(_SC_NPROCESSORS_ONLN));
}

std::string machine_file_path(const std::string& wanted) {
  const auto variable = [](const char* name) -> std::string {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  std::string path = wanted;
  if (path.empty()) {
    if (std::getenv("STERNA_MACHINE_FILE") != nullptr) {
      path = variable("STERNA_MACHINE_FILE");
    } else if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) {
      path = cache + "/sterna/machine.json";
    } else if (const std::string home = variable("HOME"); !home.empty()) {
      path = home + "/.cache/sterna/machine.json";
    }
  }
  return path == "none" ? "" : path;
}

std::string to_json(const std::vector<StoredEvidence>& evidence) {
  Json file{{"format", format}, {"evidence", Json::array()}};
  for (const StoredEvidence& e : evidence) file["evidence"].push_back(to_json(e));
  return file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<StoredEvidence> evidence_from_json(const std::string& text) {
  const Json file = Json::parse(text);
  if (const int found = file.at("format").get<int>(); found != format) {
    throw std::runtime_error(
        fmt::format("it has format {}, this version of Sterna writes {}", found, format));
  }
  std::vector<StoredEvidence> evidence;
  for (const Json& row : file.at("evidence")) evidence.push_back(evidence_from(row));
  return evidence;
}

std::vector<StoredEvidence> MachineFile::read(std::string& warning) const {
  warning.clear();
  if (path_.empty()) return {};
  std::string text;
  try {
    text = read_regular_file(path_, largest_machine_file);
  } catch (const UnreadableFile& error) {
    if (error.reason() != UnreadableFile::Reason::missing) {
      warning = fmt::format("machine file {} {}", path_, error.what());
    }
    return {};
  }
  try {
    return evidence_from_json(text);
  } catch (const std::exception& error) {
    warning = fmt::format("machine file {} is not used: {}", path_, error.what());
    return {};
  }
}

std::string MachineFile::add(const StoredEvidence& evidence,
                             std::chrono::duration<double> lock_timeout) const {
  if (path_.empty()) return {};
  try {
    const std::filesystem::path target(path_);
    if (target.has_parent_path()) std::filesystem::create_directories(target.parent_path());
    const Lock lock(path_ + ".lock", lock_timeout);
    std::string warning;
    std::vector<StoredEvidence> all = read(warning);
    if (!warning.empty()) return warning;
    std::erase_if(all, [&](const StoredEvidence& old) {
      return old.key == evidence.key && old.family == evidence.family &&
             pattern_class(old.shape) == pattern_class(evidence.shape);
    });
    all.push_back(evidence);
    if (all.size() > most_rows) all.erase(all.begin(), all.end() - most_rows);
    // Another job may write if there are no locks, so the name is unique to this process.
    const std::string fresh = fmt::format("{}.{}.new", path_, ::getpid());
    {
      std::ofstream file(fresh, std::ios::binary);
      file << to_json(all);
      file.close();
      if (!file) {
        std::filesystem::remove(fresh);
        return fmt::format("machine file {} cannot be written", path_);
      }
    }
    std::filesystem::rename(fresh, target);
    return {};
  } catch (const std::exception& error) {
    return fmt::format("machine file {} cannot be written: {}", path_, error.what());
  }
}

}  // namespace sterna::comm
