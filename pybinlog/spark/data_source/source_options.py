"""SourceOptions: the options of the data source `binlog`, read from the strings that Spark hands over."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import Any

from pybinlog.asof.moment import Moment
from pybinlog.errors import BinlogError, Face
from pybinlog.feed.policy import Mode
from pybinlog.filters import event_types
from pybinlog.gtid_set import SET_HINT, parse_gtid_set
from pybinlog.source import KeyedLog
from pybinlog.spark.worker import ShippedKeyring
from pybinlog.views.options import Unfit, ViewOptions, names, tables
from pybinlog.views.schema import ALL_VIEWS, EVENTS, TRANSACTIONS
from pybinlog.views.view import CORRUPT_RECORD
from pybinlog.where import Condition

Parser = Callable[[str], Any]

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
UNITS = {"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "g": 1 << 30, "gb": 1 << 30}
IN_SPARK = Face(
    {
        "--allow-gaps": "allowGaps=true",
        "--columns": "a schema of your own",
        "--database": "databases=",
        "--event-type": "the view events with eventTypes=",
        "--include-gtids": "includeGtids=",
        "--index": "index=",
        "--invalid-text": "invalidText=",
        "--keyring": "keyring=",
        "--keyring-password-file": "keyringPasswordFile=",
        "--recover": "mode=PERMISSIVE",
        "--schema": "schemaFile=",
        "--schema-of": "schemaOf=",
        "--start-datetime": "startTime=",
        "--stop-datetime": "stopTime=",
        "--table": "tables=",
        "--time-zone": "timeZone=",
        "--where": "where=",
        "--zero-dates": "zeroDates=",
    }
)
WAY_OUT = "mode=PERMISSIVE continues after the damage; ignoreCorruptFiles=true leaves the rest of the file out"


def local(path: str) -> str:
    """Return a path of this machine without the scheme that Spark and Hadoop put before it; any other as it is."""
    if path.startswith("file:///"):
        return path[len("file://") :]
    return path[len("file:") :] if path.startswith("file:/") and not path.startswith("file://") else path


def files(text: str) -> tuple[str, ...]:
    """Return a file, or those of a JSON list."""
    if not text.startswith("["):
        return (local(text),) if text else ()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(file, str) for file in found):
        raise ValueError("this is neither a file nor a JSON list of files")
    return tuple(map(local, found))


def one_of(values: Mapping[str, Any], text: str) -> Any:
    """Return the value of this name, in whatever case."""
    known = {name.lower(): value for name, value in values.items()}
    if text.lower() not in known:
        raise ValueError(f"{text!r} is invalid; valid values: {', '.join(values)}")
    return known[text.lower()]


def microseconds(time: datetime) -> int:
    """Return a time in microseconds since 1970 UTC; without a zone it is UTC."""
    return ((time if time.tzinfo else time.replace(tzinfo=timezone.utc)) - EPOCH) // timedelta(microseconds=1)


def time_of(text: str) -> int:
    """Return a date and time in microseconds since 1970 UTC. Raise ValueError if it is none."""
    return microseconds(datetime.fromisoformat(text.strip().replace("Z", "+00:00")))


def time(text: str) -> int:
    try:
        return time_of(text)
    except ValueError:
        raise BinlogError(
            f"{text!r} is not a date and time",
            hint="Examples are 2026-11-21T01:22:50Z and 2026-11-21 01:22:50+02:00; without a zone it is UTC",
        ) from None


def size(text: str) -> int:
    """Return a number, with k, m or g after it for powers of 1024."""
    digits = text.strip().lower().rstrip("bkmg")
    unit = text.strip().lower()[len(digits) :]
    if not digits.isdecimal() or unit not in UNITS or int(digits) == 0:
        raise BinlogError(f"{text!r} is not a number above 0", hint="Examples are 100 and 64m")
    return int(digits) * UNITS[unit]


def moment(text: str) -> Moment:
    return Moment.of_text(text, time_of)


def number(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise ValueError(f"{text!r} is not a number above 0")
    return int(text)


def gtid_set(text: str) -> str:
    try:
        parse_gtid_set(text)
    except ValueError as error:
        raise BinlogError(str(error), hint=SET_HINT) from None
    return text


flag = partial(one_of, {"true": True, "false": False})
unfit = partial(one_of, {unfit.value: unfit for unfit in Unfit})

OPTIONS: dict[str, tuple[Parser, Any]] = {
    "path": (lambda text: (local(text),), ()),
    "paths": (files, ()),
    "index": (str, None),
    "view": (partial(one_of, ALL_VIEWS), EVENTS),
    "table": (tables, None),
    "zeroDates": (unfit, Unfit.NULL),
    "invalidText": (unfit, Unfit.ERROR),
    "keyring": (files, ()),
    "keyringPasswordFile": (local, None),
    "schemaFile": (files, ()),
    "schemaOf": (partial(one_of, {"start": "start", "end": "end"}), None),
    "asOf": (moment, None),
    "shares": (number, None),
    "columnNames": (partial(one_of, {"all": "all", "logged": "logged"}), "all"),
    "ddl": (flag, False),
    "startTime": (time, None),
    "stopTime": (time, None),
    "databases": (names, None),
    "tables": (tables, None),
    "eventTypes": (event_types, None),
    "includeGtids": (gtid_set, None),
    "where": (str, None),
    "whereUnknown": (partial(one_of, {"keep": "keep", "drop": "drop"}), "keep"),
    "timeZone": (str, "UTC"),
    "mode": (partial(one_of, Mode.__members__), Mode.FAILFAST),
    "columnNameOfCorruptRecord": (str, CORRUPT_RECORD),
    "pathGlobFilter": (str, None),
    "recursiveFileLookup": (flag, False),
    "modifiedAfter": (time, None),
    "modifiedBefore": (time, None),
    "ignoreCorruptFiles": (flag, False),
    "ignoreMissingFiles": (flag, False),
    "allowGaps": (flag, False),
    "startingOffsets": (str, "earliest"),
    "failOnDataLoss": (flag, True),
    "maxLogsPerTrigger": (size, None),
    "maxBytesPerTrigger": (size, None),
}
"""Each option's parser, which raises ValueError or BinlogError, and the value of one that is not given."""
BESIDE = {
    "shares": "asOf",
    "schemaOf": "schemaFile",
    "keyringPasswordFile": "keyring",
    "whereUnknown": "where",
    "timeZone": "where",
}
"""Options that say more about another one."""
NOT_AS_OF = (
    *("columnNames", "startTime", "stopTime", "databases", "eventTypes", "includeGtids", "mode"),
    *("ignoreCorruptFiles", "ignoreMissingFiles", "startingOffsets", "maxLogsPerTrigger", "maxBytesPerTrigger"),
)
"""Options without a sense for the rows of a moment, to which all logs lead."""
OF_ROWS = {
    "ddl": ("ddl", "rows of its own for DDL"),
    "schemaFile": ("schema", "columns of tables"),
    "where": ("where", "rows of tables"),
}
"""Options -> their names among `View.options`, and what a view without them lacks."""


class SourceOptions(dict[str, Any]):
    """The options by their names: `options["pathGlobFilter"]`; the logs, and the data to read from them.

    Raise BinlogError, which names the option, if one is invalid.
    """

    def __init__(self, strings: Mapping[str, str]):
        given = {name.lower(): value for name, value in strings.items()}
        if "owner" in given:
            raise BinlogError(
                "binlog cannot be the format of a table in a catalog",
                hint="CREATE TEMPORARY VIEW name USING binlog OPTIONS (path '/backup/binlogs') reads logs in SQL",
            )
        if "partsize" in given:
            raise BinlogError("option partSize is no longer there: a task reads whole logs, small ones together")
        known = {name.lower() for name in OPTIONS}
        for name in given:
            if name not in known and not name.startswith("__"):
                raise BinlogError(f"the data source binlog has no option {name!r}; it has {', '.join(OPTIONS)}")
        self._given = {name for name in OPTIONS if name.lower() in given}
        super().__init__((name, default) for name, (_, default) in OPTIONS.items())
        for name in self._given:
            try:
                self[name] = OPTIONS[name][0](given[name.lower()])
            except (ValueError, BinlogError) as error:
                message, hint = getattr(error, "message", str(error)), getattr(error, "hint", None)
                raise BinlogError(f"option {name}: {message}", hint=hint) from None
        self._check()
        self.paths: tuple[str, ...] = self["path"] + self["paths"]
        if not self.paths and self["index"] is None:
            raise BinlogError(
                "no log is given", hint="load(PATH) takes a file, a folder, a glob, a URL or a list of them"
            )
        keyring = self["keyring"]
        self.keyring = ShippedKeyring(keyring, self["keyringPasswordFile"]) if keyring else None
        self.view = ViewOptions(
            view=self["view"].name,
            ddl=self["ddl"],
            start_time=self["startTime"],
            stop_time=self["stopTime"],
            types=self["eventTypes"],
            databases=self["databases"],
            tables=self["table"] if self["view"].of_one_table else self["tables"],
            zero_dates=self["zeroDates"],
            invalid_text=self["invalidText"],
            include_gtids=self["includeGtids"],
            where=self._condition(),
            mode=self["mode"],
            allow_gaps=self["allowGaps"],
            ignore_corrupt_files=self["ignoreCorruptFiles"],
            ignore_missing_files=self["ignoreMissingFiles"],
            way_out=WAY_OUT,
        )

    def _check(self) -> None:
        """Raise BinlogError if an option does not go with another one, or with the view."""
        view = self["view"]
        for name, other in BESIDE.items():
            if name in self._given and not self[other]:
                raise BinlogError(f"option {name}: it is about {other}, which is not given")
        for name, (of_view, lacks) in OF_ROWS.items():
            if self[name] and of_view not in view.options:
                raise BinlogError(f"option {name}: the view {view.name} has no {lacks}", hint="Use view=rows")
        if view is TRANSACTIONS and self["schemaFile"] and self["where"] is None:
            raise BinlogError("option schemaFile: the view transactions needs it only for the option where")
        if self["columnNames"] == "logged" and self["schemaFile"]:
            raise BinlogError(
                "option schemaFile: with columnNames=logged, names come from the logs' own metadata alone"
            )
        if self["asOf"] is not None:
            if not view.of_one_table:
                raise BinlogError("option asOf: it is about one table", hint="Use view=table")
            if wrong := self._given & set(NOT_AS_OF):
                raise BinlogError(f"option {min(wrong)}: asOf needs all that the logs say of the table; leave it out")
        if view.of_one_table:
            if "tables" in self._given:
                raise BinlogError("option tables: the view table is that of one table", hint="The option is table")
            if len(self["table"] or ()) != 1:
                raise BinlogError(
                    "option table: the view table is that of one table", hint="An example is shop.customer"
                )
        elif wrong := self._given & {"table", "zeroDates", "invalidText"}:
            raise BinlogError(
                f"option {min(wrong)}: the view {view.name} has no use for it",
                hint="view=table has; tables are for all views",
            )

    def _condition(self) -> Condition | None:
        """Return the condition on the values of rows."""
        if self["where"] is None:
            return None
        if self["ddl"]:
            raise BinlogError("option where: ddl=true cannot be used with it, because a statement has no values")

        condition = Condition(self["where"], self["timeZone"], self["whereUnknown"] == "drop")
        try:
            condition.check()
        except BinlogError as error:
            raise BinlogError(f"option where: {error.message}", hint=error.hint) from None
        return condition

    def keyed(self, names: list[str]) -> list[str]:
        """Return the logs with the keyring that opens them."""
        return names if self.keyring is None else [KeyedLog(name, self.keyring) for name in names]
