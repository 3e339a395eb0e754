"""A run of rows: its checkpoints, and outputs that are and are not files."""

import io
import json
import os
from base64 import b64encode
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pybinlog.catalog.definitions import Definitions
from pybinlog.catalog.saved import SavedDefinitions
from pybinlog.errors import BinlogError, DataLossError
from pybinlog.kernel.base.event import MAGIC
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.live import live_run
from pybinlog.live.checkpoint import Checkpoint, digest, option_text
from pybinlog.live.live_run import LiveFile, LiveOutput, LiveRun, Place
from pybinlog.live.read_gtids import ReadGtids
from pybinlog.live.transaction_lines import TransactionLines
from pybinlog.log.reader import Reader
from pybinlog.source import open_source
from pybinlog.views.options import ViewOptions
from tests.cli.conftest import real
from tests.corpus import TESTDATA
from tests.live.test_rows import BASIC, XA
from tests.mirror.test_mirror import FOUR, MYSQL, closed, starts

TABLE_MAP, XID = 19, 16
EMPTY = '{"tables":[]}'


def lines(format: str = "jsonl", **options: Any) -> TransactionLines:
    return TransactionLines(ViewOptions(view="rows", **options), ("row",), format)


def checkpoint(**values: Any) -> Checkpoint:
    usual = {"server": "s", "asked": {}, "log": "b.000001", "position": 4, "opening": MAGIC, "executed": None}
    return Checkpoint(**{**usual, **values})


def fed(run: LiveRun, log: Path, read_size: int = 300) -> Iterator[Place]:
    """Give a run the batches of a log; its place after each."""
    run.lines.begin_log(str(log))
    with open_source(str(log)) as source:
        reader = Reader(source)
        reader.read_size = read_size
        for batch in reader:
            run.add(batch)
            del batch
            assert run.place is not None
            yield run.place


# ---- outputs


def test_an_output_that_is_no_file_gets_the_header_in_its_first_run_alone() -> None:
    for format, header in (("tsv", b"row\tended\n"), ("jsonl", b"")):
        out = io.BytesIO()
        output = LiveOutput(out)
        run = LiveRun(lines(format), output, None, {})
        run.begin("s")
        for name in ("b.000001", "b.000002"):
            run.start(Place(name))
        assert (out.getvalue(), output.size, output.is_new) == (header, len(header), True)
        assert run.place == Place("b.000002")
        output.begin(checkpoint())
        assert not output.is_new


def test_rows_to_an_output_that_is_no_file_are_those_of_a_file(tmp_path: Path) -> None:
    out = io.BytesIO()
    path = tmp_path / "rows"
    with closing(LiveFile(str(path))) as file:
        for output in (LiveOutput(out), file):
            run = LiveRun(lines("tsv"), output, None, {})
            run.begin("s")
            run.start(Place(str(BASIC)))
            for _ in fed(run, BASIC):
                pass
            run.save()
            assert output.size == len(out.getvalue())
    assert path.read_bytes() == out.getvalue()
    assert out.getvalue().count(b"\n") > 10


@pytest.mark.parametrize(
    ("content", "length", "beginning", "error"),
    [
        (b"", 0, b"", None),
        (b"abc", 3, b"abc", None),
        (b"abcd", 3, b"abc", None),
        (b"abx", 3, b"abc", "the file does not begin as the checkpoint says"),
        (b"ab", 3, b"abc", "the file has 2 bytes, and the checkpoint is of 3"),
    ],
)
def test_a_file_is_cut_back_to_its_checkpoint(
    content: bytes, length: int, beginning: bytes, error: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "rows"
    path.write_bytes(content)
    known = checkpoint(length=length, beginning=sha256(beginning).hexdigest())
    with closing(LiveFile(str(path))) as output:
        if error is None:
            output.begin(known)
            assert path.read_bytes() == beginning
            assert (output.size, output.is_new) == (length, not length)
            return
        with pytest.raises(DataLossError) as raised:
            output.begin(known)
    assert str(raised.value) == (
        f"{path}: {error}. The file was left as it is; name another one with --output and --checkpoint"
    )
    assert path.read_bytes() == content


def test_a_file_with_lines_needs_a_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b"x")
    with closing(LiveFile(str(path))) as output, pytest.raises(DataLossError) as raised:
        output.begin(None)
    assert str(raised.value) == (
        f"{path}: the file has lines already, and it has no checkpoint. The file was left as it is; name another one "
        "with --output and --checkpoint"
    )


@pytest.mark.parametrize(("length", "known"), [(0, 0), (5, 5), (65535, 65535), (65536, 65536), (65537, 65536)])
def test_a_file_is_known_by_its_first_bytes(length: int, known: int, tmp_path: Path) -> None:
    content = bytes(range(256)) * 300
    path = tmp_path / "rows"
    path.write_bytes(content)
    with path.open("rb") as file:
        assert digest(file.fileno(), length) == sha256(content[:known]).hexdigest()


# ---- places and checkpoints


def test_a_place_has_bytes_of_its_opening_alone() -> None:
    place = Place("b", 9, b"\xfebinabcdefgh")
    assert (place.size, place.read_at(0, 5), place.read_at(10, 5)) == (9, b"\xfebina", b"gh")


@pytest.mark.parametrize("read_size", [300, 700, 1 << 18])
def test_the_opening_is_kept_up_to_its_length_however_it_comes(read_size: int) -> None:
    run = LiveRun(lines(), LiveOutput(io.BytesIO()), None, {})
    run.start(Place(str(BASIC)))
    data = BASIC.read_bytes()
    sizes = [len(place.opening) for place in fed(run, BASIC, read_size)]
    assert sizes[-1] == max(sizes) == 1024
    assert run.place is not None
    assert run.place.opening == data[:1024]
    assert run.place.whole == len(data)


def test_a_checkpoint_is_written_while_events_come_without_a_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(live_run, "monotonic", lambda: now)
    path = tmp_path / "checkpoint"
    run = LiveRun(lines(), LiveOutput(io.BytesIO()), str(path), {})
    run.begin("s")
    run.start(Place(str(BASIC)))
    saved, wholes = [], [4]
    now = 100.5
    for number, place in enumerate(fed(run, BASIC, 600), 1):
        wholes.append(place.whole)
        saved.append(json.loads(path.read_text())["position"])
        assert saved[-1] == wholes[number - number % 2]
        now += 0.5
    assert len(set(saved)) > 2


def test_nothing_is_written_before_a_place_is_known_or_twice(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    run = LiveRun(lines(), LiveOutput(io.BytesIO()), str(path), {})
    run.begin("s")
    run.save()
    assert not path.exists()
    run.start(Place("b.000001"))
    assert json.loads(path.read_text())["position"] == 4
    path.unlink()
    run.save()
    assert not path.exists()
    run.begin_log(Place("b.000002"))
    run.save()
    assert json.loads(path.read_text())["log"] == "b.000002"


def test_definitions_for_which_there_is_no_room_are_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pybinlog.catalog.saved.MOST", 0)
    told: list[str] = []
    path = tmp_path / "checkpoint"
    run = LiveRun(lines(), LiveOutput(io.BytesIO()), str(path), {})
    run.lines.catalog.warn = told.append
    run.begin("s")
    run.start(Place(str(BASIC)))
    for _ in fed(run, BASIC, 600):
        run.save()
    assert told == [
        "the checkpoint has room for 16 MiB of definitions: after a restart, the columns of 2 tables have no names"
    ]


def test_a_checkpoint_is_a_line_for_each_value(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    checkpoint(closed_by="b.000002", length=7).write(str(path), EMPTY)
    assert path.read_text().splitlines() == [
        "{",
        ' "server": "s",',
        ' "asked": {},',
        ' "log": "b.000001",',
        ' "position": 4,',
        f' "opening": "{b64encode(MAGIC).decode()}",',
        ' "executed": null,',
        ' "length": 7,',
        ' "beginning": "",',
        ' "closed_by": "b.000002",',
        ' "version": 3,',
        f' "tables": {EMPTY}',
        "}",
    ]


@pytest.mark.parametrize(
    "known",
    [
        checkpoint(),
        checkpoint(closed_by="", executed="0-1-7", length=1, beginning="a", asked={"by": 0.5}),
        checkpoint(closed_by="b.000002", executed="", opening=MAGIC + b"\0\xff", position=0),
    ],
)
def test_a_checkpoint_is_read_as_it_was_written(known: Checkpoint, tmp_path: Path) -> None:
    path = str(tmp_path / "checkpoint")
    known.write(path, SavedDefinitions().text(Definitions()))
    found = Checkpoint.read(path)
    assert found is not None
    assert found.definitions is not None
    assert replace(found, definitions=None) == known


@pytest.mark.parametrize(
    "values",
    [
        *({"position": -1}, {"position": True}, {"length": -1}, {"length": 1.0}, {"opening": b"\xfebi"}),
        *({"server": 1}, {"log": None}, {"beginning": 0}, {"asked": []}, {"executed": 7}, {"closed_by": 0}),
        *({"executed": "x:1"}, {"executed": "0-1"}),
    ],
    ids=str,
)
def test_a_checkpoint_of_other_values_is_damaged(values: dict[str, Any], tmp_path: Path) -> None:
    path = str(tmp_path / "checkpoint")
    checkpoint(**values).write(path, SavedDefinitions().text(Definitions()))
    with pytest.raises(BinlogError) as raised:
        Checkpoint.read(path)
    assert str(raised.value) == f"{path}: the checkpoint is damaged. Name another file"


def test_a_checkpoint_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    assert Checkpoint.read(str(tmp_path / "none")) is None
    with pytest.raises(BinlogError) as raised:
        Checkpoint.read(str(tmp_path))
    assert raised.value.message == "it is not a regular file"


def test_a_checkpoint_is_a_regular_file_that_is_not_too_large_or_nested(tmp_path: Path) -> None:
    for opening in ("[", '{"a":'):
        deep = tmp_path / "deep.json"
        deep.write_text(opening * 100_000)
        with pytest.raises(BinlogError, match="this is not a checkpoint of pybinlog rows"):
            Checkpoint.read(str(deep))
    os.mkfifo(tmp_path / "pipe")
    for odd in ("/dev/zero", str(tmp_path / "pipe")):
        with pytest.raises(BinlogError, match="it is not a regular file"):
            Checkpoint.read(odd)
    with (tmp_path / "large").open("wb") as large:
        large.truncate(1 << 30)
    with pytest.raises(BinlogError, match="it is larger than 32 MiB"):
        Checkpoint.read(str(tmp_path / "large"))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("{", "this is not a checkpoint of pybinlog rows. Name another file"),
        ("[3]", "this is not a checkpoint of pybinlog rows. Name another file"),
        ('{"version": "3"}', "this is not a checkpoint of pybinlog rows. Name another file"),
        (
            '{"version": 2}',
            "the checkpoint has the form 2 of another release of pybinlog; this one has form 3. Continue with that "
            "release, or name another checkpoint and output to begin anew",
        ),
        ('{"version": 3}', "the checkpoint is damaged. Name another file"),
    ],
)
def test_what_is_no_checkpoint_says_why(text: str, error: str, tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    path.write_text(text)
    with pytest.raises(BinlogError) as raised:
        Checkpoint.read(str(path))
    assert str(raised.value) == f"{path}: {error}"


@pytest.mark.parametrize(
    ("server", "asked", "error"),
    [
        ("s", {"table": ["a"], "jobs": None}, None),
        ("t", {"table": ["a"]}, "the checkpoint is of s, and this is t"),
        ("s", {}, "the checkpoint is of a run with --table=['a'], and this one has no --table"),
        ("s", {"table": ["a"], "by": 0.5}, "the checkpoint is of a run with no --by, and this one has --by=0.5"),
    ],
)
def test_a_checkpoint_is_for_the_same_server_and_options(server: str, asked: dict[str, Any], error: str | None) -> None:
    known = checkpoint(asked={"table": ["a"]})
    if error is None:
        known.check("c", server, asked)
        return
    with pytest.raises(DataLossError) as raised:
        known.check("c", server, asked)
    assert str(raised.value) == f"c: {error}. Name another checkpoint, or delete this one to begin anew"


@pytest.mark.parametrize(
    ("value", "text"), [(None, "no --x"), ([], "no --x"), (False, "no --x"), (True, "--x=True"), ("a", "--x=a")]
)
def test_an_option_as_it_is_named(value: object, text: str) -> None:
    assert option_text("x", value) == text


# ---- GTIDs and lines


def fed_lines(format: str, logs: dict[str, bytes], folder: Path, **options: Any) -> tuple[list[str], TransactionLines]:
    """The lines of logs, and what made them."""
    made = TransactionLines(ViewOptions(view="rows", **options), NAMES, format)
    found = b""
    scanner = Scanner()
    for name, log in logs.items():
        path = folder / name
        path.write_bytes(log)
        made.begin_log(name)
        with open_source(str(path)) as source:
            for batch in Reader(source, scanner):
                found += b"".join(made.add(batch))
                del batch
    return found.decode().splitlines(), made


NAMES = ("table", "operation", "row", "commit_time", "xa_xid", "gtid")


def test_a_transaction_that_a_crash_cut_off_has_no_line_and_no_gtid(tmp_path: Path) -> None:
    killed = closed((MYSQL / "recovered" / "binlog.000001").read_bytes())
    begun = [start for start in starts(killed)[:-1] if killed[start + 4] == TABLE_MAP][-1]
    logs = {"binlog.000001": killed[:begun], "binlog.000002": FOUR["binlog.000001"]}
    first, _ = fed_lines("jsonl", {"binlog.000001": killed[:begun]}, tmp_path)
    second, alone = fed_lines("jsonl", {"binlog.000002": FOUR["binlog.000001"]}, tmp_path)
    both, made = fed_lines("jsonl", logs, tmp_path)
    assert both == first + second
    assert made.gtids.text == alone.gtids.text == "1bcbbf4c-e549-11f1-88f4-02fc00000001:1-4"


def test_a_decision_has_the_cells_of_other_lines(tmp_path: Path) -> None:
    objects, _ = fed_lines("jsonl", {"b.000001": XA.read_bytes()}, tmp_path)
    cells, _ = fed_lines("tsv", {"b.000001": XA.read_bytes()}, tmp_path)
    decisions = [list(row.values()) for row in map(json.loads, objects) if row["operation"].startswith("XA ")]
    assert [line.split("\t") for line in cells if "\tXA " in line] == [
        ["NULL" if value is None else str(value) for value in row] for row in decisions
    ]
    assert {(row[1], row[-1]) for row in decisions} == {("XA COMMIT", "xa commit"), ("XA ROLLBACK", "xa rollback")}
    assert decisions[0][:1] == [None]
    listed = real("transactions", "--format=jsonl", "--columns=commit_time", str(XA)).out.decode().splitlines()
    assert {row[3] for row in decisions} <= {json.loads(line)["commit_time"] for line in listed}


def test_filters_leave_the_lines_of_what_they_select(tmp_path: Path) -> None:
    whole, _ = fed_lines("jsonl", {"b.000001": BASIC.read_bytes()}, tmp_path)
    for table in ("orders", "customer"):
        found, _ = fed_lines("jsonl", {"b.000001": BASIC.read_bytes()}, tmp_path, tables=frozenset({(None, table)}))
        assert found == [line for line in whole if json.loads(line)["table"] == table]
        assert 0 < len(found) < len(whole)


def test_what_has_not_ended_is_forgotten(tmp_path: Path) -> None:
    """Its events come again, as after a connection that was lost."""
    log = FOUR["binlog.000001"]
    begun = next(start for start in starts(log)[:-1] if log[start + 4] == XID)
    whole, _ = fed_lines("jsonl", {"b.000001": log}, tmp_path)
    path = tmp_path / "part"
    path.write_bytes(log[:begun])
    made = TransactionLines(ViewOptions(view="rows"), NAMES, "jsonl")
    found = b""
    for one in (path, tmp_path / "b.000001"):
        made.begin_log("b.000001")
        with open_source(str(one)) as source:
            for batch in Reader(source):
                found += b"".join(made.add(batch))
                del batch
        if one is path:
            made.reset()
    assert found.decode().splitlines() == whole


def test_a_place_is_unknown_after_a_transaction_without_a_gtid() -> None:
    read = ReadGtids()
    read.restore("0-1-7")
    assert (str(read.executed), read.text) == ("0-1-7", "0-1-7")
    read.are_places = False
    assert read.text is None
    read.restore(None)
    assert (read.executed, read.are_places, read.text) == (None, False, None)


def test_statements_whose_rows_the_logs_do_not_contain_give_one_warning() -> None:
    told: list[str] = []
    lines = TransactionLines(ViewOptions(view="rows"), ("row",), "jsonl", warn=told.append)
    lines.begin_log("binlog.000001")
    with open_source(str(TESTDATA / "statement-format" / "binlog.000001")) as source:
        for batch in Reader(source):
            b"".join(lines.add(batch))
    lines.reset()
    (sentence,) = told
    assert sentence.startswith("2 statements changed rows that the logs do not contain, of b.t; ")
    assert sentence.endswith("; later ones are not counted")
