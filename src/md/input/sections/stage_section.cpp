#include "md/input/sections/stage_section.hpp"

#include "md/input/sections/section.hpp"

namespace sterna::md::section {

InputSection stage() {
  return {
      .schema =
          {.name = "stage",
           .is_array = true,
           .tables = {.count = [](const Input&, std::size_t) { return std::size_t{1}; },
                      .resize = [](Input&, std::size_t, std::size_t) {}},
           .description =
               "A part of a run: minimize, heat, equilibrate, produce. Stages run one after the "
               "other, each from the end of the one before it. A stage has the keys of the whole "
               "input, but for those that its own sections give: `[stage.run]` below `[[stage]]` "
               "overrides keys of `[run]`, and `[[stage.thermostat]]` takes the place of all "
               "`[[thermostat]]`s. Files, steps and averages of each stage are its own: "
               "`NAME.STAGE.log.jsonl`.",
           .aliases = {"stages", "phase", "phases", "step"}},
      .keys = {{.name = "name",
                .target = target_in<&Input::stage, &StageSection::name>,
                .description = "Name of the stage, which its files have after that of the run.",
                .need = Need::required}}};
}

}  // namespace sterna::md::section
