#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "md/core/quaternion.hpp"
#include "md/core/vector.hpp"
#include "md/forces/body_pairs.hpp"
#include "md/model/molecule_model.hpp"
#include "md/model/soft_core.hpp"

namespace sterna::md {

/// Pairs of rigid molecules, or of one and an atom, whose Lennard-Jones sites may have soft cores: one
/// pair after the other in plain double precision. Kinds are components of the model. A cutoff between
/// centers ends a pair of molecules, and one between sites ends a pair of Lennard-Jones sites where the
/// softened distance is the cutoff.
class SoftMolecules final : public BodyPairs {
 public:
  SoftMolecules(MoleculeModel model, const SoftCore& core);

  bool act(std::size_t a, std::size_t b) const override {
    return !wells(a, b).empty() || !multipoles(a, b).empty();
  }
  bool have_wells(std::size_t a, std::size_t b) const override { return !wells(a, b).empty(); }
  double range() const override { return range_; }
  void turn(std::size_t kind, const Quaternion& orientation,
            std::vector<Vec3>& into) const override;
  BodyPairSums van_der_waals(std::size_t a, std::size_t b, const Vec3& d,
                             std::span<const Vec3> of_a, std::span<const Vec3> of_b,
                             double lambda) const override;
  BodyPairSums electrostatic(std::size_t a, std::size_t b, const Vec3& d,
                             std::span<const Vec3> of_a, std::span<const Vec3> of_b) const override;

 private:
  struct Well {
    std::size_t point_a, point_b;
    double c6, c12, shift;  ///< the shift is subtracted from the energy
    double sigma6;          ///< sixth power of the size in the soft core
  };
  enum class Order { charge, dipole, quadrupole };
  struct Multipole {
    Order order;
    std::size_t point, direction;
    double strength;  ///< of a dipole it is 1: the direction has the moment
  };
  struct MultipolePair {
    Multipole a, b;
    double field;  ///< strength of the reaction field
  };
  /// Factor, power of 1/r, and a function of the cosines of both directions with r, and of their
  /// product, with its three derivatives.
  struct Form {
    double factor;
    int power;
    double value, by_a, by_b, by_product;
  };

  const std::vector<Well>& wells(std::size_t a, std::size_t b) const {
    return wells_[a * shapes_.size() + b];
  }
  const std::vector<MultipolePair>& multipoles(std::size_t a, std::size_t b) const {
    return multipoles_[a * shapes_.size() + b];
  }
  void add_shape(const Component& component);
  std::vector<Well> wells_between(std::size_t a, std::size_t b, const SoftCore& core) const;
  std::vector<MultipolePair> multipoles_between(std::size_t a, std::size_t b) const;
  static Form form_of(const MultipolePair& pair, double cosine_a, double cosine_b, double product);

  MoleculeModel model_;
  SoftCore core_;
  double range_;
  std::vector<std::vector<Vec3>> shapes_;  ///< vectors of each kind in the body frame
  std::vector<std::vector<Multipole>> sites_;
  std::vector<std::vector<Well>> wells_;  ///< kinds^2, like the next
  std::vector<std::vector<MultipolePair>> multipoles_;
};

}  // namespace sterna::md
