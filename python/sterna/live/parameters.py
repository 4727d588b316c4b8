"""Sections of a simulation's input as objects, whose keys can be set between runs."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

from sterna.errors import InputError, SternaError
from sterna.launching.launch import program_environment
from sterna.launching.program import find_program
from sterna.live.collective import address_of, collective, in_turn
from sterna.live.core import core
from sterna.live.input import Input
from sterna.live.simulated import Simulated
from sterna.support.arrays import finite
from sterna.support.names import no_such

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class Section:
    """A section of the input of a simulation; its keys are attributes.

    >>> simulation.thermostats[0].temperature = 1.2

    A key that the input does not name is None. Values are those of the input, as numbers or texts.
    A new value acts from the next `run` or `measure` on, and must be set on all ranks. Raises
    InputError, and changes nothing, where the input would not be valid with it.
    """

    def __init__(self, simulation: Simulated, name: str, number: int | None) -> None:
        """Local."""
        object.__setattr__(self, "_simulation", simulation)
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_number", number)

    def _table(self) -> Mapping:
        tables = tables_of(self._simulation.input, self._name)
        place = self._number or 0
        return tables[place] if place < len(tables) else {}

    def __getattr__(self, key: str) -> object:
        """Local. The value of a key; None where the input does not have it.

        AttributeError for what is no key of such a section.
        """
        if key.startswith("_"):
            raise AttributeError(key)
        table = self._table()
        if key in table:
            return table[key]
        known = known_keys(self._name)
        if known and key not in known:
            raise AttributeError(no_such(f"key of [{self._name}]", key, sorted(known)))
        return None

    def __setattr__(self, key: str, value: object) -> None:
        """Local. Another value, from the next `run` or `measure` on; None takes the key out."""
        tables = [dict(table) for table in tables_of(self._simulation.input, self._name)]
        place = self._number or 0
        tables = tables or [{}]
        tables[place][key] = value
        if value is None:
            del tables[place][key]
        is_list = isinstance(self._simulation.input.sections.get(self._name), list)
        replacement = tables if is_list else {**self._removed(tables[0]), **tables[0]}
        self._simulation.change(**{self._name: replacement})

    def _removed(self, table: Mapping) -> dict:
        return {key: None for key in self._table() if key not in table}

    def __dir__(self) -> list[str]:
        """Local. The keys that the input names, and further keys that it may name."""
        return sorted({*self._table(), *known_keys(self._name)})

    def __repr__(self) -> str:
        number = "" if self._number is None else f"[{self._number}]"
        return f"<{self._name}{number}: {dict(self._table())}>"


@cache
def known_keys(section: str) -> frozenset[str]:
    """All keys of a section, by the program's schema; none where that is not there."""
    try:
        shown = subprocess.run(
            [find_program(), "--schema"],
            env=program_environment(),
            capture_output=True,
            text=True,
            check=True,
        )
        found = json.loads(shown.stdout)["properties"].get(section, {})
    except (SternaError, OSError, subprocess.CalledProcessError, ValueError):
        return frozenset()
    tables = [found, *found.get("anyOf", [])]
    tables += [table.get("items", {}) for table in tables]
    return frozenset(key for table in tables for key in table.get("properties", {}))


class Sections:
    """All sections of one kind, such as `simulation.thermostats`, in the order of the input."""

    def __init__(self, simulation: Simulated, name: str) -> None:
        """Local."""
        self._simulation = simulation
        self._name = name

    def __len__(self) -> int:
        return len(tables_of(self._simulation.input, self._name))

    def __getitem__(self, number: int) -> Section:
        """Local. IndexError where there is none."""
        count = len(self)
        if not -count <= number < count:
            raise IndexError(
                f"there is no [[{self._name}]] number {number}, counted from 0: the input has {count}"
            )
        return Section(self._simulation, self._name, number % count)

    def __iter__(self) -> Iterator[Section]:
        return (self[number] for number in range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self)} sections {self._name!r}>"


def tables_of(settings: Input, name: str) -> list[Mapping]:
    """The sections of this name, however many; none where the input has none."""
    found = settings.sections.get(name, [])
    return [found] if isinstance(found, Mapping) else list(found)


class Changes:
    """The parameters of a `Simulation` that can change between runs."""

    @property
    def thermostats(self) -> Sections:
        """Local. `simulation.thermostats[0].temperature = 1.2`: see `Section`."""
        return Sections(self, "thermostat")

    @property
    def barostat(self) -> Section:
        """Local. `simulation.barostat.pressure = 2.0`: see `Section`."""
        return Section(self, "barostat", None)

    @property
    def interaction(self) -> Section:
        """Local. `simulation.interaction.cutoff = 3.0`: see `Section`."""
        return Section(self, "interaction", None)

    @property
    def types(self) -> Sections:
        """Local. `simulation.types[0].epsilon = 0.8`: see `Section`."""
        return Sections(self, "type")

    @property
    def pairs(self) -> Sections:
        """Local. Pair potentials of the input: see `Section`."""
        return Sections(self, "pair")

    @property
    def fields(self) -> Sections:
        """Local. Fields of the input: see `Section`."""
        return Sections(self, "field")

    @property
    def walls(self) -> Sections:
        """Local. Walls of the input: see `Section`."""
        return Sections(self, "wall")

    @in_turn
    def change(self, **sections: object) -> None:
        """Local. Other settings from the next `run` or `measure` on; call it on all ranks.

        >>> simulation.change(run={"timestep": 0.001}, thermostat=None)

        As `Input.replace`: sections are merged, None takes out. Step, time, particles, observers
        and force terms stay, and so do the names of the types. Raises InputError, and changes
        nothing, where the input would not be valid, and ValueError for a barostat beside a force
        term without virial.
        """
        changed = self.input.replace(**sections)
        if "barostat" in changed and not self._has_virials:
            raise ValueError("change: a barostat needs the virial of all terms: virial=True")
        probe = changed
        if "start" not in changed:  # its particles came from arrays
            edges = [float(x) for x in self.box.length]
            probe = changed.replace(start={"kind": "program", "box": edges})
        found = probe.check()
        if any(finding.severity == "error" for finding in found):
            raise InputError(core().render(found), found)
        self._changed = changed

    @collective
    def set_box(self, length: "ArrayLike", tilt: "ArrayLike" = (0.0, 0.0, 0.0)) -> None:
        """Collective. Another box, to which the places of particles are stretched.

        `length` (3,): of the edges along their axes; `tilt` (3,): xy, xz, yz. Atoms and rigid
        molecules move one by one; velocities stay. Raises ValueError for other shapes, InputError
        for a shape that the input does not allow, and SternaError where the simulation writes
        files, whose trajectory has one box.
        """
        edges = [
            *finite("set_box: length", length).reshape(-1),
            *finite("set_box: tilt", tilt).reshape(-1),
        ]
        if len(edges) != 6:
            raise ValueError(f"set_box: expected three edges and three tilts, got {edges}")
        if min(edges[:3]) <= 0.0:
            raise ValueError(f"set_box: expected edges above 0, got {edges}")
        if self._files:
            raise SternaError("set_box: this simulation writes files, which are of one box")
        self._require_free("set_box")
        settings = self.input.replace(start=None)
        self._go_on(settings, [float(e) for e in edges], True)

    def _apply_changes(self) -> None:
        """Applies the changes requested by `change`, before the next collective call outside of a
        callback.
        """
        if self._callback:
            return
        changed, self._changed = self._changed, None
        if self.ranks > 1:
            self._core.compare_call(
                "changes nothing" if changed is None else f"changes its input to\n{changed.text}"
            )
        if changed is None or changed == self._input:
            return
        if self._files:
            self._resume_own_files(changed)
        elif "start" in changed:
            self._go_on(changed, None, False)
        else:
            box = self.box
            self._go_on(changed, [*box.length, *box.tilt], False)

    def _go_on(self, settings: Input, edges: list[float] | None, stretches: bool) -> None:
        """Continues with another simulation of the engine, which takes over the state of this
        one.
        """
        previous = self._core
        self._core = previous.changed(
            settings.text, settings._name, settings._from_file, edges, stretches
        )
        previous.close()
        self._pass_on_warnings(stacklevel=6)
        self._input, self._changed = settings, None
        self._observe_all()

    def _resume_own_files(self, settings: Input) -> None:
        """Continues as between two runs of the command: from a checkpoint, with the same log and
        trajectory.
        """
        self._core.save(self._core.checkpoint_path)
        self._core.close()
        for attempt in (settings, self._input):
            try:
                self._core = core().Simulation(
                    attempt.text,
                    attempt._name,
                    attempt._from_file,
                    self._particles,
                    address_of(self._communicator),
                    True,
                    True,
                    False,
                    "",
                )
            except SternaError as error:
                failure = error
                continue
            self._observe_all()
            self._pass_on_warnings(stacklevel=6)
            self._write_at_end()
            if attempt is settings:
                self._input = settings
                return
            raise failure
        raise failure
