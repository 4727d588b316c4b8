"""Spack's package of Sterna, built from the clone that this file lies in: packaging/README.md."""

from pathlib import Path

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Sterna(CMakePackage):
    """Molecular dynamics on a library of one-sided communication: Lennard-Jones systems, rigid and
    flexible molecules, charges by a fast multipole method, covalent solids."""

    git = Path(__file__).resolve().parents[6].as_uri()

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("rdma", default=True, description="Exchange by UCX puts")
    variant("ofi", default=False, description="Exchange by libfabric puts")
    variant("rma", default=True, description="Exchange by MPI windows")
    variant("shm", default=True, description="Exchange by shared memory inside a node")
    variant("fortran", default=False, description="Fortran module of the communication library")
    variant("python", default=True, description="The sterna command and Python module")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.24:", type="build")
    depends_on("ninja", type="build")
    generator("ninja")

    depends_on("mpi@3.1:")
    depends_on("ucx@1.13:", when="+rdma")
    depends_on("libfabric@1.11:", when="+ofi")
    # Found at run time, by STERNA_HDF5 or the environment of h5py.
    depends_on("hdf5@1.10.5:~mpi+shared", type="run")

    extends("python", when="+python")
    with when("+python"):
        depends_on("python@3.11:", type=("build", "run"))
        depends_on("py-nanobind@3.1:", type="build")
        depends_on("py-numpy@1.26:", type=("build", "run"))
        depends_on("py-h5py@3.10:", type=("build", "run"))
        depends_on("py-rich@13:", type=("build", "run"))
        depends_on("py-typer@0.12:", type=("build", "run"))

    conflicts("%gcc@:11", msg="C++20 as used here needs GCC 12 or later")
    conflicts("%clang@:14", msg="C++20 as used here needs Clang 15 or later")

    def cmake_args(self):
        args = [
            self.define_from_variant("STERNA_RDMA", "rdma"),
            self.define_from_variant("STERNA_OFI", "ofi"),
            self.define_from_variant("STERNA_RMA", "rma"),
            self.define_from_variant("STERNA_SHM", "shm"),
            self.define_from_variant("STERNA_FORTRAN", "fortran"),
            self.define("STERNA_PYTHON", "ON" if self.spec.satisfies("+python") else "OFF"),
            self.define("STERNA_TESTS", self.run_tests),
            self.define("STERNA_WARNINGS_AS_ERRORS", False),
        ]
        if self.spec.satisfies("+rdma"):
            args.append(self.define("UCX_ROOT", self.spec["ucx"].prefix))
        if self.spec.satisfies("+ofi"):
            args.append(self.define("LIBFABRIC_ROOT", self.spec["libfabric"].prefix))
        return args

    @run_after("install", when="+python")
    def install_python(self):
        """The command and the module, which CMake leaves to Python's packages."""
        package = join_path(python_platlib, "sterna")
        install_tree("python/sterna", package)
        for module in Path(self.build_directory, "src", "python").glob("_core*.so"):
            install(str(module), package)
        python = self.spec["python"].command.path
        with open(join_path(self.prefix.bin, "sterna"), "w") as script:
            script.write(f"#!{python}\nimport sys\n\nfrom sterna.command import main\n\n")
            script.write("sys.exit(main())\n")
        set_executable(join_path(self.prefix.bin, "sterna"))

    def setup_run_environment(self, env):
        env.set("STERNA_MD", self.prefix.bin.join("sterna-md"))
        env.set("STERNA_HDF5", join_path(self.spec["hdf5"].prefix.lib, "libhdf5.so"))

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(self.prefix.bin.join("sterna-md"))("--version")
