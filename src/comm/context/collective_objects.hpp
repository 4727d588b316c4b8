#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sterna/comm/context.hpp"

namespace sterna::comm {

/// An object that the ranks of a context must destroy collectively, because freeing it is a
/// collective MPI call, or because other ranks may still write into its memory.
class CollectiveObject {
 public:
  CollectiveObject() = default;
  virtual ~CollectiveObject() = default;
  CollectiveObject(const CollectiveObject&) = delete;
  CollectiveObject& operator=(const CollectiveObject&) = delete;

  /// The number of rounds that this rank has started.
  virtual std::uint64_t rounds() const = 0;
  /// Ends the object. Collective. `most` is the largest number of rounds that any rank has started;
  /// all ranks end the object after that many rounds.
  virtual void end(std::uint64_t most) = 0;
  /// Replaces `end` after a failure, when a collective call is no longer possible. Memory that
  /// other ranks may still write into then lives until the process exits.
  virtual void keep_until_exit() = 0;
};

/// The collective objects of a context. A destructor must not wait for other ranks: it may run in
/// any order, during an exception or in the middle of a round. So the owner of a collective object
/// releases it to this list. The first collective call after all ranks have released an object ends
/// it. Objects end in the order of creation.
class CollectiveObjects {
 public:
  CollectiveObjects() = default;
  ~CollectiveObjects();
  CollectiveObjects(const CollectiveObjects&) = delete;
  CollectiveObjects& operator=(const CollectiveObjects&) = delete;

  bool empty() const { return objects_.empty(); }
  /// Announces an object that is about to be created, in the same order on all ranks. Returns its
  /// number.
  std::uint64_t announce();
  /// `object` is null if its creation failed.
  void release(std::uint64_t number, std::unique_ptr<CollectiveObject> object);
  /// Ends the objects that all ranks have released. Collective over `context`. Throws Error if a
  /// rank does not take part.
  void end_released_by_all(Context::Implementation& context);

 private:
  struct Entry {
    std::uint64_t number;
    bool released;
    std::unique_ptr<CollectiveObject> object;
  };
  std::uint64_t last_number_ = 0;
  std::vector<Entry> objects_;  ///< in the order of creation; with the same numbers on all ranks
};

}  // namespace sterna::comm
