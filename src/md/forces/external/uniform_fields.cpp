#include "md/forces/external/uniform_fields.hpp"

#include "md/core/cross_product.hpp"

namespace sterna::md {

UniformFields::UniformFields(const Box& box, std::span<const Component> components,
                             double charge_unit, std::span<const Field> fields)
    : box_(box), charge_unit_(charge_unit) {
  for (std::size_t type = 0; type < components.size(); ++type) {
    const Component& component = components[type];
    double charge = 0.0;
    OfType& own = types_.emplace_back();
    for (const Component::ChargeSite& site : component.charges) {
      charge += site.charge / charge_unit;
      own.dipole += (site.charge / charge_unit) * site.position;
    }
    for (const Component::DipoleSite& site : component.dipoles) {
      own.dipole += (1.0 / charge_unit) * site.moment;
    }
    for (const Field& field : fields) {
      if (field.type >= 0 && static_cast<std::size_t>(field.type) != type) continue;
      own.force +=
          field.force + component.mass * field.acceleration + charge * field.electric_field;
      own.electric_field += field.electric_field;
    }
    own.charge = charge;
    own.turns = own.dipole != Vec3{} && own.electric_field != Vec3{};
  }
}

void UniformFields::finish(ParticleStore& particles, EnergyAndVirial* sums) {
  double energy = 0.0;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const OfType& own = types_[static_cast<std::size_t>(particles.position[i].type)];
    Vec3 force = own.force;
    if (topology_ != nullptr) {
      const double charge = topology_->atom_of(particles.id[i]).charge / charge_unit_;
      force += (charge - own.charge) * own.electric_field;
    }
    particles.force[i] += force;
    if (sums != nullptr) {
      const Image& image = particles.image[i];
      energy -=
          dot(force, particles.position[i].vector() + box_.translation(image.x, image.y, image.z));
    }
    if (!own.turns || !particles.turns(i)) continue;
    const Vec3 dipole = particles.orientation[i].to_lab(own.dipole);
    particles.torque[i] += cross(dipole, own.electric_field);
    energy -= dot(dipole, own.electric_field);
  }
  if (sums != nullptr) sums->energy += energy;
}

}  // namespace sterna::md
