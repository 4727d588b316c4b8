"""A file for each format that trajectories are exported to."""
