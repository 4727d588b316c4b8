"""Data files of LAMMPS, with the commands of an input script that say what acts.

- `data_file`: header and sections of a data file;
- `script`: the commands of an input script that say what acts;
- `styles`: styles of bonds, angles, dihedrals, impropers and pairs;
- `lammps_system`: all of it as a system to import.

Source: https://docs.lammps.org, pages read_data and those of each style.
"""
