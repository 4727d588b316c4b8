#include "python/view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

#include "md/system/particle_store.hpp"

namespace sterna::python {
namespace nb = nanobind;
namespace {

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr std::array<std::string_view, 2> may_be_written = {"velocity", "angular_momentum"};

/// The numbers of a writable field.
std::span<double> numbers_of(const Field& field, md::ParticleStore& particles) {
  const std::span<md::Vec3> vectors =
      field.name == "velocity" ? particles.velocity.span() : particles.angular_momentum.span();
  if (vectors.empty()) return {};
  return {&vectors.data()->x, 3 * vectors.size()};
}

/// `stride`: distance of rows, in values.
template <class Value>
nb::object rows(Value* data, std::size_t count, std::size_t columns, std::size_t stride,
                const nb::object& owner) {
  const std::size_t shape[2] = {count, columns};
  const std::int64_t strides[2] = {static_cast<std::int64_t>(stride), 1};
  return nb::cast(nb::ndarray<nb::numpy, Value>(data, columns == 1 ? 1 : 2, shape, owner, strides));
}

}  // namespace

View::View(nb::object owner, std::set<std::string> writable)
    : owner_(std::move(owner)),
      writable_(std::move(writable)),
      memory_(std::make_shared<Memory>()) {
  capsule_ = nb::capsule(new std::shared_ptr<Memory>(memory_),
                         [](void* p) noexcept { delete static_cast<std::shared_ptr<Memory>*>(p); });
  for (const std::string& name : writable_) {
    if (std::ranges::find(may_be_written, name) == may_be_written.end()) {
      throw std::invalid_argument(fmt::format("view: \"{}\" cannot be written, only {}", name,
                                              fmt::join(may_be_written, " and ")));
    }
    field_of(name);
  }
  simulation().measure();
}

nb::object View::array(const std::string& name) {
  if (const auto found = shown_.find(name); found != shown_.end()) return found->second.array;
  const bool ghosts = name == "ghost_position";
  const Field field = field_of(ghosts ? "position" : name);
  if (field.added != nullptr) {
    // Later views and runs reorder these numbers, so the array is a copy.
    nb::object copy = simulation().local(name);
    copy.attr("flags").attr("writeable") = false;
    return shown_.emplace(name, Shown{field, copy, true, false}).first->second.array;
  }
  if (field.kept == md::Kept::rotating && simulation().engine().particles().only_some_rotate()) {
    // The engine has no items for the others, so the array is a copy.
    nb::object copy = simulation().local(name);
    copy.attr("flags").attr("writeable") = writable_.contains(name);
    return shown_.emplace(name, Shown{field, copy, true, writable_.contains(name)})
        .first->second.array;
  }
  Shown shown{field, make_array(field, ghosts), false, writable_.contains(name)};
  if (const double unit = simulation().unit(field.dimension); !field.whole_numbers && unit != 1.0) {
    shown.is_copy = true;
    shown.array = shown.array * nb::float_(unit);
  }
  shown.array.attr("flags").attr("writeable") = shown.is_writable;
  return shown_.emplace(name, std::move(shown)).first->second.array;
}

Field View::field_of(const std::string& name) const {
  const md::Simulation& engine = simulation().engine();
  return field_by_name(name, engine.particles().kind(), engine.particle_fields());
}

nb::object View::make_array(const Field& wanted, bool ghosts) const {
  md::ParticleStore& store = simulation().engine().writable_particles();
  nb::object array;
  md::for_each_field([&](const auto& field) {
    if (field.name != wanted.name) return;
    using Row = std::remove_cvref_t<decltype(field)>;
    using Element = typename Row::ElementType;
    using Number = typename Row::NumberType;
    static_assert(sizeof(Element) % sizeof(Number) == 0);
    Element* const first =
        (store.*field.array).data() + (ghosts ? store.local_count() : std::size_t{0});
    const std::size_t count = ghosts ? store.ghost_count() : store.local_count();
    auto* const bytes = reinterpret_cast<std::byte*>(first);
    array = rows(count > 0 ? reinterpret_cast<Number*>(bytes + field.offset) : nullptr, count,
                 field.components, sizeof(Element) / sizeof(Number), capsule_);
  });
  return array;
}

std::string View::mistake_in_written(const std::string& name, const Shown& shown) const {
  md::ParticleStore& store = simulation().engine().writable_particles();
  if (!is_copy_of_rotors(shown)) {
    const auto numbers = numbers_of(shown.field, store);
    const auto wrong =
        std::ranges::find_if(numbers, [](double number) { return !std::isfinite(number); });
    if (wrong == numbers.end()) return {};
    return fmt::format("view: row {} of {} is not finite", (wrong - numbers.begin()) / 3, name);
  }
  const auto values = nb::cast<Rows>(shown.array);
  for (std::size_t i = 0; i < store.local_count(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double value = values.data()[3 * i + axis];
      if (!std::isfinite(value)) return fmt::format("view: row {} of {} is not finite", i, name);
      if (value != 0.0 && !store.turns(i)) {
        return fmt::format(
            "view: row {} of {} is of a particle that cannot turn; expected zeros there", i, name);
      }
    }
  }
  return {};
}

bool View::is_copy_of_rotors(const Shown& shown) const {
  return shown.field.kept == md::Kept::rotating &&
         simulation().engine().particles().only_some_rotate();
}

void View::take_written(const Shown& copy) const {
  const auto values = nb::cast<Rows>(copy.array);
  const double unit = simulation().unit(copy.field.dimension);
  md::ParticleStore& store = simulation().engine().writable_particles();
  if (is_copy_of_rotors(copy)) {
    store.for_each_rotor([&](std::uint32_t i) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double& own = store.angular_momentum[i][static_cast<int>(axis)];
        const double value = values.data()[3 * i + axis];
        if (value != own * unit) own = value / unit;
      }
    });
    return;
  }
  const auto numbers = numbers_of(copy.field, store);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    // Values that were not written keep all their bits.
    if (values.data()[k] != numbers[k] * unit) numbers[k] = values.data()[k] / unit;
  }
}

void View::end() {
  bool written = false;
  std::string failure;
  for (const auto& [name, shown] : shown_) {
    if (!shown.is_writable) continue;
    written = true;
    if (shown.is_copy) take_written(shown);
    if (std::string mistake = mistake_in_written(name, shown); !mistake.empty()) failure = mistake;
    shown.array.attr("flags").attr("writeable") = false;
  }
  shown_.clear();
  capsule_.reset();
  // The view holds the capsule no more, so only arrays of Python may still hold it.
  const bool kept = memory_.use_count() > 1;
  if (auto released = simulation().end_view(kept, written); kept) {
    memory_->kept = std::move(released);
  }
  const nb::object owner = std::exchange(owner_, {});
  nb::cast<Simulation&>(owner).raise_where_any(failure);
}

}  // namespace sterna::python
