"""One option: its help text, its value if it is absent, and what it requires and excludes."""

from enum import Enum
from typing import Any

import click
import pytest

from pybinlog.cli.options.option import Kind, Option, check_together, flag, repeated
from pybinlog.cli.options.values import NumberValue


class Color(Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("option", "record"),
    [
        (Option("name", "Text."), ("    --name=text", "Text.")),
        (Option("name", "Text.", "FILE", "n"), ("-n, --name=FILE", "Text.")),
        (Option("name", "Text.", type=NumberValue(), required=True), ("    --name=N", "Text. (required)")),
        (repeated("name", "Text.", "FILE"), ("    --name=FILE", "Text.")),
        (flag("name", "Text."), ("    --name", "Text.")),
        (flag("name", "Text.", default=True), ("    --name / --skip-name", "Text.")),
        (flag("name", "Text.", default=True, negative="no-name"), ("    --name / --no-name", "Text.")),
        (flag("name", "Text.", negative="no-name"), ("    --name", "Text.")),
        (Option("name", "Text.", "FORM", kind=Kind.MAYBE), ("    --name[=FORM]", "Text.")),
        (Option("name", "Text.", "PASSWORD", "p", kind=Kind.SECRET), ("-p, --name[=PASSWORD]", "Text.")),
        (Option("name", "Text.", kind=Kind.COUNT), ("    --name", "Text.")),
        (Option("name", "Text.", kind=Kind.ACTION), ("    --name", "Text.")),
        (flag("name", "Text.", requires=["a", "b=c"]), ("    --name", "Text. Requires --a or --b=c.")),
    ],
)
def test_the_help_text_has_the_spelling_and_the_rules(option: Option, record: tuple[str, str]) -> None:
    assert option.help_record() == record


@pytest.mark.parametrize(
    ("option", "absent", "given"),
    [
        (Option("a-name", ""), None, "x"),
        (Option("a-name", "", default="x"), "x", "y"),
        (Option("a-name", "", type=NumberValue(), default=4), 4, 5),
        (flag("a-name", ""), False, True),
        (flag("a-name", "", default=True), True, False),
        (Option("a-name", "", kind=Kind.COUNT), 0, 1),
        (repeated("a-name", ""), (), ("x",)),
        (Option("a-name", "", kind=Kind.ACTION), False, True),
        (Option("a-name", "", kind=Kind.MAYBE), None, ""),
    ],
)
def test_an_option_is_given_if_its_value_is_not_that_of_an_absent_one(
    option: Option, absent: object, given: object
) -> None:
    assert (option.absent, type(option.absent)) == (absent, type(absent))
    assert [option.is_given({"a_name": value}) for value in (absent, given)] == [False, True]


def test_an_option_without_rules_is_a_copy() -> None:
    option = flag("a", "", requires=["b"], excludes={"c": "way"})
    alone, ruled = option.alone(), option.with_rules(["d"])
    assert (alone.requires, alone.excludes) == ((), {"c": "way"})
    assert (ruled.requires, ruled.excludes) == (["d"], {})
    assert (option.requires, option.excludes) == (["b"], {"c": "way"})


OPTIONS = [
    Option("color", "", default=Color.RED, type=click.UNPROCESSED),
    Option("size", ""),
    flag("fast", "", default=True, negative="slow"),
    flag("plain", "", requires=["size", "color=blue"]),
    flag("bare", "", excludes={"size": "leave it out", "color=red": "", "slow": "", "other": ""}),
]
ABSENT = {option.variable: option.absent for option in OPTIONS}


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({}, None),
        ({"size": "1"}, None),
        ({"plain": True}, "--plain requires --size or --color=blue."),
        ({"plain": True, "size": "1"}, None),
        ({"plain": True, "color": "BLUE"}, None),
        ({"bare": True, "color": "blue"}, None),
        ({"bare": True, "color": "blue", "size": "1"}, "--bare cannot be used with --size: leave it out."),
        ({"bare": True}, "--bare cannot be used with --color=red."),
        ({"bare": True, "color": "blue", "fast": False}, "--bare cannot be used with --slow."),
    ],
)
def test_options_that_do_not_go_together_are_refused(values: dict[str, Any], sentence: str | None) -> None:
    given = {**ABSENT, **values}
    if sentence is None:
        check_together(OPTIONS, OPTIONS, given)
        return
    with pytest.raises(click.UsageError) as caught:
        check_together(OPTIONS, OPTIONS, given)
    assert caught.value.message == sentence
    check_together([option for option in OPTIONS if option.variable not in values], OPTIONS, given)
