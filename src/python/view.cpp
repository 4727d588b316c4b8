#include "python/view.hpp"

#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
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
  const bool ghosts = name == "ghost_position";
  const Field wanted = field_by_name(ghosts ? "position" : name, store.kind());
  nb::object array;
  md::for_each_field([&](const auto& field) {
    if (field.name != wanted.name) return;
    using Row = std::remove_cvref_t<decltype(field)>;
    using Element = typename Row::ElementType;
    using Number = typename Row::NumberType;
    static_assert(sizeof(Element) % sizeof(Number) == 0);
    const Element* const first =
        (store.*field.array).data() + (ghosts ? store.local_count() : std::size_t{0});
    const std::size_t count = ghosts ? store.ghost_count() : store.local_count();
    const auto* const bytes = reinterpret_cast<const std::byte*>(first);
    array = rows(count > 0 ? reinterpret_cast<const Number*>(bytes + field.offset) : nullptr, count,
                 field.components, sizeof(Element) / sizeof(Number), capsule_);
  });
  const double unit = simulation().unit(wanted.dimension);
  if (wanted.whole_numbers || unit == 1.0) return array;
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
