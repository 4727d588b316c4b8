"""Simulations, views and exchanges that several threads of a process use at once."""

import pytest
from engine_support import MELT, script_output

THREADS = (
    MELT
    + """
import collections, gc, random, threading
from sterna import SternaError, comm

def make():
    return sterna.Simulation(settings, system)

def in_thread(call):
    \"\"\"What the call raises in another thread, as a text; empty for nothing.\"\"\"
    found = []
    def work():
        try:
            call()
            found.append("")
        except BaseException as error:
            found.append(f"{type(error).__name__}: {error}")
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return found[0]

simulation = make()
"""
)


def test_a_second_thread_is_refused_during_a_run_and_works_afterwards(tmp_path):
    text = (
        THREADS
        + """
other, exchange, ranks = make(), None, comm.Context()
exchange = comm.SparseExchange(ranks)
calls = {
    "run": lambda: simulation.run(1), "gather": lambda: simulation.gather("position"),
    "measure": lambda: simulation.measure(), "save": lambda: simulation.save("a.checkpoint"),
    "set": lambda: simulation.set("velocity", numpy.zeros((864, 3))),
    "thermo": lambda: simulation.thermo, "energies": lambda: simulation.energies,
    "log": lambda: simulation.log, "step": lambda: simulation.step, "box": lambda: simulation.box,
    "change": lambda: simulation.change(run={"timestep": 0.001}),
    "key": lambda: setattr(simulation.interaction, "cutoff", 2.0),
    "view": lambda: simulation.view().__enter__(), "close": lambda: simulation.close(),
    "every": lambda: simulation.every(5)(print), "force": lambda: simulation.force(print),
    "another": lambda: other.run(1), "a new one": make,
    "sum": lambda: ranks.sum(1.0), "exchange": lambda: exchange({0: [1.0]}),
    "context": comm.Context,
}
said = {}

@simulation.every(10)
def look(frame):
    # The callback waits for the thread, which must not wait for the run.
    for name, call in calls.items():
        said[name] = in_thread(call)
    said["repr"] = in_thread(lambda: print(simulation))

simulation.run(15)
for name in calls:
    assert "SternaError: another thread of this process is in a call (run)" in said[name], (
        name, said[name])
assert said["repr"] == ""
assert simulation.step == 15 and not simulation.input["run"].get("timestep") == 0.001
for name in ("gather", "thermo", "run", "another", "sum", "exchange", "a new one"):
    assert in_thread(calls[name]) == "", name
"""
    )
    assert "in use by another thread" in script_output(tmp_path, text)


def test_a_view_keeps_other_threads_away_and_what_they_drop_is_freed_later(tmp_path):
    text = (
        THREADS
        + """
import weakref
dropped = [make()]
gone = weakref.ref(dropped[0])

with simulation.view(write="velocity") as view:
    assert "in a call (view)" in in_thread(lambda: simulation.gather("position"))
    def drop():
        dropped.clear()
        gc.collect()
    assert in_thread(drop) == "" and gone() is None
    view.velocity[:] *= 0.5
simulation.run(5)
assert in_thread(lambda: simulation.run(5)) == ""
assert simulation.step == 10
"""
    )
    script_output(tmp_path, text)


def test_many_threads_get_answers_or_errors_and_the_process_lives(tmp_path):
    text = (
        THREADS
        + """
shared, strange = [simulation], []

def work(k):
    chance = random.Random(k)
    for _ in range(25):
        one = shared[0]
        try:
            chance.choice([
                lambda: one.run(3), lambda: one.gather("position"), one.measure,
                lambda: (one.thermo, one.energies, one.log, repr(one)),
                lambda: one.set("velocity", one.gather("velocity")),
                lambda: one.change(run={"timestep": chance.choice([0.001, 0.002])}),
                lambda: make().run(2), lambda: shared.__setitem__(0, make()),
                lambda: comm.Context().sum(1.0),
            ])()
        except SternaError as error:
            if "another thread" not in str(error):
                strange.append(str(error))
        except BaseException as error:
            strange.append(repr(error))

threads = [threading.Thread(target=work, args=(k,)) for k in range(5)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not strange, strange
shared[0].run(5)
"""
    )
    script_output(tmp_path, text)


DAEMONS = {
    "in a run": """
@simulation.every(1)
def look(frame):
    started.set()

def work():
    simulation.run(10**9)
""",
    "in calls and between them": """
def work():
    while True:
        simulation.run(1)
        simulation.gather("position")
        started.set()
""",
    "in exchanges": """
ranks = comm.Context()
def work():
    while True:
        ranks.sum(1.0)
        started.set()
""",
}


@pytest.mark.parametrize("daemon", DAEMONS)
def test_the_end_of_python_halts_a_daemon_thread(daemon, tmp_path):
    text = (
        THREADS
        + "started = threading.Event()\n"
        + DAEMONS[daemon]
        + "threading.Thread(target=work, daemon=True).start()\nassert started.wait(60)\n"
    )
    script_output(tmp_path, text)


def test_with_workers_a_second_thread_waits_and_errors_leave_no_answers_behind(tmp_path):
    text = (
        MELT
        + """
import threading
with sterna.Simulation(settings, system, ranks=2) as simulation:
    steps = []
    threads = [threading.Thread(target=lambda: simulation.run(5)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert simulation.step == 20
    def broken(step):
        raise ValueError("the screen is gone")
    try:
        simulation._workers.ask("run", simulation._number, 5000, True, on_step=broken)
    except ValueError as error:
        assert "the screen is gone" in str(error)
    # The answer of that call is not taken for that of this one.
    assert simulation.step == 5020 and simulation.gather("position").shape == (864, 3)
"""
    )
    script_output(tmp_path, text)


TURNS = (
    MELT
    + """
import threading, time
import h5py
from h5py._objects import phil
from sterna import Trajectory

settings = settings.replace(
    run={"name": "melt", "steps": 61}, output={"directory": ".", "trajectory_interval": 1}
)
simulation = sterna.Simulation(settings, system, files=True)
"""
)


def test_h5py_in_another_thread_and_a_trajectory_take_turns(tmp_path):
    """Both use one HDF5 library, which is not thread-safe."""
    text = (
        TURNS
        + """
held, go_on = threading.Event(), threading.Event()

def hold():
    with phil:
        held.set()
        go_on.wait()

holder = threading.Thread(target=hold)
holder.start()
held.wait()
ended = threading.Event()
def let_go():
    # A run that did not wait for its turn would have ended long ago.
    print(not ended.wait(2.0))
    go_on.set()
threading.Thread(target=let_go).start()
simulation.run(1)
ended.set()
holder.join()

# While a run writes frames, another thread writes and reads a file of its own.
stop, done = threading.Event(), []
def work():
    while not stop.is_set() or not done:
        with h5py.File("mine.h5", "w") as file:
            file["numbers"] = numpy.arange(1000.0)
        with h5py.File("mine.h5") as file:
            done.append(float(file["numbers"][()].sum()))
worker = threading.Thread(target=work)
worker.start()
simulation.run(60)
stop.set()
worker.join()
simulation.close()
print(set(done) == {499500.0})
path, = __import__("pathlib").Path(".").glob("*.h5md")
print(Trajectory(path).steps.tolist() == list(range(62)))
"""
    )
    assert script_output(tmp_path, text).split() == ["True"] * 3
