"""Input scripts of LAMMPS, run command by command, and the data files that they read.

- `script`: lines, words and control of a script; `variables`: its variables and formulas;
- `commands`: what each command does to the `state`, a file for each family;
- `data_file`: header and sections of a data file; `atoms`: its atoms;
- `pair_styles`, `bonded_styles`: the styles, a row of a table each;
- `special_pairs`, `constraints`, `fixes`: what else acts;
- `lammps_system`: all of it as a system to import;
- `judge`: LAMMPS itself, beside the imported system.

Source: https://docs.lammps.org, the page of each command and style.
"""
