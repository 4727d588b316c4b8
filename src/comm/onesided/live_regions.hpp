#pragma once

#include <cstddef>
#include <list>
#include <string>

namespace sterna::comm {

/// Counts a region as alive for the life of this object. Regions that are still alive when MPI ends
/// can no longer be freed; they are reported on standard error, whoever ends MPI.
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
