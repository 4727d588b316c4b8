#include "md/simulation/system.hpp"

#include <fmt/format.h>

#include <utility>

namespace sterna::md {

namespace {

/// A number with all its digits. NaN and infinity give texts that every key rejects.
std::string number(double value) {
  std::string text = fmt::format("{:.17g}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string temperature_line(const std::optional<double>& temperature) {
  return temperature ? fmt::format("temperature = {}\n", number(*temperature)) : "";
}

/// A text as a basic string of TOML.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace

System System::lattice(const Lattice& lattice) {
  System system;
  system.start_ =
      fmt::format("kind = \"lattice\"\nlattice = {}\ncells = [{}, {}, {}]\ndensity = {}\n",
                  quoted(lattice.kind), lattice.cells[0], lattice.cells[1], lattice.cells[2],
                  number(lattice.density)) +
      temperature_line(lattice.temperature);
  return system;
}

System System::random(const Random& random) {
  System system;
  system.start_ = fmt::format("kind = \"random\"\nparticles = {}\ndensity = {}\n", random.particles,
                              number(random.density)) +
                  temperature_line(random.temperature);
  return system;
}

System System::from_particles(const Box& box, Particles particles,
                              std::optional<double> temperature) {
  System system;
  system.start_ = fmt::format("kind = \"program\"\nbox = [{}, {}, {}]\n", number(box.length.x),
                              number(box.length.y), number(box.length.z));
  if (!box.tilt.none()) {
    system.start_ += fmt::format("tilt = [{}, {}, {}]\n", number(box.tilt.xy), number(box.tilt.xz),
                                 number(box.tilt.yz));
  }
  system.start_ += temperature_line(temperature);
  system.particles_ = std::move(particles);
  return system;
}

std::string System::input_text() const {
  std::string text = "\n[start]\n" + start_;
  for (const Type& type : types) {
    text += fmt::format("\n[[type]]\nname = {}\nfraction = {}\n", quoted(type.name),
                        number(type.fraction));
    if (type.mass) text += fmt::format("mass = {}\n", number(*type.mass));
    if (type.epsilon) text += fmt::format("epsilon = {}\n", number(*type.epsilon));
    if (type.sigma) text += fmt::format("sigma = {}\n", number(*type.sigma));
    if (type.charge != 0.0) text += fmt::format("charge = {}\n", number(type.charge));
  }
  return text;
}

}  // namespace sterna::md
