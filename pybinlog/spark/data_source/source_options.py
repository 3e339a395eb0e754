"""SourceOptions: the options of the data source `binlog`, read from the strings that Spark hands over."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from pybinlog.errors import BinlogError, InWords
from pybinlog.filters import event_types
from pybinlog.gtid_set import SET_HINT
from pybinlog.source import KeyedLog
from pybinlog.views.options import Mode, Unfit, ViewOptions, names, tables
from pybinlog.views.schema import ALL_VIEWS, EVENTS
from pybinlog.views.view import CORRUPT_RECORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql.types import StructType

    from pybinlog.spark.shipped_keyring import ShippedKeyring
    from pybinlog.views.view import View
    from pybinlog.where import Condition

KNOWN = (
    "path",
    "paths",
    "index",
    "view",
    "table",
    "zeroDates",
    "invalidText",
    "keyring",
    "keyringPasswordFile",
    "schemaFile",
    "schemaOf",
    "columnNames",
    "ddl",
    "startTime",
    "stopTime",
    "databases",
    "tables",
    "eventTypes",
    "includeGtids",
    "where",
    "whereUnknown",
    "timeZone",
    "mode",
    "columnNameOfCorruptRecord",
    "pathGlobFilter",
    "recursiveFileLookup",
    "modifiedAfter",
    "modifiedBefore",
    "ignoreCorruptFiles",
    "ignoreMissingFiles",
    "startingOffsets",
    "failOnDataLoss",
    "maxLogsPerTrigger",
    "maxBytesPerTrigger",
)
UNITS = {"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "g": 1 << 30, "gb": 1 << 30}
IN_SPARK = InWords(
    {
        "--keyring-password-file": "keyringPasswordFile",
        "--keyring FILE": "option keyring=FILE",
        "--keyring": "keyring",
        "--schema-of=": "schemaOf=",
        "--zero-dates": "zeroDates",
        "--invalid-text": "invalidText",
        "Export what comes before and after that apart (--stop-position, --start-position)": "Read the logs before and "
        "after that apart",
        "leave the column out with --columns": "leave the column out of a schema of your own",
        "Give the names with --schema, or export": "Give the names with schemaFile, or read",
        "use --index": "load no path, and set the option index to",
    }
)
"""The options of the command line in hints of errors -> those of the data source."""
ALL, LOGGED = "all", "logged"
"""Values of the option columnNames."""
WAY_OUT = "mode=PERMISSIVE continues after the damage; ignoreCorruptFiles=true leaves the rest of the file out"


@dataclass(frozen=True)
class SourceOptions:
    """The logs, the data to read from them, and the way of a stream."""

    paths: tuple[str, ...]
    indexes: tuple[str, ...]
    glob_filter: str | None
    recursive: bool
    modified_after: int | None
    modified_before: int | None
    view: ViewOptions
    keyring: ShippedKeyring | None
    schema_files: tuple[str, ...]
    schema_of: str | None
    logged_names: bool
    corrupt_name: str
    starting_offsets: str
    fail_on_data_loss: bool
    max_files: int | None
    max_bytes: int | None

    def keyed(self, names: list[str]) -> list[str]:
        """Return the logs with the keyring that opens them."""
        return names if self.keyring is None else [KeyedLog(name, self.keyring) for name in names]

    @classmethod
    def of(cls, options: Mapping[str, str]) -> SourceOptions:
        """Read them. Raise BinlogError, which names the option, if one is invalid."""
        given = {name.lower(): value for name, value in options.items()}
        known = {name.lower(): name for name in KNOWN}
        if "owner" in given:
            raise BinlogError(
                "binlog cannot be the format of a table in a catalog",
                hint="CREATE TEMPORARY VIEW name USING binlog OPTIONS (path '/backup/binlogs') reads logs in SQL",
            )
        if "partsize" in given:
            raise BinlogError("option partSize is no longer there: a task reads whole logs, small ones together")
        for name in given:
            if name not in known and not name.startswith("__"):
                raise BinlogError(f"the data source binlog has no option {name!r}; it has {', '.join(KNOWN)}")
        reader = Given(given)
        paths = reader.paths()
        indexes = (given["index"],) if "index" in given else ()
        if not paths and not indexes:
            raise BinlogError(
                "no log is given", hint="load(PATH) takes a file, a folder, a glob, a URL or a list of them"
            )
        name = reader.text("view", EVENTS.name).lower()
        if name not in ALL_VIEWS:
            raise BinlogError(f"option view: {name!r} is not a view; valid views: {', '.join(ALL_VIEWS)}")
        view = ALL_VIEWS[name]
        reader.one_table(view)
        ddl = reader.flag("ddl", False)
        if ddl and "ddl" not in view.options:
            raise BinlogError(f"option ddl: the view {name} has no rows of its own for DDL", hint="Use view=rows")
        schema_files = reader.listed("schemaFile")
        if schema_files and "schema" not in view.options:
            raise BinlogError(f"option schemaFile: the view {name} has no columns of tables", hint="Use view=rows")
        schema_of = reader.text("schemaOf", "").lower() or None
        if schema_of not in (None, "start", "end"):
            raise BinlogError(f"option schemaOf: {schema_of!r} is neither start nor end")
        if schema_of and not schema_files:
            raise BinlogError("option schemaOf: it is about schemaFile, which is not given")
        names_wanted = reader.text("columnNames", ALL).lower()
        if names_wanted not in (ALL, LOGGED):
            raise BinlogError(f"option columnNames: {names_wanted!r} is neither {ALL} nor {LOGGED}")
        if names_wanted == LOGGED and schema_files:
            raise BinlogError(
                "option schemaFile: with columnNames=logged, names come from the logs' own metadata alone"
            )
        options_of_view = ViewOptions(
            view=name,
            ddl=ddl,
            start_time=reader.time("startTime"),
            stop_time=reader.time("stopTime"),
            types=reader.parsed("eventTypes", event_types),
            databases=reader.parsed("databases", names),
            tables=reader.parsed("table" if view.of_one_table else "tables", tables),
            zero_dates=reader.unfit("zeroDates", Unfit.NULL),
            invalid_text=reader.unfit("invalidText", Unfit.ERROR),
            include_gtids=given.get("includegtids"),
            where=reader.condition(view),
            mode=reader.mode(),
            ignore_corrupt_files=reader.flag("ignoreCorruptFiles", False),
            ignore_missing_files=reader.flag("ignoreMissingFiles", False),
            way_out=WAY_OUT,
        )
        try:
            options_of_view.scope("events")
        except ValueError as error:
            raise BinlogError(f"option includeGtids: {error}", hint=SET_HINT) from None
        return cls(
            paths=paths,
            indexes=indexes,
            glob_filter=given.get("pathglobfilter"),
            recursive=reader.flag("recursiveFileLookup", False),
            modified_after=reader.time("modifiedAfter"),
            modified_before=reader.time("modifiedBefore"),
            view=options_of_view,
            keyring=reader.keyring(),
            schema_files=schema_files,
            schema_of=schema_of,
            logged_names=names_wanted == LOGGED,
            corrupt_name=reader.text("columnNameOfCorruptRecord", CORRUPT_RECORD),
            starting_offsets=reader.text("startingOffsets", "earliest"),
            fail_on_data_loss=reader.flag("failOnDataLoss", True),
            max_files=reader.size("maxLogsPerTrigger"),
            max_bytes=reader.size("maxBytesPerTrigger"),
        )

    def projected(self, schema: StructType) -> ViewOptions:
        """Return the view's options for the columns of a schema.

        Raise BinlogError if a field is not a column of the view.
        """
        from pybinlog.spark.data_source.column_types import shape_of_schema, spark_type

        options = self.view
        if options.definition.of_one_table:
            assert options.tables is not None  # as one_table() has seen to
            ((database, table),) = options.tables
            options = replace(options, table=shape_of_schema(schema, database, table, self.corrupt_name))
        view = options.definition
        columns = []
        for field in schema.fields:
            try:
                column = view.column(CORRUPT_RECORD if field.name == self.corrupt_name else field.name)
            except KeyError:
                raise BinlogError(
                    f"the view {view.name} has no column {field.name!r}; it has {', '.join(view.column_names)}"
                ) from None
            found = field.dataType.simpleString()
            wanted = spark_type(column).simpleString()
            if found != wanted:
                raise BinlogError(
                    f"the column {column.name} of the view {view.name} is {wanted}, not {found}",
                    hint="Give it that type in the schema, and cast() it afterwards",
                )
            columns.append(column.name)
        return replace(options, columns=tuple(columns))


def local(path: str) -> str:
    """Return a path of this machine without the scheme that Spark and Hadoop put before it; any other as it is."""
    if path.startswith("file:///"):
        return path[len("file://") :]
    return path[len("file:") :] if path.startswith("file:/") and not path.startswith("file://") else path


class Given:
    """The options as they were given, by their names in lower case."""

    def __init__(self, given: Mapping[str, str]):
        self._given = given

    def text(self, name: str, default: str) -> str:
        return self._given.get(name.lower(), default)

    def paths(self) -> tuple[str, ...]:
        """One path is in the option `path`, several are in `paths`, as JSON."""
        paths: list[str] = []
        if "path" in self._given:
            paths.append(self._given["path"])
        if "paths" in self._given:
            try:
                paths += json.loads(self._given["paths"])
            except ValueError:
                raise BinlogError("option paths: this is not a JSON list of paths") from None
        return tuple(local(path) for path in paths)

    def listed(self, name: str) -> tuple[str, ...]:
        """Return a file, or a JSON list of several."""
        text = self.text(name, "")
        if not text.startswith("["):
            return (local(text),) if text else ()
        try:
            files = json.loads(text)
        except ValueError:
            files = None
        if not isinstance(files, list) or not all(isinstance(file, str) for file in files):
            raise BinlogError(f"option {name}: this is neither a file nor a JSON list of files")
        return tuple(map(local, files))

    def keyring(self) -> ShippedKeyring | None:
        """Return the keys of encrypted logs. Raise BinlogError if a file has none."""
        files = self.listed("keyring")
        password = self._given.get("keyringpasswordfile")
        if not files:
            if password:
                raise BinlogError("option keyringPasswordFile: it is about keyring, which is not given")
            return None
        from pybinlog.spark.shipped_keyring import ShippedKeyring

        return ShippedKeyring(files, None if password is None else local(password))

    def flag(self, name: str, default: bool) -> bool:
        text = self.text(name, str(default)).lower()
        if text not in ("true", "false"):
            raise BinlogError(f"option {name}: {text!r} is neither true nor false")
        return text == "true"

    def time(self, name: str) -> int | None:
        """Microseconds since 1970 UTC."""
        text = self._given.get(name.lower())
        if text is None:
            return None
        try:
            time = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        except ValueError:
            raise BinlogError(
                f"option {name}: {text!r} is not a date and time",
                hint="Examples are 2026-11-21T01:22:50Z and 2026-11-21 01:22:50+02:00; without a zone it is UTC",
            ) from None
        if time.tzinfo is None:
            time = time.replace(tzinfo=timezone.utc)
        since = time - datetime(1970, 1, 1, tzinfo=timezone.utc)
        return (since.days * 86400 + since.seconds) * 1_000_000 + since.microseconds

    def parsed(self, name: str, parse):  # type: ignore[no-untyped-def]
        text = self._given.get(name.lower())
        if text is None:
            return None
        try:
            return parse(text)
        except ValueError as error:
            raise BinlogError(f"option {name}: {error}") from None

    def one_table(self, view: View) -> None:
        """Raise BinlogError if the view is that of a table and none is named, or the other way around."""
        if view.of_one_table:
            if "tables" in self._given:
                raise BinlogError("option tables: the view table is that of one table", hint="The option is table")
            if len(self.parsed("table", tables) or ()) != 1:
                raise BinlogError(
                    "option table: the view table is that of one table", hint="An example is shop.customer"
                )
            return
        for name in ("table", "zeroDates", "invalidText"):
            if name.lower() in self._given:
                raise BinlogError(
                    f"option {name}: the view {view.name} has no use for it",
                    hint="view=table has; tables are for all views",
                )

    def condition(self, view: View) -> Condition | None:
        """Return the condition on the values of rows. Raise BinlogError if it is not one, or the view has no rows."""
        text = self._given.get("where")
        unknown = self.text("whereUnknown", "keep").lower()
        if unknown not in ("keep", "drop"):
            raise BinlogError(f"option whereUnknown: {unknown!r} is neither keep nor drop")
        if text is None:
            for name in ("whereUnknown", "timeZone"):
                if name.lower() in self._given:
                    raise BinlogError(f"option {name}: it is about where, which is not given")
            return None
        if "where" not in view.options:
            raise BinlogError(f"option where: the view {view.name} has no rows of tables", hint="Use view=rows")
        if self.flag("ddl", False):
            raise BinlogError("option where: ddl=true cannot be used with it, because a statement has no values")
        from pybinlog.where import Condition

        condition = Condition(text, self.text("timeZone", "UTC"), unknown == "drop")
        try:
            condition.check()
        except BinlogError as error:
            raise BinlogError(f"option where: {error.message}", hint=error.hint) from None
        return condition

    def unfit(self, name: str, default: Unfit) -> Unfit:
        text = self.text(name, default.value).lower()
        if text not in (Unfit.NULL.value, Unfit.ERROR.value):
            raise BinlogError(f"option {name}: {text!r} is neither null nor error")
        return Unfit(text)

    def mode(self) -> Mode:
        text = self.text("mode", Mode.FAILFAST.value).upper()
        if text not in Mode.__members__:
            raise BinlogError(f"option mode: {text!r} is none of {', '.join(Mode.__members__)}")
        return Mode[text]

    def size(self, name: str) -> int | None:
        """Return a number, with k, m or g after it for powers of 1024."""
        text = self._given.get(name.lower())
        if text is None:
            return None
        digits = text.strip().lower().rstrip("bkmg")
        unit = text.strip().lower()[len(digits) :]
        if not digits.isdecimal() or unit not in UNITS or int(digits) == 0:
            raise BinlogError(f"option {name}: {text!r} is not a number above 0", hint="Examples are 100 and 64m")
        return int(digits) * UNITS[unit]
