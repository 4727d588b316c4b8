"""Programs with the code that the how-to pages add, built beside the usual one."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, sterna_command, sterna_environment
from sterna.launching.program import find_program

PAGES = ROOT / "docs" / "howto"


def block(page: str, language: str) -> str:
    """The code of this language that a page shows."""
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    return re.search(rf"^```{language}\n(.*?)^```$", text, re.M | re.S).group(1)


def _file_of(page: str) -> str:
    """The path of the file that a page adds, which stands above its code."""
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    return re.search(r"^`(src/\S+)`:\n\n```cpp\n", text, re.M).group(1)


def _commands(build: Path, target: str) -> list[str]:
    """What makes a target, in its build folder."""
    listed = subprocess.run(
        ["ninja", "-C", build, "-t", "commands", "-s", target],
        capture_output=True,
        text=True,
        check=True,
    )
    return [line for line in listed.stdout.splitlines() if line.strip()]


def _users(changed: str) -> list[Path]:
    """The sources that are compiled with a changed file: those that name it, and the kernels whose
    common text does."""
    name = f'"{changed.removeprefix("src/")}"'
    naming = [
        path
        for path in sorted((ROOT / "src" / "md").rglob("*"))
        if path.suffix in (".cpp", ".inl") and name in path.read_text(encoding="utf-8")
    ]
    sources = [path for path in naming if path.suffix == ".cpp"]
    for path in naming:
        if path.suffix == ".inl":
            kernels = f'"{path.relative_to(ROOT / "src").as_posix()}"'
            sources += [p for p in path.parent.glob("*.cpp") if kernels in p.read_text()]
    assert sources, f"no source includes {changed}"
    return sources


def build_folder() -> Path:
    """Where the usual program was built."""
    build = Path(find_program()).parents[2]
    if not (build / "build.ninja").exists():
        pytest.skip(f"{build} has no build.ninja to take the compiler's options from")
    return build


def _compiler(build: Path, like: str) -> list[str]:
    """The command that compiles this file of src/md."""
    words = shlex.split(_commands(build, f"src/md/CMakeFiles/sterna_md.dir/{like}.o")[0])
    return words[1:] if words[0].endswith("ccache") else words


def errors_of(source: Path, like: str, folder: Path) -> str:
    """What the compiler says of a source that it refuses, with the options of another one. Headers
    are looked for in `folder` first."""
    build = build_folder()
    words = _compiler(build, like)
    for option in ("-o", "-c", "-MF", "-MT"):
        if option in words:
            place = words.index(option)
            del words[place : place + 2]
    words = [word for word in words if word != "-MD"]
    done = subprocess.run(
        [words[0], f"-I{folder / 'src'}", *words[1:], "-fsyntax-only", source],
        cwd=build,
        env={**os.environ, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    return done.stderr


def run_with(program: Path, file: Path, *options: str) -> tuple[int, str]:
    """Runs an input with a program, in the folder of the input: the exit code, and all that is said."""
    done = subprocess.run(
        sterna_command("run", file.name, *options),
        cwd=file.parent,
        env={**sterna_environment(), "STERNA_MD": os.fspath(program)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def program_with(pages: list[str], folder: Path) -> Path:
    """A `sterna-md` with what these pages add. Only what sees a changed file is compiled anew."""
    usual = Path(find_program())
    build = build_folder()
    sources: dict[Path, str] = {}  # and the target whose options they have
    for page in pages:
        diff = block(page, "diff")
        changed = re.search(r"^--- a/(\S+)$", diff, re.M).group(1)
        (folder / changed).parent.mkdir(parents=True, exist_ok=True)
        (folder / changed).write_bytes((ROOT / changed).read_bytes())
        subprocess.run(["patch", "-p1", "-s"], cwd=folder, input=diff, text=True, check=True)
        users = _users(changed)
        for source in users:
            sources[source] = source.relative_to(ROOT / "src" / "md").as_posix()
        added = folder / _file_of(page)
        added.parent.mkdir(parents=True, exist_ok=True)
        added.write_text(block(page, "cpp"), encoding="utf-8")
        if added.suffix == ".cpp":
            sources[added] = users[0].relative_to(ROOT / "src" / "md").as_posix()

    objects = []
    for source, like in sources.items():
        words = _compiler(build, like)
        objects.append(folder / f"{source.stem}.o")
        words[words.index("-o") + 1] = str(objects[-1])
        words[words.index("-c") + 1] = str(source)
        words[words.index("-MF") + 1] = str(folder / "dependencies")
        # Less optimized: what is tested is that it is there.
        words = ["-O1" if word == "-O3" else word for word in words]
        subprocess.run([words[0], f"-I{folder / 'src'}", *words[1:]], cwd=build, check=True)
    (link,) = _commands(build, usual.relative_to(build).as_posix())[-1:]
    words = shlex.split(link)
    words = words[words.index("&&") + 1 :] if words[0] == ":" else words
    words = words[: words.index("&&")] if "&&" in words else words
    words[words.index("-o") + 1] = str(folder / "sterna-md")
    first_library = next(i for i, word in enumerate(words) if word.endswith(".a"))
    words[first_library:first_library] = map(str, objects)
    subprocess.run(words, cwd=build, check=True)
    return folder / "sterna-md"
