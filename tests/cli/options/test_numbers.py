"""Values that options take: numbers with their bounds, suffixes and defaults, and words."""

import io

import click
import pytest

from pybinlog.cli.command import Command
from pybinlog.cli.commands.undo import MOST_ROWS_PER_STATEMENT
from pybinlog.cli.environment import Environment
from pybinlog.cli.options.option import Option
from pybinlog.cli.options.table_options import limit
from pybinlog.cli.options.values import NumberValue, duration, log_position, rewrite
from pybinlog.cli.program import COMMANDS, command_named
from pybinlog.undo.problem import ROWS_PER_STATEMENT
from tests.cli.conftest import parsed, real
from tests.corpus import TESTDATA

LOG = TESTDATA / "corpus" / "mysql-9.7" / "row-basic" / "binlog.000001"
LARGEST = 18446744073709551615
OPTIONS = {
    f"{name} --{option.name}": option
    for name in COMMANDS
    if isinstance(command := command_named(name), Command)
    for option in command.options
}
NUMBERS = {name: option for name, option in OPTIONS.items() if isinstance(option.type, (NumberValue, click.IntRange))}
BOUNDS = {
    "binlog-row-event-max-size": (256, 18446744073709551360),
    "connect-timeout": (1, 86400),
    "connection-server-id": (0, 4294967295),
    "jobs": (1, 256),
    "limit": (0, LARGEST),
    "max-clients": (1, 10000),
    "memory": (1 << 25, LARGEST),
    "min-bytes": (1, LARGEST),
    "min-rows": (1, LARGEST),
    "offset": (0, LARGEST),
    "open-files-limit": (0, LARGEST),
    "port": (0, 65535),
    "read-timeout": (1, 86400),
    "row-group-size": (65536, LARGEST),
    "rows-per-second": (1, LARGEST),
    "rows-per-statement": (1, MOST_ROWS_PER_STATEMENT),
    "server-id": (0, LARGEST),
    "server-id-bits": (7, 32),
    "start-position": (4, LARGEST),
    "stop-never-slave-server-id": (0, 4294967295),
    "stop-position": (4, LARGEST),
    "thread-id": (0, LARGEST),
    "top": (1, LARGEST),
    "workers": (1, 1024),
    "zstd-compression-level": (1, 22),
}
CHOICES = [
    (name, option, choice)
    for name, option in OPTIONS.items()
    if isinstance(option.type, click.Choice)
    for choice in option.type.choices
]


def taken(option: Option, text: str) -> tuple[object, str]:
    """Return the value that an option has then, and what is said about it."""
    said = io.StringIO()
    with click.Context(click.Command("x"), obj=Environment(stdin=None, stdout=None, stderr=said)) as ctx:
        try:
            return option.type.convert(text, option.parameter(), ctx), said.getvalue()
        except click.BadParameter as error:
            return None, error.message


def test_every_number_has_its_bounds_here() -> None:
    assert {option.name for option in NUMBERS.values()} == set(BOUNDS)


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_outside_its_bounds_becomes_the_nearest_with_a_warning(name: str) -> None:
    option = NUMBERS[name]
    least, most = BOUNDS[option.name]
    assert taken(option, str(least)) == (least, "")
    assert taken(option, str(most)) == (most, "")
    if option.name == "jobs":
        assert taken(option, "0") == (None, "0 is not in the range 1<=x<=256.")
        assert taken(option, "257") == (None, "257 is not in the range 1<=x<=256.")
        return
    below = f"WARNING: --{option.name}={least - 1} is out of range; using {least}.\n"
    assert taken(option, str(least - 1)) == (least, below)
    if most == LARGEST:
        assert taken(option, str(most + 1)) == (
            None,
            "'18446744073709551616' is too large; the largest number is 18446744073709551615.",
        )
    elif option.name == "binlog-row-event-max-size":
        assert [taken(option, str(number)) for number in (511, 512, LARGEST)] == [(256, ""), (512, ""), (most, "")]
    else:
        above = f"WARNING: --{option.name}={most + 1} is out of range; using {most}.\n"
        assert taken(option, str(most + 1)) == (most, above)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("+7", 7),
        (" 7 ", 7),
        ("1k", 1 << 10),
        ("3K", 3 << 10),
        ("1m", 1 << 20),
        ("1G", 1 << 30),
        ("1t", 1 << 40),
        ("1P", 1 << 50),
        ("15e", 15 << 60),
    ],
)
def test_suffixes_are_powers_of_1024(text: str, number: int) -> None:
    assert taken(OPTIONS["dump --offset"], text) == (number, "")


@pytest.mark.parametrize("text", ["", "K", "-", "1.5", "1B", "1KK", "--1", "\u0661", "0x10", "1 K"])
def test_what_is_no_number_is_refused(text: str) -> None:
    sentence = f"{text!r} is not a number; give one such as 1000 or 64K."
    assert taken(OPTIONS["dump --offset"], text) == (None, sentence)


@pytest.mark.parametrize("text", ["16E", "18446744073709551616", "9" * 99, "9" * 100, "9" * 5000])
def test_a_number_has_64_bits(text: str) -> None:
    assert taken(OPTIONS["dump --offset"], text) == (
        None,
        f"{text!r} is too large; the largest number is 18446744073709551615.",
    )


def test_negative_numbers_become_the_least() -> None:
    for text in ("-1", "-1K", "-" + "9" * 5000):
        warning = f"WARNING: --offset={text} is out of range; using 0.\n"
        assert taken(OPTIONS["dump --offset"], text) == (0, warning)


def test_these_options_have_a_default() -> None:
    assert {name: option.default for name, option in NUMBERS.items() if option.default is not None} == {
        "dump --start-position": 4,
        "dump --offset": 0,
        "dump --server-id-bits": 32,
        "dump --binlog-row-event-max-size": 4294967040,
        "check --limit": 1000,
        "check --jobs": 1,
        "serve --max-clients": 100,
        "recover --workers": 16,
        "undo --rows-per-statement": ROWS_PER_STATEMENT,
        "redo --rows-per-statement": ROWS_PER_STATEMENT,
    }
    assert [name for name, option in OPTIONS.items() if option.default is True] == [
        "dump --force-if-open",
        "dump --tbm",
        "serve --check",
        "undo --check-state",
        "redo --check-state",
    ]
    assert [name for name, option in OPTIONS.items() if option.required] == [
        "report --output",
        "export --output-dir",
        "recover --from",
    ]


@pytest.mark.parametrize(
    ("text", "microseconds"),
    [("0", 0), ("5", 5_000_000), (" 0.5 ", 500_000), ("0.0000019", 1), ("1e12", 10**18), ("1E-6", 1)],
)
def test_a_duration_is_a_number_of_seconds(text: str, microseconds: int) -> None:
    assert duration(text) == microseconds


@pytest.mark.parametrize("text", ["", "x", "-1", "-0.1", "nan", "sNaN", "inf", "1000000000000.1", "1e13", "5s"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{text!r} is not a number of seconds; give one such as 5 or 0.5.$"):
        duration(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("0", (0, None)), ("7", (0, 7)), ("20,100", (20, 100)), (" 20 , 0 ", (20, None)), ("0,1", (0, 1))],
)
def test_a_limit_of_rows_may_have_an_offset(text: str, wanted: tuple[int, int | None]) -> None:
    assert limit(text) == wanted


@pytest.mark.parametrize("text", ["", "x", "-1", "1,", ",1", "1,2,3", "²", "\u0661", "1,x", "x,1"])
def test_what_is_no_limit_of_rows_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{text!r} is not a number of rows; give one such as 100, or 20,100 to skip"):
        limit(text)


def test_a_place_has_a_log_and_a_position() -> None:
    assert log_position("a:b.000007:4711") == ("a:b.000007", 4711)
    for text in ("binlog.000007", ":4", "binlog.000007:", "binlog.000007:x", "binlog.000007:\u0661"):
        sentence = f"^{text!r} is not a log and a position; give both, such as binlog.000007:4711.$"
        with pytest.raises(ValueError, match=sentence):
            log_position(text)


def test_a_rewriting_has_two_names() -> None:
    assert rewrite("a ->  b->c") == ("a", "b->c")
    for text in ("a", "->b", "a->", " -> ", "a-b", ""):
        with pytest.raises(ValueError, match=f"^{text!r} must name two databases, as in 'shop->shop_copy'.$"):
            rewrite(text)


def test_a_number_beyond_a_bound_is_told_by_the_program() -> None:
    assert parsed("--read-timeout=86400", "a.000001").err == ""
    assert "--read-timeout=86401 is out of range; using 86400." in parsed("--read-timeout=86401", "a.000001").err


@pytest.mark.parametrize("command", ["events", "export", "rows", "stats", "transactions", "undo"])
@pytest.mark.parametrize("option", ["start-position", "stop-position"])
def test_no_event_is_before_position_4(command: str, option: str) -> None:
    words = (command, *(["-o", "-"] if command == "export" else []), "--table=none", str(LOG))
    assert "out of range" not in real(*words, f"--{option}=4").err
    assert f"--{option}=3 is out of range; using 4." in real(*words, f"--{option}=3").err


@pytest.mark.parametrize(("name", "option", "choice"), CHOICES, ids=[f"{name}={choice}" for name, _, choice in CHOICES])
def test_a_word_may_be_written_in_capitals(name: str, option: Option, choice: str) -> None:
    assert taken(option, choice.upper()) == taken(option, choice)
    assert taken(option, choice)[0] == choice
