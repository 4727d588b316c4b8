#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sterna::md {

/// What a user should do with a file of another program, told by its name, such as conf.gro or
/// POSCAR: "is a structure of GROMACS; convert it to ...". Nothing for any other name.
std::optional<std::string> foreign_file_advice(std::string_view path);

}  // namespace sterna::md
