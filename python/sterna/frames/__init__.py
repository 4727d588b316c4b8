"""Particles at a time: trajectories, start files, atoms to be seen, and objects of other packages."""
