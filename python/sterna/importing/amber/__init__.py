"""Files of AMBER, read as sander and pmemd read them.

- `prmtop`: sections of a topology, with the place of each value;
- `terms`: bonded terms, exclusions and 1-4 pairs; `phases`: what is pi for AMBER;
- `pairs`: Lennard-Jones coefficients of pairs of types;
- `extra_points`: the sites of four- and five-point water;
- `coordinates`, `netcdf`: places, velocities and the box;
- `mdin`: what an mdin file asks for; `namelist`: namelists of Fortran; `masks`: AMBER's selections;
- `judge`: OpenMM's reading of the same files;
- `amber_system`: all of it as a `system.System`.
"""
