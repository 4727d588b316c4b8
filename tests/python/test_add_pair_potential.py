"""The page that adds a pair potential tells the truth: one file, one row, and inputs can use it."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, sterna_command, sterna_environment
from sterna import read_log
from sterna.program import find_program

PAGE = ROOT / "docs" / "howto" / "add-a-pair-potential.md"
FOLDER = Path("src/md/forces/pair/potentials")

INPUT = """\
[run]
name = "{name}"
steps = 20
timestep = 0.002
precision = "{precision}"
[start]
kind = "lattice"
cells = [5, 5, 5]
density = 0.8
temperature = 1.0
[[type]]
name = "A"
[interaction]
cutoff = 2.5
truncation = "shifted"
kernel = "{kernel}"
[output]
thermo_interval = 10
{pair}"""


def block(language: str) -> str:
    return re.search(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.M | re.S).group(1)


def commands(build: Path, target: str) -> list[str]:
    """What makes a target, in its build folder."""
    listed = subprocess.run(
        ["ninja", "-C", build, "-t", "commands", "-s", target],
        capture_output=True,
        text=True,
        check=True,
    )
    return [line for line in listed.stdout.splitlines() if line.strip()]


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    """A `sterna-md` with the potential of the page: whatever includes the list is compiled anew."""
    usual = Path(find_program())
    build = usual.parents[2]
    if not (build / "build.ninja").exists():
        pytest.skip(f"{build} has no build.ninja to take the compiler's options from")
    folder = tmp_path_factory.mktemp("potential")
    (folder / FOLDER).mkdir(parents=True)
    list_file = folder / FOLDER / "list.hpp"
    list_file.write_bytes((ROOT / FOLDER / "list.hpp").read_bytes())
    (folder / FOLDER / "born_mayer.hpp").write_text(block("cpp"))
    subprocess.run(["patch", "-p1", "-s"], cwd=folder, input=block("diff"), text=True, check=True)

    users = [
        path
        for path in sorted((ROOT / "src" / "md").rglob("*"))
        if path.suffix in (".cpp", ".inl") and "potentials/list.hpp" in path.read_text()
    ]
    sources = [path for path in users if path.suffix == ".cpp"]
    for path in users:
        if path.suffix == ".inl":
            kernels = f'"{path.relative_to(ROOT / "src").as_posix()}"'
            sources += [p for p in path.parent.glob("*.cpp") if kernels in p.read_text()]
    assert len(sources) >= 2, "the table and the baseline kernels at least"
    objects = []
    for source in sources:
        relative = source.relative_to(ROOT / "src" / "md")
        target = f"src/md/CMakeFiles/sterna_md.dir/{relative}.o"
        words = shlex.split(commands(build, target)[0])
        if words[0].endswith("ccache"):
            words = words[1:]
        objects.append(folder / f"{source.stem}.o")
        words[words.index("-o") + 1] = str(objects[-1])
        words[words.index("-MF") + 1] = str(folder / "dependencies")
        # Less optimized: what is tested is that it is there.
        words = ["-O1" if word == "-O3" else word for word in words]
        subprocess.run([words[0], f"-I{folder / 'src'}", *words[1:]], cwd=build, check=True)
    (link,) = commands(build, usual.relative_to(build).as_posix())[-1:]
    words = shlex.split(link)
    words = words[words.index("&&") + 1 :] if words[0] == ":" else words
    words = words[: words.index("&&")] if "&&" in words else words
    words[words.index("-o") + 1] = str(folder / "sterna-md")
    first_library = next(i for i, word in enumerate(words) if word.endswith(".a"))
    words[first_library:first_library] = map(str, objects)
    subprocess.run(words, cwd=build, check=True)
    return folder / "sterna-md"


def run(program: Path, folder: Path, pair: str, **keys) -> tuple[int, str, list]:
    name = f"run_{len(list(folder.iterdir()))}"
    (folder / f"{name}.toml").write_text(INPUT.format(name=name, pair=pair, **keys))
    done = subprocess.run(
        sterna_command("run", f"{name}.toml"),
        cwd=folder,
        env={**sterna_environment(), "STERNA_MD": os.fspath(program)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    log = folder / f"{name}.log.jsonl"
    return done.returncode, done.stdout + done.stderr, read_log(log).rows if log.exists() else []


@pytest.mark.parametrize("precision", ["double", "mixed"])
@pytest.mark.parametrize("kernel", ["auto", "baseline"])
def test_an_input_uses_the_potential_of_the_page(precision, kernel, program, tmp_path):
    keys = {"precision": precision, "kernel": kernel}
    pair = block("toml")
    code, output, rows = run(program, tmp_path, pair, **keys)
    assert code == 0, output
    assert "born_mayer_energy" in rows[-1]
    # Buckingham's potential without dispersion is the same.
    code, output, same = run(program, tmp_path, pair.replace("born_mayer", "buckingham"), **keys)
    assert code == 0, output
    for row, other in zip(rows, same, strict=True):
        for key in ("potential_energy", "virial", "temperature"):
            assert row[key] == pytest.approx(
                other[key], rel=1e-11 if precision == "double" else 1e-5
            )


def test_its_keys_are_checked(program, tmp_path):
    keys = {"precision": "double", "kernel": "auto"}
    code, output, _ = run(program, tmp_path, block("toml").replace("rho", "rhoo"), **keys)
    assert code != 0
    assert 'did you mean "rho"?' in output
    pair = block("toml").replace("rho = 0.15", "depth = 1.0")
    code, output, _ = run(program, tmp_path, pair, **keys)
    assert code != 0
    assert '[[pair]] lacks the key "rho", required with potential = "born_mayer"' in output
    assert '"depth" in [[pair]] has no meaning with potential = "born_mayer"' in output
