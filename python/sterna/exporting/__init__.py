"""`sterna export`: trajectories and systems in the formats of other programs.

- `table`: what a format is, and the list of them;
- `formats`: one file for each;
- `frames`: which frames are written;
- `start`: the start of an input that was not run;
- `model`, `quantities`: types, pairs and molecules of an input, and its numbers in other units;
- `lammps_force_field`, `lammps_terms`, `lammps_units`: what LAMMPS has;
- `gromacs`: what GROMACS has.
"""
