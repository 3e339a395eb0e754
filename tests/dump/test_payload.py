"""Compressed transactions: those that the kernel prints by itself have the text that the slow path gives all others."""

import io
import threading
from pathlib import Path
from typing import Any

import pytest

from pybinlog.dump import Base64Output, DumpOptions, run
from pybinlog.dump.parallel_dump import ParallelDump
from pybinlog.dump.slow_path import SlowPath
from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.text.render import Renderer
from tests.check.logs import joined
from tests.check.payloads import HEADER
from tests.corpus import scenarios
from tests.dump.one_log import dumped
from tests.fuzz.mutator import Mutator, Seed
from tests.kernel.scan.test_payload import AT, EVENTS, INSIDE, OTHERS, PLAIN, compressed

LOGS = [path for scenario in scenarios() for path in scenario.logs if scenario.name.startswith("mysql-9.7/compression")]
FORMS: dict[str, dict[str, Any]] = {
    "default": {},
    "verbose": {"verbose": 2, "tbm": True},
    "decode": {"verbose": 1, "base64_output": Base64Output.DECODE_ROWS},
    "never": {"base64_output": Base64Output.NEVER},
    "hexdump": {"hexdump": True},
    "short": {"short_form": True},
    "metadata": {"print_table_metadata": True},
    "a database": {"database": "cz"},
    "another database": {"database": "nothere"},
    "another name": {"rewrite_db": (("cz", "other"),)},
    "no gtids": {"skip_gtids": True},
    "from the ninth event on": {"offset": 9},
    "one server": {"server_id": 1},
    "another server": {"server_id": 2},
    "until some second": {"stop_datetime": 1795224203},
    "verified": {"verify_binlog_checksum": True},
    "recover": {"recover": True},
    "force": {"force_read": True},
}


def both_ways(log: bytes | Path, folder: Path, **options: Any) -> tuple[tuple[bytes, list[str], str], ...]:
    """(text, warnings, error) by the kernel if it can, and by the slow path alone."""
    results = []
    for helped in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            if helped:
                patch.setattr(SlowPath, "payload_reader", lambda self: None)
            found = dumped(log, folder, **options)
            results.append((found.text, found.warnings, str(found.error)))
    return tuple(results)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.parent.name)
def test_the_text_is_the_same(path: Path, form: str, tmp_path: Path) -> None:
    one, other = both_ways(path, tmp_path, **FORMS[form])
    assert one == other
    assert (one[2] == "None") == (form != "never")


def test_ordinary_ones_do_not_come_to_the_helper(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def payload(self: SlowPath, renderer: Renderer, batch: EventBatch, index: int) -> None:
        raise AssertionError("the kernel left a payload to the slow path")

    monkeypatch.setattr(SlowPath, "payload", payload)
    for path in LOGS:
        text = dumped(path, tmp_path).text
        assert b"\tTransaction_Payload\t" in text
        assert text.count(b"# Start of compressed") == text.count(b"# End of compressed")


def with_payload(body: bytes) -> bytes:
    """The log with another Transaction_payload."""
    return joined([*EVENTS[:AT], EVENTS[AT][:HEADER] + body + bytes(4), *EVENTS[AT + 1 :]])


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_odd_has_the_same_text_and_error(name: str, tmp_path: Path) -> None:
    one, other = both_ways(with_payload(OTHERS[name]), tmp_path, verbose=2)
    assert one == other


def cut_rows() -> bytes:
    """A payload whose row event is too short for its own fields."""
    short = [event if event[4] != EventType.WRITE_ROWS else event[: HEADER + 9] for event in INSIDE]
    return compressed(*(event[:9] + len(event).to_bytes(4, "little") + event[13:] for event in short))


@pytest.mark.parametrize("recover", [False, True])
def test_an_event_inside_that_cannot_be_read(recover: bool, tmp_path: Path) -> None:
    one, other = both_ways(with_payload(cut_rows()), tmp_path, recover=recover)
    assert one == other
    assert "event inside the payload is corrupt" in " ".join(one[1]) + one[2]
    assert b"Start of compressed events" in one[0]


@pytest.fixture
def flowing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every log come in small parts."""
    monkeypatch.setattr("pybinlog.log.reader.FLOW", 0)
    monkeypatch.setattr("pybinlog.dump.threads_worth.PART", 300)
    monkeypatch.setattr("pybinlog.dump.parallel_dump.UNFOLDED_PART", 300)


def written(path: Path, jobs: int, **options: Any) -> tuple[bytes, BinlogError | None]:
    text = io.BytesIO()
    try:
        run([str(path)], DumpOptions(**options), text, lambda warning: None, jobs=jobs)
    except BinlogError as error:
        return text.getvalue(), error
    return text.getvalue(), None


@pytest.mark.usefixtures("flowing")
def test_threads_print_what_is_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The state is carried over each payload, so that none is left to the one thread that can go over everything."""

    def follow(self: ParallelDump, batch: EventBatch) -> None:
        raise AssertionError("a batch was not printed apart")

    monkeypatch.setattr(ParallelDump, "follow", follow)
    for form in ("default", "verbose", "decode", "short"):
        assert written(LOGS[0], 3, **FORMS[form]) == written(LOGS[0], 1, **FORMS[form])


@pytest.mark.usefixtures("flowing")
@pytest.mark.parametrize("jobs", [1, 3])
def test_an_error_inside_is_the_same_on_threads(jobs: int, tmp_path: Path) -> None:
    path = tmp_path / "binlog.000001"
    path.write_bytes(with_payload(cut_rows()))
    text, error = written(path, jobs)
    assert error is not None
    assert error.message == "the Write_rows event inside the payload is corrupt: a length in it reaches beyond its end"
    assert error.position == sum(map(len, EVENTS[:AT])) + 4
    assert b"# Start of compressed events" in text
    assert b"# End of compressed events" not in text


def test_a_size_that_is_not_true_is_reported(tmp_path: Path) -> None:
    error = dumped(with_payload(OTHERS["more than it says"]), tmp_path).error
    assert error is not None
    assert error.message == f"the payload inflates to more than the {len(PLAIN) - 1} bytes that its header says"


@pytest.mark.parametrize("number", range(6))
def test_damage_has_the_same_text_and_error(number: int, tmp_path: Path) -> None:
    mutator = Mutator([Seed.of(str(path), path.read_bytes()) for path in LOGS], 5)
    forms = list(FORMS.values())
    for n in range(number * 40, number * 40 + 40):
        random = mutator.random(n)
        one, other = both_ways(mutator.make(random), tmp_path, **random.choice(forms))
        assert one == other, n


def test_several_dumps_at_once() -> None:
    """Each has a decompressor of its own: those of zstandard are for one thread."""
    names = [str(path) for path in LOGS] * 10
    texts: list[bytes] = []

    def dump() -> None:
        output = io.BytesIO()
        run(names, DumpOptions(verbose=1, allow_gaps=True), output, lambda warning: None)
        texts.append(output.getvalue())

    for reader in (SlowPath.payload_reader, lambda self: None):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(SlowPath, "payload_reader", reader)
            threads = [threading.Thread(target=dump) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert len(texts) == 8
    assert len(set(texts)) == 1
