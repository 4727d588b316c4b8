#include "md/system/atom_group.hpp"

#include <algorithm>
#include <utility>

#include "md/system/residue_order.hpp"

namespace sterna::md {
namespace {

using Step = SelectionExpression::Step;
using Property = SelectionExpression::Property;

bool asks_for_place(const Step& step) {
  return step.kind == Step::Kind::property && step.property != Property::mass &&
         step.property != Property::charge;
}

/// The result of a test of a text, mass or charge for the particles of a row.
bool result_of(const Step& step, const AtomGroup::Particle& particle) {
  if (step.kind == Step::Kind::property) {
    return step.holds(step.property == Property::mass ? particle.mass : particle.charge);
  }
  switch (step.text) {
    case SelectionExpression::Text::name:
      return step.matches(particle.name);
    case SelectionExpression::Text::type:
      return step.matches(particle.type);
    case SelectionExpression::Text::residue:
      return step.matches(particle.residue);
    case SelectionExpression::Text::molecule:
      return step.matches(particle.molecule);
  }
  return false;
}

/// The result of an expression for particles of which not everything is known.
enum class Possible : unsigned char { no, yes, either };

Possible possible(bool value) {
  return value ? Possible::yes : Possible::no;
}

Possible combined(Step::Kind kind, Possible a, Possible b) {
  const Possible decisive = kind == Step::Kind::both ? Possible::no : Possible::yes;
  if (a == decisive || b == decisive) return decisive;
  return a == Possible::either ? a : b;
}

}  // namespace

AtomGroup::AtomGroup(std::string name, const SelectionExpression& expression,
                     const Topology& topology, const std::vector<Particle>& particles,
                     const UnitSystem& units)
    : name_(std::move(name)), topology_(&topology) {
  depends_on_position_ = expression.depends_on_position();
  depends_on_row_only_ = !depends_on_position_;
  for (const Step& step : expression.steps()) {
    Test test{.step = step};
    if (step.kind == Step::Kind::number) depends_on_row_only_ = false;
    if (asks_for_place(step)) {
      test.unit = units.from_internal(1.0, Dimension::length);
    } else if (step.kind == Step::Kind::text || step.kind == Step::Kind::property) {
      for (const Particle& particle : particles) test.of_row.push_back(result_of(step, particle));
    }
    tests_.push_back(std::move(test));
  }
  std::size_t first = 0;
  for (const Topology::Molecule& molecule : topology.molecules()) {
    first_row_.push_back(first);
    first += molecule.atoms.size();
  }
  first_row_.push_back(first);
  for (std::size_t row = 0; row < particles.size(); ++row) {
    std::vector<Possible> stack;
    for (const Test& test : tests_) {
      switch (test.step.kind) {
        case Step::Kind::all:
          stack.push_back(Possible::yes);
          break;
        case Step::Kind::negate:
          if (stack.back() != Possible::either) {
            stack.back() = possible(stack.back() == Possible::no);
          }
          break;
        case Step::Kind::both:
        case Step::Kind::either: {
          const Possible last = stack.back();
          stack.pop_back();
          stack.back() = combined(test.step.kind, stack.back(), last);
          break;
        }
        case Step::Kind::text:
        case Step::Kind::number:
        case Step::Kind::property:
          stack.push_back(test.of_row.empty() ? Possible::either : possible(test.of_row[row] != 0));
      }
    }
    may_contain_.push_back(stack.back() != Possible::no);
  }
}

bool AtomGroup::run(std::size_t row, std::int64_t residue, std::int64_t id,
                    const Vec3* place) const {
  if (depends_on_row_only_) return may_contain_[row] != 0;
  if (may_contain_[row] == 0) return false;
  std::uint64_t stack = 0;  // of truth values; the top is the lowest bit
  const auto push = [&](bool value) { stack = stack << 1 | (value ? 1u : 0u); };
  for (const Test& test : tests_) {
    const Step& step = test.step;
    switch (step.kind) {
      case Step::Kind::all:
        push(true);
        break;
      case Step::Kind::text:
        push(test.of_row[row] != 0);
        break;
      case Step::Kind::number:
        push(step.contains(step.number == SelectionExpression::Number::residue ? residue
                           : step.number == SelectionExpression::Number::id    ? id
                                                                               : id - 1));
        break;
      case Step::Kind::property:
        push(asks_for_place(step)
                 ? step.holds((*place)[static_cast<int>(step.property)] * test.unit)
                 : test.of_row[row] != 0);
        break;
      case Step::Kind::negate:
        stack ^= 1;
        break;
      case Step::Kind::both:
        stack = (stack >> 2 << 1) | ((stack >> 1) & stack & 1);
        break;
      case Step::Kind::either:
        stack = (stack >> 2 << 1) | (((stack >> 1) | stack) & 1);
        break;
    }
  }
  return (stack & 1) != 0;
}

bool AtomGroup::evaluate(std::int64_t id, std::int64_t type, const Vec3* place) const {
  if (topology_->empty()) {
    return run(static_cast<std::size_t>(type), residue_order(id, 0), id, place);
  }
  const Topology::Place at = topology_->place_of(id);
  return run(first_row_[at.molecule] + static_cast<std::size_t>(at.atom),
             topology_->residue_order_of(at), id, place);
}

bool AtomGroup::contains(std::int64_t id, const Position& position, const Box& box) const {
  if (!depends_on_position_) return evaluate(id, position.type, nullptr);
  int image[3];
  const Vec3 place = box.wrap(position.vector(), image);
  return evaluate(id, position.type, &place);
}

bool AtomGroup::contains(std::int64_t id, std::int64_t type) const {
  return evaluate(id, type, nullptr);
}

bool AtomGroup::may_contain_molecule(std::size_t kind) const {
  return std::any_of(may_contain_.begin() + static_cast<std::ptrdiff_t>(first_row_[kind]),
                     may_contain_.begin() + static_cast<std::ptrdiff_t>(first_row_[kind + 1]),
                     [](char may) { return may != 0; });
}

}  // namespace sterna::md
