// Torque-free rotations of rigid bodies, written once over vectors of doubles and compiled once for
// each instruction set. Each lane has a body of the same shape.

#include "md/integrate/kernels/no_squish.hpp"
#include "md/integrate/kernels/turn_kernels.hpp"
#include "md/simd/vectors.hpp"

namespace sterna::md {
namespace {

bool turn(const Vec3& inverse_inertia, double time, TurnWork& work) {
  using Numbers = Vector<double>;
  TurnWork turned;
  Numbers largest{};
  for (std::size_t lane = 0; lane < bodies_together; lane += lanes<double>) {
    TurningBody<Numbers> body;
    body.w = load(work.orientation[0] + lane);
    body.x = load(work.orientation[1] + lane);
    body.y = load(work.orientation[2] + lane);
    body.z = load(work.orientation[3] + lane);
    body.set_momentum(load(work.momentum[0] + lane), load(work.momentum[1] + lane),
                      load(work.momentum[2] + lane));
    body.turn(inverse_inertia, time, [&](const Numbers& angle) {
      largest = larger(largest, angle * angle);
      return small_sine_cosine<Numbers>(angle);
    });
    const Numbers orientation[] = {body.w, body.x, body.y, body.z};
    for (int k = 0; k < 4; ++k) {
      *reinterpret_cast<Numbers*>(turned.orientation[k] + lane) = orientation[k];
    }
  }
  // The negated test below also catches NaN.
  const Bits<double> is_small = largest <= small_angle_squared;
  if (any(~is_small)) return false;
  for (int k = 0; k < 4; ++k) {
    for (std::size_t lane = 0; lane < bodies_together; ++lane) {
      work.orientation[k][lane] = turned.orientation[k][lane];
    }
  }
  return true;
}

constexpr TurnKernels kernels{STERNA_KERNEL_NAME, turn};

}  // namespace
}  // namespace sterna::md
