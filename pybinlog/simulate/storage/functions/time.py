"""Functions of dates and times."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from ..date_format import date_format
from ..error import error
from ..temporal import add_months, from_utc, parse_datetime, round_to, temporal_of, to_utc
from ..time_use import time_use
from ..value import Temporal, Value, to_integer, to_number, to_text
from .call import Call, function, strict

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
DAY_ZERO = 365
"""TO_DAYS of the day before 0001-01-01."""


def now_utc(call: Call) -> datetime:
    seconds, microseconds = call.session.now
    return EPOCH + timedelta(seconds=seconds, microseconds=microseconds)


def current(call: Call, zone: str | None = None) -> Temporal:
    """The time of the statement, with as many digits of a second as the argument says."""
    decimals = to_integer(call[0]) if len(call) else 0
    time_use().microseconds |= decimals > 0
    moment = from_utc(now_utc(call), zone or call.session.time_zone)
    return Temporal("DATETIME", round_to(moment, decimals, truncate=True), decimals)


@function("NOW", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "SYSDATE")
def now(call: Call) -> Value:
    return current(call)


@function("UTC_TIMESTAMP")
def utc_timestamp(call: Call) -> Value:
    return current(call, "+00:00")


@function("CURDATE", "CURRENT_DATE")
def curdate(call: Call) -> Value:
    return Temporal("DATE", from_utc(now_utc(call), call.session.time_zone).date())


@function("UTC_DATE")
def utc_date(call: Call) -> Value:
    return Temporal("DATE", now_utc(call).date())


@function("CURTIME", "CURRENT_TIME")
def curtime(call: Call) -> Value:
    return temporal_of(current(call), "TIME")


@function("UTC_TIME")
def utc_time(call: Call) -> Value:
    return temporal_of(current(call, "+00:00"), "TIME")


@function("UNIX_TIMESTAMP")
def unix_timestamp(call: Call) -> Value:
    if not len(call):
        return call.session.now[0]
    value = call[0]
    moment = temporal_of(value, "DATETIME") if value is not None else None
    if moment is None or not isinstance(moment.value, datetime):
        return None if value is None else 0
    seconds = to_utc(moment.value, call.session.time_zone) - EPOCH
    whole = seconds // timedelta(seconds=1)
    if not moment.decimals:
        return whole
    return Decimal(seconds // timedelta(microseconds=1)).scaleb(-6).quantize(Decimal((0, (1,), -moment.decimals)))


@strict("FROM_UNIXTIME", least=1, most=2)
def from_unixtime(call: Call, value: Value, pattern: Value = None) -> Value:
    number = to_number(value)
    exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
    if exact < 0:
        return None
    decimals = min(6, max(0, -int(exact.as_tuple().exponent)))
    moment = EPOCH + timedelta(microseconds=int(exact.scaleb(6).to_integral_value("ROUND_HALF_UP")))
    local = from_utc(moment, call.session.time_zone)
    if pattern is not None:
        return call.text(date_format(local, to_text(pattern), call.session.lc_time_names))
    return Temporal("DATETIME", local, decimals)


def moment_of(value: Value) -> date | datetime | None:
    """A date or datetime; None for text that is none and for zero dates."""
    temporal = temporal_of(value, "DATETIME")
    if temporal is None or not isinstance(temporal.value, datetime):
        return None
    return temporal.value


@strict("DATE_FORMAT", least=2)
def date_format_(call: Call, value: Value, pattern: Value) -> Value:
    moment = moment_of(value)
    if not isinstance(moment, datetime):
        return None
    return call.text(date_format(moment, to_text(pattern), call.session.lc_time_names))


@strict("DATE", least=1)
def date_(call: Call, value: Value) -> Value:
    return temporal_of(value, "DATE")


@strict("TIME", least=1)
def time_(call: Call, value: Value) -> Value:
    return temporal_of(value, "TIME")


@strict("TIMESTAMP", least=1)
def timestamp(call: Call, value: Value) -> Value:
    return temporal_of(value, "DATETIME")


def field_of(name: str, take: Any) -> None:
    """Declares a function that takes a number out of a date."""

    @strict(name, least=1)
    def native(call: Call, value: Value) -> Value:
        moment = moment_of(value)
        if moment is None:
            text = to_text(value)
            parsed = parse_datetime(text)
            return 0 if parsed is not None and name in ("YEAR", "MONTH", "DAY") else None
        return take(moment)


for _name, _take in {
    "YEAR": lambda moment: moment.year,
    "MONTH": lambda moment: moment.month,
    "DAY": lambda moment: moment.day,
    "DAYOFMONTH": lambda moment: moment.day,
    "QUARTER": lambda moment: (moment.month + 2) // 3,
    "DAYOFWEEK": lambda moment: moment.isoweekday() % 7 + 1,
    "WEEKDAY": lambda moment: moment.weekday(),
    "DAYOFYEAR": lambda moment: moment.timetuple().tm_yday,
    "TO_DAYS": lambda moment: moment.toordinal() + DAY_ZERO,
    "LAST_DAY": lambda moment: Temporal("DATE", add_months(moment.date().replace(day=1), 1) - timedelta(days=1)),
}.items():
    field_of(_name, _take)


def clock_of(name: str, take: Any) -> None:
    """Declares a function that takes a number out of a time."""

    @strict(name, least=1)
    def native(call: Call, value: Value) -> Value:
        temporal = temporal_of(value, "TIME")
        if temporal is None or not isinstance(temporal.value, timedelta):
            return None
        return take(abs(temporal.value) // timedelta(microseconds=1))


for _name, _take in {
    "HOUR": lambda microseconds: microseconds // 3600000000,
    "MINUTE": lambda microseconds: microseconds // 60000000 % 60,
    "SECOND": lambda microseconds: microseconds // 1000000 % 60,
    "MICROSECOND": lambda microseconds: microseconds % 1000000,
}.items():
    clock_of(_name, _take)


@strict("FROM_DAYS", least=1)
def from_days(call: Call, value: Value) -> Value:
    return Temporal("DATE", date.fromordinal(to_integer(value) - DAY_ZERO))


@strict("DATEDIFF", least=2)
def datediff(call: Call, one: Value, other: Value) -> Value:
    a, b = moment_of(one), moment_of(other)
    return None if a is None or b is None else a.toordinal() - b.toordinal()


@strict("SEC_TO_TIME", least=1)
def sec_to_time(call: Call, value: Value) -> Value:
    return Temporal("TIME", timedelta(seconds=to_integer(value)))


@strict("TIME_TO_SEC", least=1)
def time_to_sec(call: Call, value: Value) -> Value:
    temporal = temporal_of(value, "TIME")
    if temporal is None or not isinstance(temporal.value, timedelta):
        return None
    return int(temporal.value.total_seconds())


@strict("MAKEDATE", least=2)
def makedate(call: Call, year: Value, day: Value) -> Value:
    return Temporal("DATE", date(to_integer(year), 1, 1) + timedelta(days=to_integer(day) - 1))


_UNITS = {
    "MICROSECOND": timedelta(microseconds=1),
    "SECOND": timedelta(seconds=1),
    "MINUTE": timedelta(minutes=1),
    "HOUR": timedelta(hours=1),
    "DAY": timedelta(days=1),
    "WEEK": timedelta(weeks=1),
}
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}


def shifted(call: Call, sign: int) -> Value:
    """DATE_ADD and DATE_SUB with an interval of one unit."""
    value, interval = call[0], call.arguments[1]
    unit = interval.args["unit"].name.upper()
    amount_of = interval.this
    amount = to_number(amount_of.this if amount_of.is_string and amount_of.this.isdigit() else _amount(call, amount_of))
    if value is None:
        return None
    temporal = value if isinstance(value, Temporal) else parse_datetime(to_text(value))
    if temporal is None or isinstance(temporal.value, str):
        return None
    inner: Any = temporal.value
    try:
        if unit in _MONTHS:
            result: Any = add_months(inner, sign * to_integer(amount) * _MONTHS[unit])
        elif unit in _UNITS:
            if unit not in ("DAY", "WEEK") and not isinstance(inner, (datetime, timedelta)):
                inner = datetime(inner.year, inner.month, inner.day)
            steps = float(amount) if unit == "SECOND" else to_integer(amount)
            result = inner + sign * steps * _UNITS[unit]
        else:
            raise error("ILLEGAL_VALUE_FOR_TYPE", "INTERVAL", unit)
    except (ValueError, OverflowError):
        return None
    decimals = 6 if getattr(result, "microsecond", 0) and not temporal.decimals else temporal.decimals
    kind = "TIME" if isinstance(result, timedelta) else "DATETIME" if isinstance(result, datetime) else "DATE"
    shifted_value = Temporal(kind, result, decimals)
    return shifted_value if isinstance(value, Temporal) else call.text(shifted_value.text())


def _amount(call: Call, node: Any) -> Value:
    value = call.evaluator.evaluate(node, call.env)
    return 0 if value is None else value


@function("DATE_ADD", "ADDDATE")
def date_add(call: Call) -> Value:
    return shifted(call, 1)


@function("DATE_SUB", "SUBDATE")
def date_sub(call: Call) -> Value:
    return shifted(call, -1)
