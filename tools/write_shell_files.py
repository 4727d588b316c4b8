"""Writes what shells and `man` know of the command `sterna`, packaging/shell/, or looks whether it is old.

    python tools/write_shell_files.py            writes sterna.1 and the completions of three shells
    python tools/write_shell_files.py --check    says whether sterna.1 is what the command says now

A wheel puts these files where `man` and shells look for them (cmake/SternaInstall.cmake).
"""

import argparse
import inspect
import sys
from pathlib import Path

import typer
from typer._completion_shared import get_completion_script

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "packaging" / "shell"
COMPLETIONS = {"bash": "sterna.bash", "zsh": "_sterna", "fish": "sterna.fish"}

sys.path.insert(0, str(ROOT / "python"))
from sterna import command as sterna_command  # noqa: E402

HEAD = r""".\" Written by tools/write_shell_files.py.
.TH STERNA 1 "" Sterna "User commands"
.SH NAME
sterna \- simulate liquids, molecules and solids by molecular dynamics
.SH SYNOPSIS
.B sterna
.I command
.RI [ options ]
.SH DESCRIPTION
.B sterna run
.I input
runs what an input file describes, on all cores of this machine, or on the ranks of the
launcher (mpiexec, srun) that has started it.
.B sterna check
.I input
finds every mistake of an input without running it. Each command has
.BR \-\-help .
"""
TAIL = r""".SH EXIT STATUS
0 after success, 2 where input or arguments are wrong, another number after other errors.
.B sterna import \-\-compare
ends with 3 where nothing was proven.
.SH ENVIRONMENT
.TP
.B STERNA_MD
The program sterna\-md to use, in place of the one that was installed with this command.
.SH SEE ALSO
.BR mpiexec (1),
the pages in docs/ of the source.
"""


def escaped(text: str) -> str:
    """A text as roff has it: a backslash, a dash or a dot at the beginning of a line means itself."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return "\n".join(rf"\&{line}" if line[:1] in (".", "'") else line for line in text.split("\n"))


def paragraphs(text: str | None) -> str:
    parts = [" ".join(part.split()) for part in inspect.cleandoc(text or "").split("\n\n")]
    return "\n.PP\n".join(escaped(part) for part in parts if part)


def names_of(option) -> str:
    names = ", ".join([*option.opts, *option.secondary_opts])
    # An option with a value has a name for it.
    takes_value = not getattr(option, "is_flag", False) and not getattr(option, "count", False)
    value = f" {option.metavar or option.name.upper()}" if takes_value else ""
    return f"{names}{value}"


def about(name: str, command) -> list[str]:
    """A command with its options, or those of its parts."""
    text = [f".SS {escaped(name)}", paragraphs(command.help)]
    for parameter in command.params:
        if getattr(parameter, "hidden", False) or parameter.name == "help":
            continue
        shown = (
            names_of(parameter)
            if parameter.param_type_name == "option"
            else (parameter.metavar or parameter.name.upper())
        )
        sentence = " ".join((getattr(parameter, "help", None) or "").split())
        text += [".TP", rf"\fB{escaped(shown)}\fR", escaped(sentence)]
    for part, inner in sorted(getattr(command, "commands", {}).items()):
        text += about(f"{name} {part}", inner)
    return text


def man_page() -> str:
    sterna_command.add_groups()
    root = typer.main.get_command(sterna_command.app)
    lines = [".SH COMMANDS"]
    for name in root.list_commands(None):
        lines += about(f"sterna {name}", root.commands[name])
    body = "\n".join(line for line in lines if line)
    return f"{HEAD}{body}\n{TAIL}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    page = FOLDER / "sterna.1"
    if options.check:
        if not page.is_file() or page.read_text(encoding="utf-8") != man_page():
            raise SystemExit(f"{page.relative_to(ROOT)} is old: run tools/write_shell_files.py")
        return
    FOLDER.mkdir(exist_ok=True)
    page.write_text(man_page(), encoding="utf-8")
    for shell, name in COMPLETIONS.items():
        script = get_completion_script(
            prog_name="sterna", complete_var="_STERNA_COMPLETE", shell=shell
        )
        (FOLDER / name).write_text(f"{script.strip()}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
