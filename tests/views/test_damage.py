"""Damaged, cut and hostile logs."""

import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pybinlog.errors import BinlogError, ChecksumError, CorruptEventError, EncryptedError, SourceError
from pybinlog.feed.intake import Intake
from pybinlog.feed.policy import Mode
from pybinlog.feed.span import Span
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.kernel.views import view_events as kernel
from pybinlog.log.reader import Reader
from pybinlog.source import open_source
from pybinlog.views.batch import arrow_schema, view_batch
from pybinlog.views.kernel_views import kernel_view
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from tests.corpus import TESTDATA, scenarios
from tests.views.expected import read, view

pytest.importorskip("pyarrow")

DAMAGED = next(s for s in scenarios() if s.name == "mysql-9.7/damaged-body").logs
WHOLE = next(s for s in scenarios() if s.name == "mysql-9.7/killed").logs
AT = 1985
"""The position of the event with a wrong byte."""


@pytest.mark.parametrize("name", ["rows", "transactions"])
def test_the_first_damage_ends_the_reading_behind_what_comes_before_it(name: str) -> None:
    reader = ViewReader(ViewOptions(view=name, way_out="ask for more"))
    batches = []
    with pytest.raises(ChecksumError, match=rf"{DAMAGED[0]}, at {AT}: .*\. ask for more$"):
        for batch in reader.read(Span((str(DAMAGED[0]),))):
            batches += batch.to_pylist()
    place = "position" if name == "rows" else "start_position"
    assert batches
    assert [row[place] for row in batches] == [row[place] for row in view(WHOLE, name) if row[place] < AT][
        : len(batches)
    ]


def test_events_have_a_column_for_the_checksum() -> None:
    assert [row["position"] for row in view(DAMAGED, "events") if row["checksum_ok"] is False] == [AT]


@pytest.mark.parametrize("name", ["events", "rows", "transactions"])
def test_permissive_gives_a_row_for_the_damage(name: str) -> None:
    columns = (*ViewOptions(view=name).column_names, "_corrupt_record")
    found = view(DAMAGED, name, mode=Mode.PERMISSIVE, columns=columns)
    about = [row for row in found if row["_corrupt_record"] is not None]
    place = "start_position" if name == "transactions" else "position"
    assert [row[place] for row in about] == [AT]
    assert "the checksum of the event" in about[0]["_corrupt_record"]
    assert {column for column, value in about[0].items() if value is not None} == {
        "file",
        place,
        "end_position",
        "_corrupt_record",
    }
    # what lies around the damage is that of the log without it, but for what the damaged event itself would have told
    rest = [row[place] for row in found if row["_corrupt_record"] is None]
    assert set(rest) <= {row[place] for row in view(WHOLE, name)} | {None}
    assert max(position for position in rest if position is not None) > AT
    dropped = view(DAMAGED, name, mode=Mode.DROPMALFORMED, columns=columns)
    assert [row[place] for row in dropped] == rest


def test_what_the_options_let_pass_is_reported() -> None:
    told: list[str] = []
    for options in (
        ViewOptions(view="rows", ignore_corrupt_files=True),
        ViewOptions(view="rows", ignore_missing_files=True),
    ):
        reader = ViewReader(options, warn=told.append)
        assert read(reader, Span(("/nowhere/binlog.000001",))) == []
    reader = ViewReader(ViewOptions(view="rows", ignore_corrupt_files=True), warn=told.append)
    assert len(read(reader, Span((str(DAMAGED[0]),)))) > 0
    assert [text.partition(": ")[0] for text in told] == ["/nowhere/binlog.000001"] * 2 + [f"{DAMAGED[0]}, at {AT}"]
    with pytest.raises(SourceError, match="no such file"):
        view(["/nowhere/binlog.000001"], "rows")
    with pytest.raises(CorruptEventError):
        view(DAMAGED, "rows", ignore_missing_files=True)


def test_a_tail_that_is_being_written_is_no_damage(tmp_path: Path) -> None:
    data = bytearray(WHOLE[0].read_bytes())
    assert data[21] & 1, "the log should be in use"
    (tmp_path / "binlog.000001").write_bytes(data[:-7])
    for mode in Mode:
        found = view([tmp_path / "binlog.000001"], "events", mode=mode)
        assert found[-1]["end_position"] < len(data) - 7
        assert len(found) == len(view(WHOLE, "events")) - 1


@pytest.mark.parametrize("name", ["events", "rows", "transactions"])
def test_what_follows_start_encryption_is_an_error(name: str) -> None:
    path = TESTDATA / "unseen" / "maria_start_encryption" / "binlog.000001"
    for mode in Mode:
        with pytest.raises(EncryptedError, match=rf"{path}, at \d+: the log is encrypted from here on"):
            view([path], name, mode=mode)
    found = view([path], "events", ignore_corrupt_files=True)
    assert found[-1]["event_type"] == "Start_encryption"


@pytest.mark.parametrize(("name", "count"), [("events", 19), ("rows", 3), ("transactions", 4)])
def test_what_a_server_decrypted_is_read(name: str, count: int) -> None:
    path = TESTDATA / "more" / "mariadb-decrypted" / "mariadb-bin.000001"
    assert len(view([path], name)) == count


def mutants(count: int) -> Any:
    """Logs with some bytes changed, most of them inside events."""
    chance = random.Random(20)
    logs = [
        path for scenario in scenarios() if scenario.intact for path in scenario.logs if path.stat().st_size < 60000
    ]
    for _ in range(count):
        data = bytearray(chance.choice(logs).read_bytes())
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(4, len(data))
            data[at] = chance.choice((0, 1, 127, 128, 250, 252, 253, 254, 255, chance.randrange(256)))
        yield bytes(data)


@pytest.mark.parametrize("name", ["events", "rows", "transactions"])
def test_whatever_the_bytes_say_columns_stay_well_formed(name: str, tmp_path: Path) -> None:
    """Checksums are not looked at here, so that the fields that lie are read."""
    path = tmp_path / "binlog.000001"
    seen = set()
    places: list[int | None] = []
    for data in mutants(160):
        path.write_bytes(data)
        for permissive in (False, True):
            options = ViewOptions(view=name, mode=Mode.PERMISSIVE if permissive else Mode.FAILFAST)
            columns = kernel_view(options)
            intake = Intake(columns, policy=options)
            batches = []
            taken = partial(view_batch, columns, options.definition, options.column_names)
            with open_source(str(path)) as source:
                try:
                    for batch in Reader(source, Scanner()):
                        batches += [taken() for _ in intake.add(batch)]
                        seen.add(columns.status)
                except BinlogError as error:
                    places.append(error.position)
                    seen.add(columns.status)
            columns.finish()
            batches.append(taken())
            for found in batches:
                found.to_arrow(arrow_schema(options.definition, options.column_names)).validate(full=True)
    assert None not in places
    if name == "rows":
        assert {kernel.VIEW_NO_TABLE, kernel.VIEW_UNREADABLE, kernel.VIEW_CORRUPT} <= seen
    else:
        assert kernel.VIEW_CORRUPT in seen
