#pragma once

#include <cstddef>
#include <list>
#include <string>

namespace sterna::comm {

/// Counts a region as alive as long as this lives. Those that are still alive when MPI ends, so
/// that they cannot be given back any more, are reported on standard error, whoever ends it.
class LiveRegion {
 public:
  LiveRegion(int rank, std::string name, std::size_t bytes);
  ~LiveRegion();
  LiveRegion(const LiveRegion&) = delete;
  LiveRegion& operator=(const LiveRegion&) = delete;

  struct Record {
    int rank;
    std::string name;
    std::size_t bytes;
  };

 private:
  std::list<Record>::iterator record_;
};

}  // namespace sterna::comm
