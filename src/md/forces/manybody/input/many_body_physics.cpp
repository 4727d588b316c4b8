#include "md/forces/manybody/input/many_body_physics.hpp"

#include "md/forces/manybody/input/check_many_body.hpp"
#include "md/forces/manybody/input/embedded_atom_input.hpp"
#include "md/forces/manybody/input/tersoff_input.hpp"
#include "md/input/sections/section.hpp"

namespace sterna::md {
namespace {

using section::target_in;
using section::target_in_table;

std::vector<AddedKey> keys_of_many_body() {
  return {{"type",
           "sigma",
           {.name = "tersoff",
            .target = target_in_table<&Input::types, &TypeSection::tersoff>,
            .description = "Parameters of Tersoff's potential: \"Si(B)\", \"Si(C)\", \"Si(D)\", "
                           "\"C\" or \"Ge\"; or, with `parameter_file`, the name of an element "
                           "there. \"Si\" is Si(D), which can be mixed with C and with Ge. With "
                           "`potential = \"lennard_jones\"` the types that have this key interact "
                           "with each other by Tersoff's potential, and with all others in pairs.",
            .default_text = "with `potential = \"tersoff\"` the name of the type"}},
          {"type",
           "tersoff",
           {.name = "embedded_atom",
            .target = target_in_table<&Input::types, &TypeSection::embedded_atom>,
            .description = "Element of `embedded_atom_file` whose functions the type has. With "
                           "`potential = \"lennard_jones\"` as of `tersoff`.",
            .default_text = "with `potential = \"embedded_atom\"` the name of the type",
            .aliases = {"eam"}}},
          {"interaction",
           "potential",
           {.name = "parameter_file",
            .target = target_in<&Input::interaction, &InteractionSection::parameter_file>,
            .description = "Parameters of Tersoff's potential in the format of LAMMPS, in place of "
                           "the published ones by name; relative to the folder of the input file.",
            .names_file = true,
            .aliases = {"parameters", "pair_coeff"}}},
          {"interaction",
           "parameter_file",
           {.name = "embedded_atom_file",
            .target = target_in<&Input::interaction, &InteractionSection::embedded_atom_file>,
            .description = "Functions of the embedded-atom method: funcfl, setfl (eam/alloy) or "
                           "Finnis-Sinclair (eam/fs); relative to the folder of the input file.",
            .names_file = true,
            .aliases = {"eam_file"}}}};
}

std::string text_of_parameter_file(const Input& input) {
  return input.interaction.parameter_file.empty() ? std::string() : tersoff_parameter_text(input);
}
std::string text_of_embedded_atom_file(const Input& input) {
  return input.interaction.embedded_atom_file.empty() ? std::string() : embedded_atom_text(input);
}

}  // namespace

PhysicsRow physics::many_body() {
  return {.name = "many_body",
          .sentence = "potentials of solids and metals, whose energy is no sum over pairs",
          .keys = keys_of_many_body,
          .check = check_many_body,
          .files = {{"parameter_file", "the file of parameters", text_of_parameter_file},
                    {"embedded_atom_file", "the file of the embedded-atom method",
                     text_of_embedded_atom_file}},
          .citations = tersoff_citations,
          .bibliography = tersoff_bibliography};
}

}  // namespace sterna::md
