#include "md/input/sections/output_section.hpp"

#include "md/input/run_files.hpp"
#include "md/input/sections/section.hpp"
#include "md/system/particle_fields.hpp"

namespace sterna::md::section {

// It is long because it is a table, with a row for each key of the section.
InputSection output() {
  return {
      .schema = {.name = "output",
                 .description = "What is written, where, and how often.",
                 .keeps_state = true},
      .keys = {
          {.name = "directory",
           .target = target_in<&Input::output, &OutputSection::directory>,
           .description = "Folder of all output files, relative to where the program is started; "
                          "made if it does not exist.",
           .aliases = {"folder", "dir", "path"}},
          {.name = "thermo_interval",
           .target = target_in<&Input::output, &OutputSection::thermo_interval>,
           .description = "Steps between two lines of energy, temperature and pressure.",
           .range = {.minimum = 1.0, .maximum = most_steps},
           .aliases = {"thermo", "log_interval", "energy_interval"}},
          {.name = "equilibration",
           .target = target_in<&Input::output, &OutputSection::equilibration>,
           .description = "Steps at the start that no average has: neither the averages at the "
                          "end, nor what observers find. Without this key is left out where "
                          "temperature, potential energy or volume had not settled, at most half "
                          "of the run (MSER: White, Simulation 69, 323 (1997)). A run that has "
                          "not settled says so at its end.",
           .default_text = "found at the end",
           .range = {.minimum = 0.0, .maximum = most_steps},
           .aliases = {"equilibration_steps", "discard", "burn_in"}},
          {.name = "trajectory_interval",
           .target = target_in<&Input::output, &OutputSection::trajectory_interval>,
           .description = "Steps between two frames of the trajectory. 0: no trajectory.",
           .range = {.minimum = 0.0, .maximum = most_steps},
           .aliases = {"trajectory", "dump", "dump_interval", "frame_interval"}},
          {.name = "trajectory_fields",
           .target = target_in<&Input::output, &OutputSection::trajectory_fields>,
           .description = "What a frame holds.",
           .choices = trajectory_field_names,
           .aliases = {"fields"}},
          {.name = "trajectory_precision",
           .target = target_in<&Input::output, &OutputSection::trajectory_precision>,
           .description =
               "Of the numbers in the trajectory: \"double\" (8 bytes) or \"single\" (4).",
           .aliases = {"dump_precision"}},
          {.name = "trajectory_compression",
           .target = target_in<&Input::output, &OutputSection::trajectory_compression>,
           .aliases = {"compression", "compress"},
           .if_true = "lossless",
           .if_false = "none"},
          {.name = "trajectory_rounding",
           .target = target_in<&Input::output, &OutputSection::trajectory_rounding>,
           .description = "Positions in the trajectory are rounded to within this length, so that "
                          "they compress. 0: all digits are kept.",
           .dimension = Dimension::length,
           .range = {.minimum = 0.0},
           .aliases = {"dump_rounding"}},
          {.name = "xtc_interval",
           .target = target_in<&Input::output, &OutputSection::xtc_interval>,
           .description =
               "Steps between two frames of a second trajectory in GROMACS's compressed format "
               "XTC: positions only, with the sites of rigid molecules as atoms. 0: none. `sterna "
               "export` writes the topology that programs want beside it.",
           .range = {.minimum = 0.0, .maximum = most_steps},
           .aliases = {"xtc", "nstxout_compressed", "nstxtcout"}},
          {.name = "xtc_rounding",
           .target = target_in<&Input::output, &OutputSection::xtc_rounding>,
           .description = "Positions in the XTC file are multiples of this length: one over what "
                          "GROMACS calls its precision.",
           .dimension = Dimension::length,
           .range = {.minimum = 0.0, .exclusive_minimum = true},
           .aliases = {"compressed_x_precision", "xtc_precision"}},
          {.name = "checkpoint_interval",
           .target = target_in<&Input::output, &OutputSection::checkpoint_interval>,
           .description = "Steps between two checkpoints. 0: only by `checkpoint_time`, at the end "
                          "and on SIGTERM.",
           .range = {.minimum = 0.0, .maximum = most_steps},
           .aliases = {"checkpoint", "restart", "restart_interval"}},
          {.name = "checkpoint_time",
           .target = target_in<&Input::output, &OutputSection::checkpoint_time>,
           .description =
               "Wall time after which a checkpoint is written, so that a crash loses no more than "
               "this: seconds, or a text such as \"5 min\". 0: never by the clock.",
           .default_text = "`\"15 min\"`",
           .wall_clock = true,
           .range = {.minimum = 0.0, .maximum = 1e7},
           .aliases = {"checkpoint_minutes", "cpt", "checkpoint_wall_time"}},
          {.name = "report",
           .target = target_in<&Input::output, &OutputSection::report>,
           .description = "Whether the report is written at the end of the run, also of one that "
                          "failed: `NAME.report.html` beside the log, which names it. The Python "
                          "package writes it, also where `mpiexec` or `srun` started `sterna-md`.",
           .aliases = {"html", "write_report"}},
          {.name = "export",
           .target = target_in<&Input::output, &OutputSection::exports>,
           .description =
               "Formats of other programs that the trajectory is converted to at the end of the "
               "run, also of one that was interrupted or failed: `NAME.export.dcd`, with the sites "
               "of rigid molecules as atoms. \"data\" and \"gro\" hold the last frame. The Python "
               "package does it, as it writes the report; what it lacks for a format it says "
               "before the run.",
           .choices =
               [] {
                 const auto formats = export_formats();
                 return std::vector<std::string_view>(formats.begin(), formats.end());
               },
           .aliases = {"exports", "formats", "convert", "trajectory_formats"}},
          {.name = "timing",
           .target = target_in<&Input::output, &OutputSection::timing>,
           .aliases = {"timer", "timing_breakdown", "timing_mode"}}}};
}

}  // namespace sterna::md::section
