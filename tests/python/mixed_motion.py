"""Motion of all kinds of matter in one system at constant energy: temperatures of each kind of motion in
independent samples."""

import json

import numpy
from engine_support import script_output
from mixed_everything import Everything

TEMPERATURE = 400.0  # K
#: Ions and water above a plate gather for longer than a test lasts, so that they are not there.
_GATHERING = ["sodium", "chloride", "rigid_water", "atomic_water"]
_BATH = f'{{"kind": "langevin", "temperature": {TEMPERATURE}, "time_constant": 0.02}}'

_EQUIPARTITION = """
import json, numpy, sterna
settings = sterna.Input.read("all.toml")
boltzmann = 0.00831446261815324
mass_of = {"Si": 28.0855, "Ar": 39.948, "X": 14.0, "Y": 16.0, "CO2": 44.009}
bath = sterna.Simulation(settings.replace(thermostat=BATH))
names = numpy.array(bath.type_names)[bath.gather("type")]
mass = numpy.array([mass_of[name] for name in names])
kinds = {"solid": ["Si"], "atoms": ["Ar"], "flexible": ["X", "Y"], "translation": ["CO2"]}
of = {name: numpy.isin(names, types) for name, types in kinds.items()}
degrees = {name: 3 * int(own.sum()) for name, own in of.items()}
degrees["rotation"] = 2 * int((names == "CO2").sum())
bath.run(4000)
found = []
for sample in range(SAMPLES):
    bath.run(APART)
    bath.save("state.checkpoint")
    free = sterna.Simulation.resume("state.checkpoint", settings)
    sums = {name: 0.0 for name in degrees}
    energies = []
    for _ in range(LENGTH // 10):
        free.run(10)
        energy = 0.5 * mass * (free.gather("velocity")**2).sum(axis=1)
        for name, own in of.items():
            sums[name] += energy[own].sum()
        sums["rotation"] += free.thermo["rotational_energy"]
        energies.append(free.thermo["total_energy"])
    free.close()
    found.append({name: value / (LENGTH // 10) / (0.5 * boltzmann * degrees[name])
                  for name, value in sums.items()} | {"spread": float(numpy.std(energies))})
print(json.dumps(found))
"""


def equipartition(
    folder, samples: int, apart: int = 400, length: int = 400
) -> dict[str, numpy.ndarray]:
    """Temperatures of each kind of motion, (samples,), averaged over runs at constant energy of so many
    steps. Their starts are of one run in a bath, `apart` steps from each other: 20 of its relaxation times
    or more. "spread": standard deviation of the total energy of each."""
    Everything(without=_GATHERING).write(
        folder, timestep=0.001, start=f"temperature = {TEMPERATURE}", accuracy=1e-3, smoothing=0.1,
        run='precision = "mixed"',
    )  # fmt: skip
    # The point quadrupole of carbon dioxide has no core of its own: at full strength ions fall onto it.
    text = (folder / "all.toml").read_text()
    weaker = text.replace("quadrupole_moment = -0.08", "quadrupole_moment = -0.02")
    assert weaker != text
    (folder / "all.toml").write_text(weaker)
    script = _EQUIPARTITION.replace("BATH", _BATH).replace("SAMPLES", str(samples))
    script = script.replace("APART", str(apart)).replace("LENGTH", str(length))
    found = json.loads(script_output(folder, script, timeout=7200))
    return {name: numpy.array([one[name] for one in found]) for name in found[0]}
