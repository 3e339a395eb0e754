"""Large statements, whose events are printed again at their end: the same text, from every source, on every thread."""

import gzip
import io
import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pybinlog.dump import Base64Output, DumpOptions, run
from pybinlog.dump.large_statements import LargeStatements
from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType
from tests.check.logs import changed, events_of, first, joined, log
from tests.corpus import Scenario, scenarios

FORMS = {
    "default": DumpOptions(),
    "verbose": DumpOptions(verbose=1),
    "decode": DumpOptions(verbose=2, base64_output=Base64Output.DECODE_ROWS),
    "names": DumpOptions(verbose=2, column_names=True),
    "deletes": DumpOptions(verbose=1, operations=frozenset({"delete"})),
    "another name": DumpOptions(verbose=1, rewrite_db=(("test", "other"), ("rb", "other"))),
    "recovered": DumpOptions(verbose=2, recover=True),
}
LARGEST = 1 << 62
FLAGS = 6
"""The offset of a row event's flags in its body."""


def text_of(names: list[Path], options: DumpOptions, large: int, jobs: int = 1) -> tuple[bytes, list[str], str]:
    """Text, warnings and error of a dump that postpones events once so many bytes of text wait."""
    output = io.BytesIO()
    warnings: list[str] = []
    error = ""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pybinlog.dump.log.LARGE_TEXT", large)
        try:
            run([str(name) for name in names], options, output, warnings.append, jobs=jobs)
        except BinlogError as found:
            error = str(found)
    return output.getvalue(), warnings, error


def small_logs() -> Iterator[Scenario]:
    for scenario in scenarios():
        if not scenario.folder.name.startswith("large"):
            yield scenario


@pytest.mark.parametrize("scenario", list(small_logs()), ids=repr)
def test_the_text_is_the_same_if_all_is_postponed(scenario: Scenario, tmp_path: Path) -> None:
    for number, (form, options) in enumerate(FORMS.items()):
        options = options.replace(local_load=str(tmp_path))
        found = []
        for large in (LARGEST, (0, 200)[number % 2]):
            found.append(text_of(scenario.logs, options, large))
            for file in tmp_path.iterdir():
                file.unlink()
        assert found[0] == found[1], form


@pytest.mark.parametrize("name", ["mysql-9.7/row-basic", "mariadb-11.8/row", "mariadb-10.11/compressed"])
def test_a_log_that_is_read_once_keeps_its_events(name: str, tmp_path: Path) -> None:
    scenario = next(s for s in scenarios() if s.name == name)
    packed = tmp_path / "binlog.000001"
    packed.write_bytes(gzip.compress(scenario.logs[0].read_bytes()))
    for options in FORMS.values():
        assert text_of([packed], options, 0) == text_of([packed], options, LARGEST)


def large_statement(name: str, mebibytes: int) -> bytes:
    """A log with one statement of so many MiB: the first row event of a real log again and again."""
    events = events_of(log(name))
    maps = first(events, EventType.TABLE_MAP)
    rows = events[maps + 1]
    open_rows = changed(rows, 19 + FLAGS, b"\0\0")
    count = mebibytes * (1 << 20) // len(rows)
    return joined([*events[: maps + 1], *[open_rows] * count, rows, *events[maps + 2 :]])


LARGE = ["mysql-9.7/row-basic", "mariadb-11.8/row"]


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("form", ["default", "verbose", "decode"])
def test_threads_and_files_give_the_same_text(name: str, form: str, tmp_path: Path) -> None:
    """12 MiB are more than is kept in memory, and enough for several threads."""
    plain, packed = tmp_path / "binlog.000001", tmp_path / "packed.000001"
    plain.write_bytes(large_statement(name, 12))
    packed.write_bytes(gzip.compress(plain.read_bytes(), 1))
    expected = text_of([plain], FORMS[form], LARGEST)
    assert expected[2] == ""
    for path, jobs in itertools.product((plain, packed), (1, 3)):
        found = text_of([path], FORMS[form], 1 << 16, jobs)
        assert found[1:] == expected[1:]
        assert found[0].replace(b"packed.000001", b"binlog.000001") == expected[0]


@pytest.mark.parametrize("form", ["default", "verbose", "decode"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_number_may_be_another_tables_within_a_statement(form: str, jobs: int, tmp_path: Path) -> None:
    events = events_of(log("mysql-9.7/row-basic"))
    tables = [index for index, event in enumerate(events) if event[4] == EventType.TABLE_MAP]
    one = tables[0]
    other = next(index for index in tables if events[index][27:-4] != events[one][27:-4])
    id_of = slice(19, 25)
    path = tmp_path / "binlog.000001"
    changed_map = changed(events[other], 19, events[one][id_of])
    changed_rows = changed(events[other + 1], 19, events[one][id_of])
    open_rows = changed(events[one + 1], 19 + FLAGS, b"\0\0")
    path.write_bytes(joined([*events[: one + 1], open_rows, open_rows, changed_map, changed_rows, *events[one + 2 :]]))
    assert text_of([path], FORMS[form], 0, jobs) == text_of([path], FORMS[form], LARGEST)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("size", "data", "problem"),
    [
        (5 << 20, b"", "the log became shorter while it was read"),
        (None, b"\0" * 64, "the log changed while it was read"),
    ],
)
def test_a_log_that_changes_before_it_is_read_again_is_an_error(
    jobs: int, size: int | None, data: bytes, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "binlog.000001"
    path.write_bytes(large_statement("mysql-9.7/row-basic", 6))
    print_again = LargeStatements.print

    def meanwhile(*arguments: object) -> None:
        if size is not None:
            os.truncate(path, size)
        with path.open("r+b") as file:
            file.seek(4 << 20)
            file.write(data * 1000)
        print_again(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(LargeStatements, "print", meanwhile)
    _, _, error = text_of([path], DumpOptions(), 1 << 16, jobs)
    assert error.startswith(f"{path}, at ")
    assert problem in error
