"""`sterna watch`: a log that grows, plots in the terminal, the page of a browser."""

import http.client
import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from conftest import sterna_command, sterna_environment
from sterna import read_log
from sterna.commands.watch import Follower, Pace, address_of, columns_of, page_server, picture, plot
from sterna.errors import SternaError

START = {"event": "start", "input_text": "[run]\nsteps = 100\n", "settings": {"particles": 10}}


def row(step: int, **values: float) -> dict:
    return {"event": "thermo", "step": step, "time": 0.5 * step} | values


def write(path: Path, *events: dict, mode: str = "w") -> None:
    with path.open(mode) as file:
        file.writelines(json.dumps(event) + "\n" for event in events)


@pytest.fixture
def log(tmp_path) -> Path:
    path = tmp_path / "short.log.jsonl"
    rows = [row(k, temperature=1.0 + k, pressure=-float(k)) for k in range(5)]
    write(path, START, *rows)
    return path


def test_a_log_is_followed_line_by_line(log):
    follower = Follower(log)
    assert follower.read() and not follower.read()
    with log.open("a") as file:
        file.write('{"event": "thermo", "st')
        file.flush()
        assert not follower.read()
        file.write('ep": 5, "time": 2.5, "temperature": 9.0}\n')
    assert follower.read()
    assert follower.run().last_step == 5
    assert follower.run().values("temperature")[-1] == 9.0


def test_a_log_that_is_replaced_is_read_anew(log):
    follower = Follower(log)
    follower.read()
    log.rename(log.with_suffix(".1"))
    write(log, START, row(0, temperature=3.0))
    assert follower.read()
    assert [event["event"] for event in follower.events] == ["start", "thermo"]
    log.unlink()
    with pytest.raises(SternaError, match="cannot be read"):
        follower.read()


def test_a_plot_shows_its_column(log):
    follower = Follower(log)
    follower.read()
    run = follower.run()
    drawn = plot(run, "temperature", 60, 12)
    assert "temperature: 5" in drawn and drawn.count("\n") == 11
    # A line that rises from 1 to 5: its first mark is at the lower left, its last at the upper right.
    marks = [(line, re.search("[▖▗▘▝▀▄▞▚▌▐█▙▛▜▟]", line)) for line in drawn.split("\n")]
    marked = [(line, mark.start()) for line, mark in marks if mark]
    assert len(marked) >= 8
    places = [place for _, place in marked]
    assert places == sorted(places, reverse=True)
    assert "5" in marked[0][0] and "1" in marked[-1][0]


def test_wide_terminals_have_plots_side_by_side(log):
    follower = Follower(log)
    follower.read()
    wide = picture(follower.run(), Pace(), (), 100, 24)
    assert "temperature" in wide[1] and "pressure" in wide[1]
    narrow = picture(follower.run(), Pace(), (), 50, 24)
    assert "temperature" in narrow[1] and "pressure" not in narrow[1]
    assert wide[0] == "short · broken off · step 4 of 100"
    assert max(map(len, wide)) <= 100 and max(map(len, narrow)) <= 50


def test_a_column_that_is_not_there(log, sterna):
    follower = Follower(log)
    follower.read()
    assert columns_of(follower.run()) == ["temperature", "pressure"]
    done = sterna("watch", log, "--once", "-c", "temprature")
    assert done.returncode == 2
    assert "did you mean 'temperature'?" in done.stderr


def test_a_run_without_rows_and_no_run(tmp_path, sterna):
    write(tmp_path / "new.log.jsonl", START)
    assert "no row of the table yet" in sterna("watch", tmp_path / "new", "--once").stdout
    done = sterna("watch", tmp_path / "gone", "--once")
    assert done.returncode == 2 and "does not exist" in done.stderr


def test_the_pace_is_that_of_the_rows_seen():
    now = [0.0]
    pace = Pace(clock=lambda: now[0])
    assert pace.rate is None
    for k in range(20):
        now[0] = 0.5 * k
        pace.see(10 * k)
    assert pace.rate == pytest.approx(20.0)
    pace.see(0)
    assert pace.rate is None


def in_terminal(command: list[str], folder: Path, screen: list[bytes]) -> subprocess.Popen:
    """Starts a command on a terminal of 100 columns; what it draws is added to `screen`."""
    master, slave = pty.openpty()
    environment = sterna_environment() | {"COLUMNS": "100", "LINES": "30", "TERM": "xterm"}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=slave, stdout=slave, stderr=slave
    )
    os.close(slave)

    def read() -> None:
        try:
            while part := os.read(master, 65536):
                screen.append(part)
        except OSError:
            pass  # The terminal is gone with the process.

    threading.Thread(target=read, daemon=True).start()
    return process


def until(condition, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_run_is_watched_to_its_end_and_may_be_left(melt, tmp_path):
    melt(steps=400_000, thermo=50)
    log = tmp_path / "melt.log.jsonl"
    run = subprocess.Popen(
        sterna_command("run", "melt.toml", "-n", 1, "--progress", "never"),
        cwd=tmp_path, env=sterna_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        until(lambda: log.exists() and log.read_text().count("thermo") > 3)
        left, screen = [], []
        leaver = in_terminal(sterna_command("watch", "melt", "--interval", 0.2), tmp_path, left)
        watcher = in_terminal(sterna_command("watch", "melt", "--interval", 0.2), tmp_path, screen)
        until(lambda: b"steps/s" in b"".join(left) and b"steps/s" in b"".join(screen))
        leaver.send_signal(signal.SIGINT)
        assert leaver.wait(timeout=60) == 0
        assert run.poll() is None
        until(lambda: b"it goes on" in b"".join(left))
        run.send_signal(signal.SIGTERM)
        run.wait(timeout=120)
        assert watcher.wait(timeout=60) == 0
    finally:
        run.kill()
    until(lambda: "interrupted" in b"".join(screen).decode(errors="replace"))
    text = b"".join(screen).decode(errors="replace")
    assert "melt · running · step" in text and "temperature" in text and "of 400000" in text


def test_the_page_is_the_report_so_far_on_this_machine_only(log):
    write(log, START | {"settings": {"particles": 10, "units": {}}}, row(0, temperature=1.0))
    with page_server(log, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        assert server.server_address[0] == "127.0.0.1"
        address = address_of(server)
        page = urllib.request.urlopen(address).read().decode()
        assert "short" in page and 'http-equiv="refresh"' not in page
        # While a run holds its lock the page loads itself again.
        hold = (
            "import fcntl,sys,time\n"
            f"file = open({str(log.with_name('short.lock'))!r}, 'w')\n"
            "fcntl.flock(file, fcntl.LOCK_EX)\nprint('held', flush=True)\ntime.sleep(60)\n"
        )
        holder = subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE, text=True)
        try:
            assert holder.stdout.readline() == "held\n"
            page = urllib.request.urlopen(address).read().decode()
            assert page.count('http-equiv="refresh"') == 1
        finally:
            holder.kill()
            holder.wait()
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(address.replace("?", "etc/passwd?"))
        with pytest.raises(SternaError, match="cannot be used"):
            page_server(log, server.server_port)
        server.shutdown()


@pytest.mark.parametrize(
    ("host", "path", "status"),
    [
        ("127.0.0.1:PORT", "/?token=TOKEN", 200),
        ("localhost:PORT", "/?token=TOKEN", 200),
        ("evil.example:PORT", "/?token=TOKEN", 403),
        ("evil.example", "/?token=TOKEN", 403),
        ("127.0.0.1:8080", "/?token=TOKEN", 200),  # a port that ssh has forwarded
        ("127.0.0.1.evil.example:PORT", "/?token=TOKEN", 403),
        ("localhost:80@evil.example", "/?token=TOKEN", 403),
        (None, "/?token=TOKEN", 403),
        ("127.0.0.1:PORT", "/", 404),
        ("127.0.0.1:PORT", "/?token=", 404),
        ("127.0.0.1:PORT", "/?token=TOKENx", 404),
        ("127.0.0.1:PORT", "http://evil.example/?token=TOKEN", 404),
    ],
)
def test_the_page_is_for_who_knows_its_address(log, host, path, status):
    """Another host's name, led to this machine by its DNS, must not read it from a browser."""
    write(log, START, row(0, temperature=1.0))
    with page_server(log, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        here = http.client.HTTPConnection("127.0.0.1", server.server_port)
        path = path.replace("TOKEN", server.token)
        here.putrequest("GET", path, skip_host=True)
        if host is not None:
            here.putheader("Host", host.replace("PORT", str(server.server_port)))
        here.endheaders()
        answer = here.getresponse()
        body = answer.read()
        assert answer.status == status
        assert (b"Sterna report" in body) == (status == 200)
        assert server.token.encode() not in body
        server.shutdown()


def test_each_start_has_another_secret(log):
    with page_server(log, 0) as one, page_server(log, 0) as other:
        assert len(one.token) > 30 and one.token != other.token


def test_a_damaged_line_is_named(log):
    follower = Follower(log)
    follower.read()
    for line, said in (
        ("no json\n", ":7:1: not JSON"),
        ("[1, 2]\n", ":7: an event is expected"),
        ('{"event": "thermo", "step": "x", "time": 0}\n', ":7: in this event, 'thermo', step is"),
        ('{"event": "thermo", "step": 1, "time": 0, "pressure": []}\n', "pressure is [], expected"),
        ('{"event": "start", "settings": 3}\n', "settings is 3, expected an object"),
        ('{"event": "end", "step": 1, "timing": {"seconds": NaN}}\n', "NaN is no number"),
    ):
        whole = log.read_bytes()
        log.write_bytes(whole + line.encode())
        with pytest.raises(SternaError, match=re.escape(said)):
            Follower(log).read()
        with pytest.raises(SternaError, match=re.escape(said)):
            read_log(log)
        log.write_bytes(whole)
