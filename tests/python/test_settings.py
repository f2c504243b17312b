"""Settings of the heap are checked against what the library declares, before anything runs."""

import pytest

from abut.errors import USAGE, AbutError
from abut.library import HeapOption
from abut.settings import environment_of

OPTIONS = [
    HeapOption("decay_ms", "number", "100", "0..3600000", "how long"),
    HeapOption("thp", "choice", "default", "default|always|never", "whether"),
    HeapOption("stats", "path", "", "", "where"),
    HeapOption("plan", "path", "", "", "which"),
]


@pytest.mark.parametrize(
    ("setting", "variable", "value"),
    [
        ("decay_ms=0", "ABUT_DECAY_MS", "0"),
        ("DECAY_MS=3600000", "ABUT_DECAY_MS", "3600000"),
        ("ABUT_DECAY_MS=5", "ABUT_DECAY_MS", "5"),
        ("thp=never", "ABUT_THP", "never"),
        ("stats=/tmp/a=b", "ABUT_STATS", "/tmp/a=b"),
        (f"plan={__file__}", "ABUT_PLAN", __file__),
        ("plan=@9", "ABUT_PLAN", "@9"),
    ],
)
def test_setting_becomes_a_variable(setting: str, variable: str, value: str) -> None:
    assert environment_of([setting], OPTIONS) == {variable: value}


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ("decay_ms", "no value"),
        ("decay_ms=soon", "'soon' is not a number"),
        ("decay_ms=1.5", "'1.5' is not a number"),
        ("decay_ms=-1", "-1 is out of range"),
        ("decay_ms=3600001", "3600001 is out of range"),
        ("thp=sometimes", "'thp': there is none called 'sometimes'"),
        ("plan=nowhere.plan", "nowhere.plan: there is no such plan"),
        ("colour=1", "option of the heap: there is none called 'colour'"),
    ],
)
def test_bad_setting_is_refused_with_a_fix(setting: str, complaint: str) -> None:
    with pytest.raises(AbutError) as caught:
        environment_of([setting], OPTIONS)
    assert complaint in caught.value.problem
    assert caught.value.fix
    assert caught.value.exit_code == USAGE


def test_an_option_has_one_value() -> None:
    with pytest.raises(AbutError, match="option 'decay_ms': two values"):
        environment_of(["decay_ms=1", "DECAY_MS=2"], OPTIONS)
    assert environment_of(["decay_ms=1", "decay_ms=1"], OPTIONS) == {"ABUT_DECAY_MS": "1"}
