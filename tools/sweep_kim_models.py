"""Computes with each installed portable model of OpenKIM, and lists those that fail with reasons.

    python tools/sweep_kim_models.py [PART_OF_NAME] > benchmarks/results/kim_models.txt

A rattled face-centered crystal of 32 atoms, with all species of a model in turn, of 4 angstrom or, if
nothing acts there, of 2.9 or 7. Forces must add up to 0, and one of them must be the
difference of energies. Models run in processes of their own in groups, so that one that ends its
process is found.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

STEP = 1e-5  # angstrom, of differences
GROUP = 40  # models of a process
FOLDER = Path("/usr/lib/x86_64-linux-gnu/kim-api/portable-models")


def crystal(a: float) -> numpy.ndarray:
    """The rattled places of 32 atoms."""
    basis = numpy.array([[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])
    cells = numpy.array([[x, y, z] for x in range(2) for y in range(2) for z in range(2)])
    k = 1 + numpy.arange(32)[:, None]
    return a * (cells[:, None] + basis).reshape(-1, 3) + 0.1 * numpy.sin(
        k * [12.9898, 78.233, 37.719]
    )


def computed(model: str, species: list[str], a: float, position: numpy.ndarray) -> tuple:
    """Energy, forces and influence distance in angstrom."""
    import sterna

    types = [{"name": name, "mass": 50.0} for name in species]
    settings = sterna.Input(
        units="metal",
        run={"timestep": 0.001},
        interaction={"cutoff": 3.0},
        neighbor={"skin": 0.3},
        type=types,
        kim={"model": model},
    )
    system = sterna.System.from_arrays(
        numpy.full(3, 2 * a), position, type=numpy.arange(32) % len(species)
    )
    with sterna.Simulation(settings, system) as simulation:
        simulation.measure()
        return simulation.energies["kim"], simulation.gather("force")


def species_of(model: str) -> list[str]:
    """The species of a model, from the message for one that it lacks."""
    try:
        computed(model, ["no"], 4.0, crystal(4.0))
    except Exception as error:
        found = re.search(r'has no species "no"; it has (.*)', str(error))
        if found is None:
            raise
        return found[1].split(", ")
    raise AssertionError(model)


def examined(model: str) -> str:
    """ "ok" or the reason why not."""
    species = species_of(model)
    for a in (4.0, 2.9, 7.0):
        position = crystal(a)
        energy, force = computed(model, species, a, position)
        if numpy.abs(force).max() > 0.0:
            break
    else:
        return "no forces at 2.9, 4 and 7 angstrom"
    size = numpy.abs(force).max()
    if numpy.abs(force.sum(axis=0)).max() > 1e-6 * max(1.0, size):
        return f"forces add up to {numpy.abs(force.sum(axis=0)).max():.2g} eV/angstrom"
    atom, axis = numpy.unravel_index(numpy.abs(force).argmax(), force.shape)
    ends = []
    for sign in (-1, 1):
        moved = position.copy()
        moved[atom, axis] += sign * STEP
        ends.append(computed(model, species, a, moved)[0])
    difference = (ends[0] - ends[1]) / (2 * STEP) - force[atom, axis]
    if abs(difference) > 1e-4 * max(1.0, size):
        return f"the force differs from the difference of energies by {difference:.3g} eV/angstrom"
    return "ok"


def examine_group(models: list[str]) -> None:
    """Prints a line of JSON for each model."""
    for model in models:
        try:
            result = examined(model)
        except Exception as error:
            result = " ".join(str(error).split())[:200]
        print("\n" + json.dumps([model, result]), flush=True)


def main() -> None:
    """Examines all models whose names have the argument, and prints the failures and a sum."""
    if len(sys.argv) > 1 and sys.argv[1] == "--group":
        examine_group(json.loads(sys.argv[2]))
        return
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    left = sorted(path.name for path in FOLDER.iterdir() if part in path.name)
    count, good = len(left), 0
    while left:
        group = left[:GROUP]
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, str(Path(__file__).resolve()), "--group", json.dumps(group)],
                cwd=folder,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
        found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('["')]
        if len(found) < len(group):
            found.append([group[len(found)], f"ends the process with code {done.returncode}"])
        for model, result in found:
            good += result == "ok"
            if result != "ok":
                print(f"{model}: {result}", flush=True)
        left = left[len(found) :]
    print(f"{good} of {count} models compute, with forces that are differences of their energies")


if __name__ == "__main__":
    main()
