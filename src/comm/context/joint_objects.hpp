#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sterna/comm/context.hpp"

namespace sterna::comm {

/// Something that the ranks of a context can only end together: MPI frees its parts collectively,
/// or others may still write into its memory.
class JointObject {
 public:
  JointObject() = default;
  virtual ~JointObject() = default;
  JointObject(const JointObject&) = delete;
  JointObject& operator=(const JointObject&) = delete;

  /// How many rounds this rank has started.
  virtual std::uint64_t rounds() const = 0;
  /// Collective: ends it, all ranks after `most` rounds, the most that any of them has started.
  virtual void end(std::uint64_t most) = 0;
  /// Instead, where the ranks cannot meet any more: what others may still write into is left to the
  /// process.
  virtual void leave() = 0;
};

/// The joint objects of a context. Their owners go in any order, during an exception, or half-way
/// through a round, and wait for nobody: they hand them over here. An object ends at the next call
/// that all ranks make together after all of them have handed it over, in the order of making.
class JointObjects {
 public:
  JointObjects() = default;
  ~JointObjects();
  JointObjects(const JointObjects&) = delete;
  JointObjects& operator=(const JointObjects&) = delete;

  bool empty() const { return objects_.empty(); }
  /// Says that an object is about to be made: all ranks do so in the same order. Returns its
  /// number.
  std::uint64_t announce();
  /// `object`: null where making it has failed.
  void hand_over(std::uint64_t number, std::unique_ptr<JointObject> object);
  /// Collective over `context`: ends those that all ranks have handed over. Throws Error where a
  /// rank does not come.
  void end_those_of_all(Context::Implementation& context);

 private:
  struct Entry {
    std::uint64_t number;
    bool handed_over;
    std::unique_ptr<JointObject> object;
  };
  std::uint64_t last_number_ = 0;
  std::vector<Entry> objects_;  ///< in the order of making; the same numbers on all ranks
};

}  // namespace sterna::comm
