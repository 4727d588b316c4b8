#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace sterna::comm::c {

/// The objects of one kind that C programs hold handles of. A handle consists of the kind, the slot
/// in the table and the number of earlier uses of that slot, so that a handle of a destroyed object
/// is recognized. For one thread at a time.
template <class Object>
class HandleTable {
 public:
  explicit HandleTable(std::uint64_t kind) : kind_(kind) {}

  std::uint64_t add(std::unique_ptr<Object> object) {
    if (free_.empty()) {
      free_.push_back(slots_.size());
      slots_.emplace_back();
    }
    const std::size_t slot = free_.back();
    free_.pop_back();
    slots_[slot].object = std::move(object);
    return id_of(slot);
  }
  /// Returns null if the handle names no living object of this kind.
  Object* find(std::uint64_t id) const {
    const std::size_t slot = slot_of(id);
    return slot < slots_.size() && id_of(slot) == id ? slots_[slot].object.get() : nullptr;
  }
  /// Takes the object out of the table; from then on its handle names nothing.
  std::unique_ptr<Object> take(std::uint64_t id) {
    if (find(id) == nullptr) return nullptr;
    Slot& slot = slots_[slot_of(id)];
    free_.push_back(slot_of(id));
    ++slot.uses;
    return std::move(slot.object);
  }

 private:
  struct Slot {
    std::unique_ptr<Object> object;
    std::uint64_t uses = 1;
  };
  // The id has, from the highest bit down, 8 bits of kind, 32 of uses and 24 of slot.
  std::uint64_t id_of(std::size_t slot) const {
    return kind_ << 56 | (slots_[slot].uses & 0xffffffff) << 24 | slot;
  }
  static std::size_t slot_of(std::uint64_t id) { return id & 0xffffff; }

  std::uint64_t kind_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> free_;  ///< free slots
};

}  // namespace sterna::comm::c
