"""Topologies and places of GROMACS, read as GROMACS reads them.

- `preprocessor`: lines after #include, #ifdef and #define;
- `functions`: what a line of each section has, by function type;
- `topology`: sections, entries and molecules as they stand in the files;
- `nonbonded_types`, `bonded_types`, `cmap_types`: parameters by the types of atoms;
- `exclusions`: atoms at most nrexcl bonds apart;
- `pairs`: exclusions and 1-4 pairs;
- `bonded`: bonds, angles and dihedrals as terms of Sterna;
- `constraints`: distances that stay as they are;
- `virtual_sites`: virtual sites, and terms that they make constant;
- `molecule_terms`: all of that of one kind of molecule;
- `coordinates`: GRO files;
- `gromacs_system`: all of it as a system to import;
- `notes`: what users must know of the files;
- `judge`: energies and forces by GROMACS itself.

Source: https://manual.gromacs.org, "Topologies" and "File formats", and the sources of grompp.
"""
