"""`sterna import`: systems of other programs as inputs of Sterna.

- `command`: `sterna import` itself;
- `checks`: what is wrong with files of other programs, by line and column;
- `text`: lines with their places, for messages;
- `sources`: files of other programs to a system of OpenMM;
- `forces`: the forces of such a system to terms of molecules, one function for each class;
- `lennard_jones`: its Lennard-Jones pairs, whatever formula they have;
- `openmm_system`: all of it as a `system.System`;
- `hydrogen_mass`: mass moved from heavy atoms to hydrogen;
- `rigid_water`: water whatever its residue is called;
- `gromacs`: topologies of GROMACS as one;
- `amber`, `charmm`: files of AMBER and CHARMM as one;
- `lammps`: data files of LAMMPS as one;
- `molecules`: atoms and terms to kinds of molecules;
- `restraints`: position restraints;
- `output_intervals`: intervals of output beside multiple time steps;
- `ended_pairs`: pairs of a judge that end as CHARMM's do;
- `files`: the input, the start file and the files of large molecules;
- `comparison`: energies and forces beside those of OpenMM; `gromacs.judge`: of GROMACS;
- `rigid`: structures of rigid molecules as `[[component]]`s;
- `molmod`: models of MolMod and ms2 as `[[component]]`s.
- `ms2`: a state of ms2 with such models.
"""
