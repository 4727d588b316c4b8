"""`sterna export`: trajectories in the formats of other programs.

- `table`: what a format is, and the list of them;
- `formats`: one file for each;
- `frames`: which frames are written;
- `lammps_units`: what LAMMPS's numbers mean.
"""
