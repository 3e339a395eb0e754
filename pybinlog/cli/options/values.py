"""The types of option values, as click takes them."""

from __future__ import annotations

import click

from pybinlog.cli.environment import Environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from pybinlog.dump.options import Base64Output

    OneOf = click.Choice[str]
else:
    OneOf = click.Choice

LARGEST = (1 << 64) - 1
SUFFIXES = "KMGTPE"


def boolean(text: str) -> bool | None:
    """Return the value of an on/off option; None if the text is neither."""
    return {"1": True, "on": True, "true": True, "0": False, "off": False, "false": False}.get(text.lower())


class PrefixChoice(OneOf):
    """One of some words in any case, or an unambiguous prefix of one, as MySQL's programs accept it."""

    def __init__(self, words: Sequence[str]):
        super().__init__(words, case_sensitive=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        begun = [word for word in self.choices if word.lower().startswith(str(value).lower())]
        return super().convert(begun[0] if len(begun) == 1 else value, param, ctx)


class NumberValue(click.ParamType):
    """A number from 0 to 2**64 - 1, with K, M, G, T, P or E for powers of 1024.

    A number outside the option's limits is moved to the nearer one, with a warning; it is then rounded down to a
    multiple of `block`. The reference does both.
    """

    name = "N"

    def __init__(self, minimum: int = 0, maximum: int = LARGEST, block: int = 1):
        self.minimum = minimum
        self.maximum = maximum
        self.block = block

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        text = str(value).strip()
        number = self.read(text)
        if number is None:
            self.fail(f"{value!r} is not a number; give one such as 1000 or 64K.", param, ctx)
        if number > LARGEST:
            self.fail(f"{value!r} is too large; the largest number is {LARGEST}.", param, ctx)
        limited = max(self.minimum, min(number, self.maximum) // self.block * self.block)
        if not self.minimum <= number <= self.maximum and ctx is not None and param is not None:
            environment = ctx.find_object(Environment)
            if environment is not None:
                environment.warn(f"{param.opts[0]}={text} is out of range; using {limited}.")
        return limited

    def read(self, text: str) -> int | None:
        digits, factor = text, 1
        if text and text[-1].upper() in SUFFIXES:
            digits, factor = text[:-1], 1024 ** (SUFFIXES.index(text[-1].upper()) + 1)
        sign = -1 if digits.startswith("-") else 1
        digits = digits[1:] if digits[:1] in ("-", "+") else digits
        if not (digits.isascii() and digits.isdigit()):
            return None
        return sign * (int(digits) if len(digits) < 100 else LARGEST + 1) * factor


class PositionValue(NumberValue):
    """A position: a number of bytes, or the text of GTIDs of MariaDB, one for each domain."""

    name = "POSITION"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int | str:  # type: ignore[override]
        if isinstance(value, int):
            return value
        from pybinlog.gtid_set import POSITION_HINT, looks_like_position, parse_gtid_position

        if not looks_like_position(str(value)):
            return super().convert(value, param, ctx)
        try:
            parse_gtid_position(str(value))
        except ValueError as error:
            self.fail(f"{error}. {POSITION_HINT}.", param, ctx)
        return str(value)


class ParsedValue(click.ParamType):
    """A value that a function makes of a text. Its ValueError says, as a sentence, what is wrong with the text.

    `words` returns those that a shell completes.
    """

    def __init__(self, name: str, parse: Callable[[str], object], words: Callable[[], Sequence[str]] = tuple):
        self.name = name
        self._parse = parse
        self._words = words

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        try:
            return self._parse(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        before, comma, typed = incomplete.rpartition(",")
        return [CompletionItem(before + comma + word) for word in self._words() if word.startswith(typed)]


LONGEST = 10**12
"""Seconds: more than any time of a log."""


def duration(text: str) -> int:
    """Return the microseconds of a number of seconds, with a fraction or without."""
    from decimal import Decimal, InvalidOperation

    try:
        seconds = Decimal(text.strip())
    except InvalidOperation:
        seconds = Decimal("NaN")
    if seconds.is_nan() or not 0 <= seconds <= LONGEST:
        raise ValueError(f"{text!r} is not a number of seconds; give one such as 5 or 0.5.")
    return int(seconds * 1_000_000)


def gtid_set(text: str) -> str:
    """Return the text of a GTID set, which is checked."""
    from pybinlog.gtid_set import SET_HINT, parse_gtid_set

    try:
        parse_gtid_set(text)
    except ValueError as error:
        raise ValueError(f"{error}. {SET_HINT}.") from None
    return text


def instant(text: str) -> int:
    """Return the microseconds since 1970 UTC of a date and time in the local time zone."""
    from pybinlog.cli.options.datetimes import epoch_microseconds

    try:
        return epoch_microseconds(text)
    except ValueError:
        raise ValueError(
            f"{text!r} is not a date and time; give one such as '2024-12-25 11:25:56', 2024-12-25, 11:25 (of today) or "
            "2024-12-25T11:25:56Z."
        ) from None


def rewrite(text: str) -> tuple[str, str]:
    """Return the two names of databases in `FROM->TO`."""
    source, arrow, target = text.partition("->")
    source, target = source.rstrip(), target.lstrip()
    if not (arrow and source and target):
        raise ValueError(f"{text!r} must name two databases, as in 'shop->shop_copy'.")
    return source, target


def base64_output(text: str) -> Base64Output:
    """Return the member by its name in upper or lower case; the beginning of one is enough."""
    from pybinlog.dump.options import Base64Output

    matches = [mode for mode in Base64Output if text and mode.value.startswith(text.lower())]
    if len(matches) != 1:
        raise ValueError(f"{text!r} is not one of {', '.join(mode.value for mode in Base64Output)}.")
    return Base64Output.AUTO if matches[0] is Base64Output.UNSPEC else matches[0]


def base64_outputs() -> list[str]:
    from pybinlog.dump.options import Base64Output

    return [mode.value for mode in Base64Output]


def log_position(text: str) -> tuple[str, int]:
    """Return the two parts of `LOG:POSITION`."""
    log, _, position = text.rpartition(":")
    if not log or not position.isascii() or not position.isdigit():
        raise ValueError(f"{text!r} is not a log and a position; give both, such as binlog.000007:4711.")
    return log, int(position)


DURATION = ParsedValue("SECONDS", duration)
GTID_SET = ParsedValue("GTIDS", gtid_set)
DATETIME = ParsedValue("DATETIME", lambda text: instant(text) // 1_000_000)
INSTANT = ParsedValue("DATETIME", instant)
REWRITE = ParsedValue("FROM->TO", rewrite)
BASE64_OUTPUT = ParsedValue("WHEN", base64_output, base64_outputs)
LOG_POSITION = ParsedValue("LOG:POSITION", log_position)
