#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sterna::md {

/// Advice on a file of another program, recognized by its name, such as conf.gro or POSCAR: "is a
/// structure of GROMACS; convert it to ...". Nothing for other names.
std::optional<std::string> foreign_file_advice(std::string_view path);

}  // namespace sterna::md
