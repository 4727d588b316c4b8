"""Files of CHARMM with mistakes: each import ends with an error that tells the place, or its energies
and forces are those of OpenMM, which reads the same files.

python tests/campaign/mutated_charmm.py --trials 200 --seed 1
"""

import argparse
import collections
import contextlib
import io
import random
import re
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

import test_charmm
from mutated_amber import DAMAGES, judged_by_numbers
from sterna.errors import SternaError
from sterna.importing import comparison
from sterna.importing.charmm import judge
from sterna.importing.charmm.charmm_system import Choices, read_charmm
from sterna.importing.molecules import Molecules
from sterna.importing.sites_on_charges import require_charges_apart

DATA = Path(__file__).resolve().parents[1] / "data" / "import"


def chain(folder: Path) -> tuple[dict[str, str], Choices]:
    """A chain with every term of CHARMM, CMAP and NBFIX."""
    test_charmm.files(folder)
    texts = {name: (folder / name).read_text() for name in ("a.psf", "a.prm", "a.crd")}
    return texts, Choices(0.9, "none", (2.0, 2.0, 2.0))


def alcohol(_folder: Path) -> tuple[dict[str, str], Choices]:
    texts = {f"a.{kind}": (DATA / f"alcohol.{kind}").read_text() for kind in ("psf", "prm", "pdb")}
    return texts, Choices(0.437, "none", (1.7, 1.7, 1.7))


def judged(paths: list[Path], choices: Choices) -> tuple[str, str]:
    """The kind of outcome, and what there is to say of it."""
    topology, parameters, places = paths
    try:
        system = read_charmm(topology, [parameters], places, choices)
        require_charges_apart(system)
        molecules = Molecules(system)
    except SternaError as error:
        text = str(error)
        names = "|".join(re.escape(path.name) for path in paths)
        if re.search(rf"({names}):\d+:\d+: error: ", text):
            return "error with a place", text
        # What is not there, or ends too early, has no place.
        return ("error of the file" if re.search(names, text) else "wrong"), text
    except Exception:
        return "wrong", traceback.format_exc()
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            source = judge.source_of(topology, [parameters], places, choices)
    except Exception as error:
        return "taken, refused by OpenMM", str(error)
    try:
        comparison.compare_lists(source, system)
        rows = comparison.compare(source, molecules)
    except SternaError as error:
        kind = "refused by the engine" if "does not run" in str(error) else "wrong"
        # OpenMM tells sections of a PSF by the blank lines between them.
        if source.topology.getNumBonds() == 0:
            kind = "taken, OpenMM loses the bonds"
        return kind, str(error)
    return judged_by_numbers(rows)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="all outcomes, one by one")
    chosen = parser.parse_args(arguments)
    chance = random.Random(chosen.seed)
    counts: collections.Counter = collections.Counter()
    told = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for trial in range(chosen.trials):
            texts, choices = chance.choice((chain, alcohol))(folder)
            file = chance.choice(list(texts))
            damage = chance.choice(list(DAMAGES))
            texts[file] = DAMAGES[damage](texts[file], chance)
            for path, text in texts.items():
                (folder / path).write_text(text)
            kind, said = judged([folder / path for path in texts], choices)
            counts[file, kind] += 1
            if kind in ("wrong", "taken, refused by OpenMM") or chosen.show:
                told.append(f"trial {trial}, {damage} of {file}: {kind}: {said}")
    for (file, kind), count in sorted(counts.items()):
        print(f"{count:6} {file:10} {kind}")
    print(*told, sep="\n")
    return 1 if any(kind == "wrong" for _, kind in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
