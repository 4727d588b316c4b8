#include "python/view.hpp"

#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <utility>

#include "md/system/particle_store.hpp"
#include "python/fields.hpp"

namespace sterna::python {
namespace nb = nanobind;
namespace {

/// `stride`: from row to row, in values.
template <class Value>
nb::object rows(const Value* data, std::size_t count, std::size_t columns, std::size_t stride,
                const nb::object& owner) {
  const std::size_t shape[2] = {count, columns};
  const std::int64_t strides[2] = {static_cast<std::int64_t>(stride), 1};
  return nb::cast(
      nb::ndarray<nb::numpy, const Value>(data, columns == 1 ? 1 : 2, shape, owner, strides));
}

}  // namespace

View::View(nb::object owner) : owner_(std::move(owner)), memory_(new Memory) {
  capsule_ = nb::capsule(memory_, [](void* p) noexcept { delete static_cast<Memory*>(p); });
  simulation().measure();
}

nb::object View::array(const std::string& name) const {
  const md::ParticleStore& store = simulation().engine().particles();
  const std::size_t count = store.local_count();
  const bool ghosts = name == "ghost_position";
  const Field& field = field_by_name(ghosts ? "position" : name, store.rotating());
  static_assert(sizeof(md::Position) == 4 * sizeof(double));
  if (name == "type") {
    return rows(count > 0 ? &store.position[0].type : nullptr, count, 1, 4, capsule_);
  }
  if (name == "id") return rows(store.id.data(), count, 1, 1, capsule_);
  if (name == "image") {
    return rows(reinterpret_cast<const std::int32_t*>(store.image.data()), count, 3, 3, capsule_);
  }
  nb::object array;
  if (ghosts) {
    array = rows(reinterpret_cast<const double*>(store.position.data() + count),
                 store.ghost_count(), 3, 4, capsule_);
  } else if (name == "position") {
    array = rows(reinterpret_cast<const double*>(store.position.data()), count, 3, 4, capsule_);
  } else if (name == "orientation") {
    array = rows(reinterpret_cast<const double*>(store.orientation.data()), count, 4, 4, capsule_);
  } else {
    const auto& vectors = name == "velocity" ? store.velocity
                          : name == "force"  ? store.force
                          : name == "torque" ? store.torque
                                             : store.angular_momentum;
    array = rows(reinterpret_cast<const double*>(vectors.data()), count, 3, 3, capsule_);
  }
  const double unit = simulation().unit(field.dimension);
  if (unit == 1.0) return array;
  nb::object scaled = array * nb::float_(unit);
  scaled.attr("flags").attr("writeable") = false;
  return scaled;
}

void View::end() {
  // One reference is that of this object.
  const bool kept = Py_REFCNT(capsule_.ptr()) > 1;
  if (auto released = simulation().release_particles(kept); kept) {
    memory_->kept = std::move(released);
  }
  capsule_.reset();
  owner_.reset();
}

}  // namespace sterna::python
