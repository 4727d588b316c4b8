#include "python/models.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <stdexcept>

#include "md/core/units.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::python {
namespace nb = nanobind;
namespace {

using Tensor = nb::ndarray<const double, nb::shape<3, 3>, nb::c_contig, nb::device::cpu>;

/// The six components of a tensor of Python in the order of EnergyAndVirial.
std::array<double, 6> components(const nb::handle& tensor) {
  const auto values = nb::cast<Tensor>(tensor);
  constexpr int places[6] = {0, 4, 8, 1, 2, 5};
  std::array<double, 6> six{};
  for (std::size_t k = 0; k < 6; ++k) six[k] = values.data()[places[k]];
  return six;
}

template <class Value>
void append(std::string& bytes, std::span<const Value> values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

template <class Value>
nb::object copy_of(const std::string& bytes, std::size_t offset, std::size_t rows,
                   std::size_t columns) {
  auto* const kept = new std::vector<Value>(rows * columns);
  const nb::capsule owner(kept,
                          [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
  if (!kept->empty())
    std::memcpy(kept->data(), bytes.data() + offset, kept->size() * sizeof(Value));
  const std::size_t shape[2] = {rows, columns};
  return nb::cast(nb::ndarray<nb::numpy, Value>(kept->data(), columns == 1 ? 1 : 2, shape, owner));
}

}  // namespace

nb::object Neighbors::array(const std::string& name) const {
  NeighborArrays& of = *arrays_;
  const nb::capsule owner(new std::shared_ptr<NeighborArrays>(arrays_), [](void* p) noexcept {
    delete static_cast<std::shared_ptr<NeighborArrays>*>(p);
  });
  const auto rows = [&](std::vector<double>& values) {
    const std::size_t shape[2] = {values.size() / 3, 3};
    return nb::cast(nb::ndarray<nb::numpy, double>(values.data(), 2, shape, owner));
  };
  const auto whole = [&](std::vector<std::int64_t>& values) {
    const std::size_t shape[1] = {values.size()};
    nb::object array =
        nb::cast(nb::ndarray<nb::numpy, std::int64_t>(values.data(), 1, shape, owner));
    array.attr("flags").attr("writeable") = false;
    return array;
  };
  if (name == "position") return rows(of.position);
  if (name == "vector") return rows(of.vector);
  if (name == "force") return rows(of.force);
  if (name == "type") return whole(of.type);
  if (name == "id") return whole(of.id);
  if (name == "i") return whole(of.first);
  if (name == "j") return whole(of.second);
  if (name == "begin") return whole(of.begin);
  throw std::invalid_argument(fmt::format("neighbors have no array \"{}\"", name));
}

void Neighbors::add_gradient(const Rows& gradient) {
  NeighborArrays& of = *arrays_;
  if (gradient.shape(0) != of.first.size()) {
    throw std::invalid_argument(
        fmt::format("add_gradient: the array has {} rows, expected one for each of {} pairs",
                    gradient.shape(0), of.first.size()));
  }
  for (std::size_t pair = 0; pair < of.first.size(); ++pair) {
    double* const on_first = of.force.data() + 3 * of.first[pair];
    double* const on_second = of.force.data() + 3 * of.second[pair];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double g = gradient.data()[3 * pair + axis];
      on_first[axis] += g;
      on_second[axis] -= g;
    }
  }
}

PythonModel::PythonModel(std::string name, const Options& options, Simulation& simulation,
                         const nb::object& owner, int number)
    : name_(std::move(name)),
      options_(options),
      simulation_(simulation),
      method_(owner, "_model", number),
      length_unit_(simulation.unit(md::Dimension::length)),
      arrays_(std::make_shared<NeighborArrays>()) {}

void PythonModel::connect(const comm::Context& context, const md::Decomposition& decomposition,
                          double skin) {
  context_ = context;
  neighborhood_.emplace(
      context, decomposition,
      md::Neighborhood::Options{.range = options_.layers * options_.cutoff,
                                .skin = skin,
                                .cutoff = options_.of_pairs ? options_.cutoff : 0.0,
                                .ghost_steps = options_.layers - 1,
                                .returns_forces = options_.of_pairs});
}

void PythonModel::set_decomposition(const md::Decomposition& decomposition) {
  neighborhood_->set_decomposition(decomposition);
}

void PythonModel::rebuild(const md::ParticleStore& particles) {
  neighborhood_->rebuild(particles);
}

void PythonModel::start(const md::ParticleStore& particles) {
  neighborhood_->start(particles);
}

void PythonModel::fill_atoms() {
  const md::ParticleStore& atoms = neighborhood_->atoms();
  NeighborArrays& to = *arrays_;
  to.local = atoms.local_count();
  to.position.resize(3 * atoms.total_count());
  to.type.resize(atoms.total_count());
  to.id.assign(atoms.id.data(), atoms.id.data() + atoms.total_count());
  for (std::size_t i = 0; i < atoms.total_count(); ++i) {
    const md::Position& from = atoms.position[i];
    to.type[i] = from.type;
    to.position[3 * i] = length_unit_ * from.x;
    to.position[3 * i + 1] = length_unit_ * from.y;
    to.position[3 * i + 2] = length_unit_ * from.z;
  }
  to.force.assign(to.position.size(), 0.0);
}

void PythonModel::fill_step() {
  // An array that Python has kept is left to it.
  if (arrays_.use_count() > 1) arrays_ = std::make_shared<NeighborArrays>();
  fill_atoms();
  NeighborArrays& to = *arrays_;
  to.first.clear();
  to.second.clear();
  to.vector.clear();
  to.begin.assign(to.type.size() + 1, 0);
  if (!options_.of_pairs) return;
  neighborhood_->for_each_pair([&](std::uint32_t i, std::uint32_t j, const md::Vec3& d) {
    to.first.push_back(i);
    to.second.push_back(j);
    for (const double x : {d.x, d.y, d.z}) to.vector.push_back(length_unit_ * x);
    ++to.begin[i + 1];
  });
  for (std::size_t i = 1; i < to.begin.size(); ++i) to.begin[i] += to.begin[i - 1];
}

void PythonModel::finish(md::ParticleStore& particles, md::EnergyAndVirial* sums) {
  neighborhood_->finish();
  fill_step();
  // Where Python fails on one rank, all ranks still exchange what they have.
  simulation_.call_python([&] {
    const nb::object result = method_.call(Neighbors(arrays_), sums != nullptr);
    if (result.is_none()) return;
    const double energy_unit = 1.0 / simulation_.unit(md::Dimension::energy);
    const double force_unit = 1.0 / simulation_.unit(md::Dimension::force);
    const double energy = nb::cast<double>(result[0]);
    const std::array<double, 6> virial = components(result[1]);
    const std::span<md::PaddedForce> force = neighborhood_->force();
    for (std::size_t i = 0; i < force.size(); ++i) {
      const double* const row = arrays_->force.data() + 3 * i;
      force[i] = {force_unit * row[0], force_unit * row[1], force_unit * row[2], 0.0};
    }
    if (sums == nullptr) return;
    sums->energy += energy_unit * energy;
    for (std::size_t k = 0; k < 6; ++k) sums->virial[k] += energy_unit * virial[k];
  });
  if (!options_.of_pairs && sums != nullptr) check_momentum();
  neighborhood_->return_forces(particles, options_.of_pairs ? sums : nullptr);
}

void PythonModel::check_momentum() {
  double sum[3] = {}, size = 0.0;
  for (std::size_t i = 0; i < neighborhood_->atoms().local_count(); ++i) {
    const md::PaddedForce& f = neighborhood_->force()[i];
    sum[0] += f.x;
    sum[1] += f.y;
    sum[2] += f.z;
    size += std::abs(f.x) + std::abs(f.y) + std::abs(f.z);
  }
  comm::ReductionBatch(*context_, "sum of a model's forces")
      .sum(sum[0])
      .sum(sum[1])
      .sum(sum[2])
      .sum(size)
      .run();
  const double left = std::abs(sum[0]) + std::abs(sum[1]) + std::abs(sum[2]);
  if (left <= 1e-5 * size) return;
  simulation_.call_python([&] {
    throw comm::Error(
        fmt::format("force term \"{}\": the forces on all atoms add up to {:.2g} of their sizes, "
                    "so the atoms of "
                    "a rank feel others from beyond {:.6g}; expected a longer cutoff",
                    name_, left / size, options_.layers * options_.cutoff * length_unit_));
  });
}

GatheredModel::GatheredModel(std::string name, bool keeps_momentum, Simulation& simulation,
                             const nb::object& owner, int number)
    : name_(std::move(name)),
      keeps_momentum_(keeps_momentum),
      simulation_(simulation),
      method_(owner, "_gathered", number) {}

void GatheredModel::finish(md::ParticleStore& particles, md::EnergyAndVirial* sums) {
  const std::size_t mine = particles.local_count();
  const std::span<const md::Position> positions(particles.position.data(), mine);
  std::string bytes;
  append(bytes, std::span<const std::int64_t>(particles.id.data(), mine));
  std::vector<std::int64_t> types;
  std::vector<double> places;
  const double length_unit = simulation_.unit(md::Dimension::length);
  for (const md::Position& p : positions) {
    types.push_back(p.type);
    for (const double x : {p.x, p.y, p.z}) places.push_back(length_unit * x);
  }
  append(bytes, std::span<const std::int64_t>(types));
  append(bytes, std::span<const double>(places));
  const auto before =
      static_cast<std::size_t>(comm::exclusive_sum(*context_, static_cast<std::int64_t>(mine)));
  const std::vector<std::string> blocks = comm::gather(*context_, 0, bytes);
  std::string answer;  // energy, virial and forces of all, in the order of the ranks
  if (context_->rank() == 0) {
    std::string parts[3];
    constexpr std::size_t row_bytes = 5 * 8;
    std::size_t count = 0;
    for (const std::string& block : blocks) {
      const std::size_t rows = block.size() / row_bytes;
      parts[0] += block.substr(0, 8 * rows);
      parts[1] += block.substr(8 * rows, 8 * rows);
      parts[2] += block.substr(16 * rows);
      count += rows;
    }
    simulation_.call_python([&] {
      const nb::object result =
          method_.call(copy_of<std::int64_t>(parts[0], 0, count, 1),
                       copy_of<std::int64_t>(parts[1], 0, count, 1),
                       copy_of<double>(parts[2], 0, count, 3), sums != nullptr);
      if (result.is_none()) return;
      const double energy = nb::cast<double>(result[0]);
      const auto force = nb::cast<Neighbors::Rows>(result[1]);
      const std::array<double, 6> virial = components(result[2]);
      append(answer, std::span<const double>(&energy, 1));
      append(answer, std::span<const double>(virial));
      append(answer, std::span<const double>(force.data(), 3 * count));
    });
  }
  comm::broadcast(*context_, 0, answer);
  if (answer.empty()) return;  // rank 0 has failed, and the run ends
  std::vector<double> values(answer.size() / sizeof(double));
  std::memcpy(values.data(), answer.data(), answer.size());
  const double energy_unit = 1.0 / simulation_.unit(md::Dimension::energy);
  const double force_unit = 1.0 / simulation_.unit(md::Dimension::force);
  const double* const force = values.data() + 7 + 3 * before;
  for (std::size_t i = 0; i < mine; ++i) {
    particles.force[i] += force_unit * md::Vec3{force[3 * i], force[3 * i + 1], force[3 * i + 2]};
  }
  if (sums == nullptr || context_->rank() != 0) return;
  sums->energy += energy_unit * values[0];
  for (std::size_t k = 0; k < 6; ++k) sums->virial[k] += energy_unit * values[1 + k];
}

void bind_models(nb::module_& module) {
  nb::class_<Neighbors>(module, "Neighbors")
      .def_prop_ro("count", &Neighbors::count)
      .def("array", &Neighbors::array)
      .def("add_gradient", &Neighbors::add_gradient);
}

}  // namespace sterna::python
