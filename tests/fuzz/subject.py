"""Subject: one input through the dump, the check, the tagger, the views and the library, and what may come of it."""

import json
import os
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from io import BytesIO, RawIOBase
from pathlib import Path
from random import Random
from typing import Any

from pybinlog.catalog import Catalog
from pybinlog.catalog.dump_files import read_catalog
from pybinlog.check import Checker, CheckOptions, Severity
from pybinlog.dump import Base64Output, DumpOptions, ordered_thread_pool, run, threads_worth
from pybinlog.errors import BinlogError
from pybinlog.export.text_format import TEXT_FORMATS
from pybinlog.export.writers import TextWriter
from pybinlog.feed.policy import Mode
from pybinlog.feed.span import Span
from pybinlog.library import Log
from pybinlog.log import reader
from pybinlog.source import open_source
from pybinlog.tag import Tagger
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.views.schema import VIEWS
from pybinlog.views.table_survey import table_shape
from tests.cli.conftest import real
from tests.corpus import TESTDATA
from tests.fuzz.agreement import disagreement

ALLOWANCE = 256 << 20
"""Bytes of memory that a run may need beyond 4 times its file."""
KEPT_LOAD_FILES = 200
GTIDS = "1bcbbf4c-e549-11f1-88f4-02fc00000001:1-3:7"
SOME_SECOND = 1_795_224_000
WHERE = "--where=@1 > 3 OR @2 LIKE 'a%' OR changed(@3)"
QUESTIONS = (
    ("undo", "--allow-non-transactional"),
    ("redo", "--allow-non-transactional"),
    ("undo", "--no-check-state", WHERE),
    ("rows", "--format=table", WHERE),
    ("dump", "-v", "--base64-output=decode-rows", WHERE),
    ("stats", "--by=table,type,thread"),
    ("stats", "--by=second", WHERE),
    ("stats", "--by=statement,table"),
    ("rows", "--columns=digest,operation", "--format=tsv"),
    ("summary",),
    ("events",),
    ("xa",),
    ("find", "--time=2026-01-01"),
)
SCRIPTS = "[!r]*/workload.sql"
"""Those that can be read as dumps."""


class Fault(Exception):
    """An input did what no input may do."""


class TooLong(BaseException):
    """The time is over. Not an Exception, lest it be taken for one of the log's."""


class Counter:
    """Takes text and counts it."""

    def __init__(self) -> None:
        self.bytes = 0

    def write(self, data: bytes) -> None:
        self.bytes += len(data)


class Lines(RawIOBase):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.text = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.text += data
        return len(data)


class Subject:
    """Tries inputs out in a folder. `memory` is the process's highest resident size in bytes.

    `time_limit` and `longest` are of one input, in seconds of CPU; work that is stuck in a compiled loop is left to the
    one who watches this process. With `bounded`, the system refuses memory that no input may need.
    """

    def __init__(self, folder: Path, time_limit: float, *, bounded: bool = True):
        self.folder = folder
        self.path = folder / "binlog.000001"
        self.time_limit = time_limit
        self.inputs = 0
        self.refused = 0
        self.text = 0
        self.longest = 0.0
        self._bounded = bounded
        self.load_folder = folder / "load"
        self.load_folder.mkdir(parents=True, exist_ok=True)
        signal.signal(signal.SIGPROF, too_long)
        if bounded:
            # Address space is more than resident memory: what is mapped at the start, and what malloc sets aside.
            limit = address_space() + 4 * ALLOWANCE
            resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))

    @property
    def memory(self) -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10

    def try_out(self, data: bytes, random: Random) -> None:
        """Raise Fault if there is anything but a result or a BinlogError, or it takes too long or too much memory."""
        self.path.write_bytes(data)
        self.inputs += 1
        begin = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, self.time_limit)
        try:
            self._dump(random)
            if random.random() < 0.05:
                self._dump_in_parts(random)
            self._check_finds_what_dump_refuses()
            self._tag(len(data))
            if random.random() < 0.3:
                self._views(random)
            if random.random() < 0.03:
                self._read()
            if random.random() < 0.2:
                self.ask(random.choice(QUESTIONS))
            if (found := disagreement(self.path)) is not None:
                raise Fault(found)
        except TooLong:
            raise Fault(f"takes more than {self.time_limit} s") from None
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        self.longest = max(self.longest, time.process_time() - begin)
        if self._bounded and self.memory > 4 * len(data) + ALLOWANCE:
            raise Fault(f"needs {self.memory >> 20} MiB")
        if self.inputs % KEPT_LOAD_FILES == 0:
            for path in self.load_folder.iterdir():
                path.unlink()

    def _options(self, random: Random) -> DumpOptions:
        return DumpOptions(
            verbose=2,
            print_table_metadata=True,
            base64_output=random.choice((Base64Output.AUTO, Base64Output.DECODE_ROWS)),
            hexdump=random.random() < 0.1,
            recover=random.random() < 0.2,
            force_read=random.random() < 0.3,
            short_form=random.random() < 0.05,
            verify_binlog_checksum=random.random() < 0.1,
            start_position=random.choice((4, 4, 4, 4, 4, 4, 4, 120, 500)),
            rewrite_db=(("test", "other"),) if random.random() < 0.05 else (),
            database="test" if random.random() < 0.05 else None,
            skip_gtids=random.random() < 0.05,
            include_gtids=GTIDS if random.random() < 0.03 else None,
            exclude_gtids=GTIDS if random.random() < 0.03 else None,
            start_datetime=SOME_SECOND if random.random() < 0.03 else None,
            stop_datetime=SOME_SECOND if random.random() < 0.03 else None,
            local_load=str(self.load_folder),
        )

    def _dump(self, random: Random) -> None:
        options = self._options(random)
        out = Counter()
        try:
            run([str(self.path)], options, out, forget)
        except BinlogError:
            self.refused += 1
        except Exception as error:
            raise Fault(f"dump: {type(error).__name__}: {error}; {options}") from error
        self.text += out.bytes

    def _dump_in_parts(self, random: Random) -> None:
        """The text, the warnings and the error are the same on one thread and on several."""
        options = self._options(random)
        results = []
        with small_parts(random.choice((200, 1000, 5000)), random.choice((200, 4000, 1 << 18))):
            for jobs in (1, 2):
                for path in self.load_folder.iterdir():
                    path.unlink()
                text = BytesIO()
                told: list[str] = []
                try:
                    run([str(self.path)], options, text, told.append, jobs=jobs)
                except BinlogError as error:
                    told.append(str(error))
                except Exception as error:
                    raise Fault(f"dump on {jobs} threads: {type(error).__name__}: {error}; {options}") from error
                results.append((text.getvalue(), told))
        if results[0] != results[1]:
            raise Fault(f"dump: another result on two threads; {options}")

    def _check_finds_what_dump_refuses(self) -> None:
        """A log that a dump ends with an error in has an error, or cannot be checked either."""
        refusal = self._refusal(verbose=2) or self._refusal(hexdump=True)
        found = self._check()
        if refusal is not None and not found:
            raise Fault(f"check finds no error, but dump ends with: {refusal}")

    def _refusal(self, verbose: int = 0, hexdump: bool = False) -> BinlogError | None:
        """The error that a dump ends with."""
        options = DumpOptions(verbose=verbose, hexdump=hexdump, local_load=str(self.load_folder))
        try:
            run([str(self.path)], options, Counter(), forget)
        except BinlogError as error:
            return error
        except Exception as error:
            raise Fault(f"dump: {type(error).__name__}: {error}; {options}") from error
        return None

    def _check(self) -> bool:
        """Return True if a check finds an error."""
        checker = Checker([str(self.path)], CheckOptions())
        try:
            results = list(checker.results())
        except Exception as error:
            raise Fault(f"check: {type(error).__name__}: {error}") from error
        if len(results) != 1:
            raise Fault(f"check: {len(results)} results for one log")
        return bool(checker.totals.failures) or checker.totals.worst() is Severity.ERROR

    def _views(self, random: Random) -> None:
        """The columns of each view, and their text, as far as the kernel makes them: pyarrow is not needed for that."""
        for view in VIEWS:
            options = ViewOptions(
                view=view,
                mode=random.choice(list(Mode)),
                batch_bytes=random.choice((1, 300, 8 << 20)),
                include_gtids=GTIDS if random.random() < 0.05 else None,
                ddl=random.random() < 0.5,
            )
            table = self._view(options, random)
        if table is not None:
            self._view(options.replace(view="table", tables=frozenset({table})), random)

    def _view(self, options: ViewOptions, random: Random) -> tuple[str, str] | None:
        """Write one view; of rows the table that comes last."""
        span = Span((str(self.path),))
        catalog = None
        if options.view in ("rows", "table") and random.random() < 0.7:
            catalog = random.choice((*catalogs(), Catalog())).copy(forget)
        written = Lines()
        text = TEXT_FORMATS[random.choice(("csv", "jsonl"))]
        table = None
        try:
            if options.view == "table":
                options = options.replace(table=table_shape(options, [span]))
            names = options.column_names
            writer = TextWriter(written, options.definition, names, text)
            for batch in ViewReader(options, warn=forget, catalog=catalog).batches(span):
                writer.write(batch)
                if options.view == "rows" and batch.count:
                    database, name = (
                        batch.columns[names.index(column)].values(batch.count - 1, batch.count)[0]
                        for column in ("database", "table")
                    )
                    table = None if name is None else (database, name)
            writer.close()
        except BinlogError:
            pass
        except Exception as error:
            raise Fault(f"{options.view}: {type(error).__name__}: {error}; {options}") from error
        if text.has_keys and random.random() < 0.2:
            for line in bytes(written.text).splitlines():
                try:
                    json.loads(line)
                except ValueError as error:
                    raise Fault(f"{options.view}: no JSON: {error}; {options}") from error
        return table

    def _tag(self, size: int) -> None:
        out = Counter()
        try:
            with open_source(str(self.path)) as source:
                Tagger().log(source, out.write)
        except BinlogError:
            return
        except Exception as error:
            raise Fault(f"tag: {type(error).__name__}: {error}") from error
        if out.bytes != size and not compressed(self.path):
            raise Fault(f"tag: {out.bytes} bytes out of {size}")

    def ask(self, words: tuple[str, ...]) -> None:
        """The commands that answer from rows and events: a result or a sentence."""
        try:
            result = real(*words, str(self.path))
        except Exception as error:
            raise Fault(f"{words}: {type(error).__name__}: {error}") from error
        if result.status not in (0, 1, 2) or "fault in pybinlog" in result.err:
            raise Fault(f"{words} ends with {result.status}: {result.err[-2000:]}")
        self.text += len(result.out)

    def _read(self) -> None:
        """The library: each event's fields."""
        try:
            with Log(str(self.path), force_read=True) as log:
                for event in log:
                    try:
                        event.body  # noqa: B018
                    except BinlogError:
                        continue
        except BinlogError:
            return
        except Exception as error:
            raise Fault(f"library: {type(error).__name__}: {error}") from error


@cache
def catalogs() -> tuple[Catalog, ...]:
    """Those of two --schema: the tables of MySQL's logs, and other tables of the same names before and after them."""
    made = []
    for servers, schema_of in (("mysql-9.7",), "start"), (("mysql-5.6", "mariadb-11.8"), "end"):
        scripts = [str(path) for server in servers for path in sorted((TESTDATA / "corpus" / server).glob(SCRIPTS))]
        made.append(read_catalog(scripts, schema_of))
    return tuple(made)


@contextmanager
def small_parts(size: int, piece: int) -> Iterator[None]:
    """Let small logs have parts, of about so many bytes, and their text pieces."""
    before = reader.FLOW, threads_worth.PART, ordered_thread_pool.PIECE
    reader.FLOW, threads_worth.PART, ordered_thread_pool.PIECE = 0, size, piece
    try:
        yield
    finally:
        reader.FLOW, threads_worth.PART, ordered_thread_pool.PIECE = before


def forget(warning: str) -> None:
    """Ignore a warning: it is not a result."""


def too_long(number: int, frame: object) -> None:
    raise TooLong


def compressed(path: Path) -> bool:
    return not path.read_bytes().startswith(b"\xfebin")


def address_space() -> int:
    """Bytes that are mapped now."""
    pages = Path("/proc/self/statm")
    return int(pages.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE") if pages.exists() else ALLOWANCE
