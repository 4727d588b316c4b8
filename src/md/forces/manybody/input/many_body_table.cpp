#include "md/forces/manybody/input/many_body_table.hpp"

#include <fmt/format.h>

#include "md/core/display_text.hpp"
#include "sterna/comm/joined.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {

std::span<const ManyBodyRow> many_body_rows() {
  static const ManyBodyRow rows[] = {tersoff_row(), stillinger_weber_row(), embedded_atom_row(),
                                     snap_row(), ace_row()};
  return rows;
}

void throw_no_published_parameters(const Input& input, std::size_t type, ManyBodyKind kind,
                                   std::string_view noun, std::span<const std::string_view> known) {
  const std::string& name = parameters_of(input, type, kind);
  std::string message = fmt::format("there are no published parameters {} of {}; there are {}",
                                    quote(name), noun, comm::joined(known, ", "));
  if (const auto near = comm::nearest_name(name, known)) {
    message += fmt::format("; did you mean {}?", quote(*near));
  }
  throw ManyBodyInputError(place_of_parameters(input, type, kind), message);
}

}  // namespace sterna::md
