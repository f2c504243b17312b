"""Tuning programs: what wins is kept, what does not is said not to, on other inputs too."""

import json
import math
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from abut.measure.saved import sorted_out
from abut.places import bench_places, library_candidate
from abut.reporters.tune import check_words
from abut.simulation.presets import STANDARD, find_preset
from abut.tuning.contexts import beside, context_policies
from abut.tuning.first_run import window_for
from abut.tuning.objective import Objective
from abut.tuning.plan import read_plan
from abut.tuning.policies import DEFAULT, Policy
from abut.tuning.predictor import Predictor, predictor_of
from abut.tuning.profile import read_profile
from abut.tuning.runs import Input, Runs
from abut.tuning.slots import slot_policies
from abut.tuning.tuning import Request, Tuning
from conftest import Abut, abut_environment

# A script that decides by the heap's setting how much memory it takes: which is the same on
# each machine, however busy. The default is large with one input, and small with the other.
SCRIPT = """
local order = os.getenv("ABUT_ORDER") or "size"
if arg[1] == "breaks" and order == "birth" then os.exit(3) end
local large = ({["large-by-size"] = "size", ["large-by-birth"] = "birth"})[arg[1]] == order
local text = string.rep("x", (large and 8 or 2) * 1048576)
"""
QUICK = ["--time-budget", "10m", "--objective", "rss"]  # it ends sooner, as soon as it is decided


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "takes.lua"
    path.write_text(SCRIPT)
    return str(path)


def test_what_wins_is_kept_and_wins_again(abut: Abut, tmp_path: Path, script: str) -> None:
    explain = ["--explain", "why.html"]
    program = ["lua5.4", script, "large-by-size"]
    done = abut("tune", *QUICK, "-o", "p", *explain, "--json", "--", *program)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    made = ("why.html", "why-default.trace", "why-profile.trace")
    assert all((tmp_path / name).is_file() for name in made)
    assert found["why"] == ""
    assert found["settings"]["order"] == "birth"
    assert found["gain"][2] < 0.7
    (tmp_path / "tune.json").write_text(done.stdout)
    assert sorted_out([tmp_path / "tune.json"])[2][0]["strategy"] == found["strategy"]
    profile = read_profile(tmp_path / "p")
    assert profile.program == "lua5.4"
    assert profile.settings == found["settings"]
    assert any("not proven" in line for line in profile.evidence)
    assert (
        "is there already"
        in abut("tune", "-o", "p", "--", "lua5.4", script, "large-by-size").stderr
    )

    check = ["tune", "--check", "p", *QUICK[:2], "--"]  # by the objective that it was tuned for
    again = abut(*check, "lua5.4", script, "large-by-size")
    assert (again.returncode, "p still wins" in again.stdout) == (0, True), again.stdout
    lost = abut(*check, "lua5.4", script, "large-by-birth")
    assert (lost.returncode, "p does not win" in lost.stdout) == (1, True)
    assert "next: abut tune --force -o p --objective rss -- lua5.4" in lost.stdout


@pytest.mark.parametrize("test_input", ["large-by-birth", "breaks"])
def test_what_does_not_win_on_the_test_input_is_not_kept(
    abut: Abut, tmp_path: Path, script: str, test_input: str
) -> None:
    test = shlex.join(["lua5.4", script, test_input])
    done = abut("tune", *QUICK, "-o", "p", "--test", test, "--", "lua5.4", script, "large-by-size")
    assert done.returncode == 0, done.stderr
    assert re.search("keep the default: (with )?birth", done.stdout)
    assert done.stdout.splitlines()[-1] == f"next: abut run -- lua5.4 {script} large-by-size"
    assert not (tmp_path / "p").exists()


def test_where_nothing_can_be_gained_the_default_is_kept(abut: Abut, tmp_path: Path) -> None:
    """While another process competes, too. A process that sleeps takes as long with any heap.

    Chance may win one time in twenty, but not three times in a row.
    """
    said: list[str] = []
    with subprocess.Popen(["lua5.4", "-e", "while true do end"]) as competitor:
        while len(said) < 3 and not any("keep the default: " in one for one in said):
            words = ["--force", "--objective", "wall", "--time-budget", "8s", "-o", "p"]
            done = abut("tune", *words, "--", "sleep", "0.1")
            said.append(done.stdout + done.stderr)
        competitor.kill()
    assert done.returncode == 0, said
    assert "keep the default: " in said[-1], said
    assert (tmp_path / "p").exists() == (len(said) > 1)


@pytest.mark.long
def test_what_inputs_contradict_each_other_about_does_not_win(abut: Abut, script: str) -> None:
    """Something else may: to look for no friends takes some pages less."""
    trains = [word for one in ("large-by-size", "large-by-birth") for word in ("--train", one)]
    trains = [
        shlex.join(["lua5.4", script, word]) if word != "--train" else word for word in trains
    ]
    done = abut("tune", *QUICK, "-o", "p", "--json", *trains)
    assert done.returncode == 0, done.stderr
    assert "order" not in json.loads(done.stdout)["settings"]


def test_a_tuning_goes_on_where_it_was_interrupted(tmp_path: Path, script: str) -> None:
    environment = abut_environment(XDG_CACHE_HOME=str(tmp_path / "cache"))
    words = [
        sys.executable,
        "-m",
        "abut",
        "tune",
        *QUICK,
        "-o",
        "p",
        "--",
        "lua5.4",
        script,
        "large-by-size",
    ]
    with subprocess.Popen(
        words, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as first:
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline and journal_lines(tmp_path) < 40:
            time.sleep(0.02)
        first.send_signal(signal.SIGINT)
        said, _ = first.communicate(timeout=300)
    assert first.returncode == 130
    assert "interrupted" in said
    kept = journal_lines(tmp_path)
    assert kept >= 40
    words.insert(4, "--force")
    second = subprocess.run(
        words, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    resumed = re.search(r"(\d+) runs were kept from before", second.stdout)
    assert resumed
    assert 20 <= int(resumed[1]) <= kept  # without those of the last round, which is not whole
    assert read_profile(tmp_path / "p").settings["order"] == "birth"
    assert not list((tmp_path / "cache" / "abut" / "tune").iterdir())


def test_where_nothing_can_be_kept_that_is_said(abut: Abut, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = abut("tune", "--", "/bin/true", XDG_CACHE_HOME=str(tmp_path / "file"))
    assert (done.returncode, "fix: set XDG_CACHE_HOME" in done.stderr) == (2, True)


def journal_lines(folder: Path) -> int:
    found = list((folder / "cache").glob("abut/tune/*.jsonl"))
    return found[0].read_text().count("\n") if found else 0


@pytest.mark.parametrize(
    ("words", "measure"),
    [([], ()), (["--measure", "./load -n 9", "--better", "higher"], ("./load", "-n", "9"))],
)
def test_what_to_type_when_a_profile_lost_can_be_typed(
    words: list[str], measure: tuple[str, ...]
) -> None:
    objective = Objective({"user": 1.0}, more_is_better=True)
    inputs = [Input(("prog", "a b"), measure)]
    request = Request(inputs, [], {}, objective, 1.0, Path("p"), lambda _: None)
    typed = shlex.split(check_words(Tuning(request), Path("a p"))[-1])
    assert typed == ["next:", "abut", "tune", "--force", "-o", "a p", *words, "--", "prog", "a b"]


SERVER = """
import os, socket, sys, threading
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
figure = b"200" if os.environ.get("ABUT_ORDER") == "birth" else b"100"
def serve(connection):
    with connection:
        connection.sendall(figure)
while True:
    connection, _ = listener.accept()
    threading.Thread(target=serve, args=(connection,)).start()
"""
LOAD = """
import random, socket, sys, time
for _ in range(20000):
    try:
        connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        break
    except OSError:
        time.sleep(0.01)
print("requests a second:", float(connection.recv(9)) * random.uniform(0.99, 1.01))
"""


def test_a_server_with_threads_is_measured_by_a_command(abut: Abut, tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "load.py").write_text(LOAD)
    port = str(20000 + os.getpid() % 10000)
    python = ["/usr/bin/python3", "-I", "-S"]  # starts sooner
    server = [*python, "server.py", port]
    load = ["--measure", shlex.join([*python, "load.py", port]), "--time-budget", "10m"]
    done = abut("tune", *load, "--better", "higher", "-o", "p", "--json", "--", *server)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["settings"]["order"] == "birth"
    assert found["gain"][0] == pytest.approx(0.5, rel=0.05)


@pytest.mark.parametrize(
    ("load", "said"),
    [("false", ""), ("echo 0", "0"), ("echo 7 1e400", "7 1e400"), ("echo 7 -inf", "7 -inf"),
     ("echo 7 NaN", "7 NaN")],
)  # fmt: skip
def test_a_figure_that_cannot_be_compared_is_refused(load: str, said: str, abut: Abut) -> None:
    options = ["--measure", load, "--better", "lower", "--", "/usr/bin/sleep", "60"]
    done = abut("tune", *options)
    assert done.returncode == 2
    assert f"prints no finite figure above 0 at last: {said}\n" in done.stderr


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("-- /bin/false", "/bin/false: exits with 1"),
        ("", "nothing to tune"),
        ("--time-budget soon -- /bin/true", "--time-budget soon: no time"),
        ("--time-budget 1s -- /bin/sleep 0.5", "--time-budget: too little"),
        ("--objective speed -- /bin/true", "'speed' is no figure with a weight"),
        ("--better lower -- /bin/true", "--better: no effect here"),
        ("--measure x -- /bin/true", "--better: there is none called"),
        ("--measure x --objective rss --better lower -- /bin/true", "--objective: no effect here"),
        ("--measure x --train y --better lower -- /bin/true", "--train: no effect here"),
        ("--test /bin/true -- /bin/true", "it is trained with the same command"),
        ("--check /dev/null --force -- /bin/true", "--force: no effect here"),
        ("--check /dev/null -- /bin/true", "its last line is cut off"),
        ("--train -- /bin/true", "its value is missing"),
    ],
)
def test_what_cannot_be_is_named(abut: Abut, words: str, problem: str) -> None:
    done = abut("tune", *shlex.split(words))
    assert (done.returncode, problem in done.stderr) == (2, True), done.stderr


def test_as_much_is_recorded_as_there_is_time_for() -> None:
    assert window_for(1.0, 120.0) == []
    assert window_for(3.0, 120.0) == []
    assert window_for(10.0, 120.0) == ["--window", "1000M/4000M"]
    assert window_for(1000.0, 120.0) == ["--window", "200M/4000M"]
    assert window_for(4.01, 120.0) == ["--window", "2000M/4000M"]


def test_contexts_get_pools_where_the_simulator_sees_a_gain(tmp_path: Path) -> None:
    tables = Path(__file__).parents[3] / "bench" / "scripts" / "tables.lua"
    command = ["lua5.4", str(tables), "30000", "1"]
    predictor = predictor_of(command, 0.1, 60.0, tmp_path, lambda said: None)
    assert predictor is not None
    (predicted, policy), *others = context_policies(predictor, tmp_path)
    assert all(predicted <= other < 1 for other, _ in others)
    profile = Path(policy.settings["profile"])
    found = tmp_path / "groups.json"
    environment = {
        "LD_PRELOAD": str(library_candidate()),
        "ABUT_PROFILE": str(profile),
        "ABUT_EXPLAIN_FILE": str(found),
    }
    subprocess.run(command, env=abut_environment(**environment), check=True)
    groups = json.loads(found.read_text())["groups"]
    assert max(group["objects"] for group in groups) >= 30000
    assert {group["pool"] for group in groups} <= {
        one.place for one in read_profile(profile).contexts
    }


def test_contexts_are_plain_where_friends_draw_apart_what_is_used_together(tmp_path: Path) -> None:
    program = tmp_path / "appended"
    source = Path(__file__).with_name("appended.c")
    options = ["-O2", "-Wl,--build-id", "-rdynamic"]  # so that functions have names at run time
    subprocess.run(["cc", *options, "-o", program, source], check=True)
    command = [str(program), "200000", "4"]
    (tmp_path / "runs").mkdir()
    sites = Runs([Input(tuple(command))], [], tmp_path / "runs", "").friendly_sites()
    assert {site.partition("(")[2] for site in sites} == {"append_walked)", "append_indexed)"}
    predictor = predictor_of(command, 0.1, 60.0, tmp_path, lambda said: None, sites)
    assert predictor is not None
    (predicted, policy), *_ = context_policies(predictor, tmp_path)
    assert predicted < 0.97
    profile = read_profile(Path(policy.settings["profile"]))
    places = {one.calls.partition("(")[2].rstrip(")"): one.place for one in profile.contexts}
    assert places == {"append_walked": "beside", "append_indexed": "plain"}
    # Nothing is known of friends where no site is named.
    unknown = Predictor(predictor.trace, predictor.run, find_preset(STANDARD), math.inf)
    assert unknown.befriended == {}
    beside = dict.fromkeys(predictor.befriended, "beside")
    assert unknown.assigned(beside) < 0.8 < unknown.assigned({}) == 1


@pytest.mark.parametrize(
    ("base", "place"),
    [
        (DEFAULT, "auto"),
        (Policy("birth", {"order": "birth"}), "auto"),
        (Policy("pools", {"place": "auto:pools"}), "auto"),
        (Policy("plain", {"place": "off", "order": "birth"}), "pools"),
        (Policy("apart", {"place": "pools:apart"}), "pools"),
    ],
)
def test_contexts_leave_friends_as_they_are(base: Policy, place: str) -> None:
    raced = beside(base, Policy("contexts", {"profile": "p"}))
    assert raced.settings == {**base.settings, "place": place, "profile": "p"}


def test_slots_are_raced_where_the_simulator_sees_a_gain(tmp_path: Path) -> None:
    traverse = bench_places().programs / "traverse"
    if not traverse.is_file():
        pytest.skip("the benchmark programs are not built")
    # A walk against the order of birth.
    walk = [str(traverse), "--depth", "12", "--walks", "2"]
    predictor = predictor_of(walk, 0.1, 60.0, tmp_path, lambda said: None)
    assert predictor is not None
    policies = slot_policies(predictor, 1.0, tmp_path, lambda said: None)
    assert policies
    for policy in policies:
        plan = read_plan(Path(policy.settings["plan"]))
        assert policy.name == f"slots-{plan.strategy}"
    assert slot_policies(predictor, 0.01, tmp_path, lambda said: None) == []
    assert predictor_of(["/bin/true"], 0.1, 60.0, tmp_path, lambda said: None) is None
