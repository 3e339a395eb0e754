"""All commands agree about damaged logs, and the fuzzer notices if one does not."""

from pathlib import Path

import pytest

from pybinlog.event_types import ROW_TYPES, EventType
from tests.cli.conftest import Result, real
from tests.corpus import TESTDATA
from tests.fuzz import agreement
from tests.fuzz.agreement import disagreement
from tests.fuzz.mutator import Mutator
from tests.fuzz.seeds import seeds
from tests.log.partial_rows import rewritten

REGRESSIONS = sorted((TESTDATA / "regressions").glob("*.0*"))
MUTANTS = 150


@pytest.mark.parametrize("path", REGRESSIONS, ids=lambda path: path.stem)
def test_commands_agree_about_what_was_found(path: Path) -> None:
    assert disagreement(path) is None


def test_commands_agree_about_a_table_map_that_is_cut(tmp_path: Path) -> None:
    """Its last byte tells which columns may be NULL."""
    log = tmp_path / "binlog.000001"
    data = (TESTDATA / "corpus" / "mariadb-11.8" / "mixed" / "mariadb-bin.000001").read_bytes()

    def cut(event: bytes) -> list[bytes]:
        return [event[:-1]] if event[4] == EventType.TABLE_MAP else []

    log.write_bytes(rewritten(data, cut, {EventType.TABLE_MAP, *ROW_TYPES}))
    assert disagreement(log) is None
    found = real("redact", "--dry-run", str(log))
    assert (found.status, "a length in it reaches beyond its end" in found.err) == (1, True)


def test_commands_agree_about_mutants(tmp_path: Path) -> None:
    mutator = Mutator(seeds(), 56)
    log = tmp_path / "binlog.000001"
    for number in range(MUTANTS):
        log.write_bytes(mutator.make(mutator.random(number)))
        assert disagreement(log) is None, f"input {number}"


LOG = TESTDATA / "corpus" / "mysql-9.7" / "row-basic" / "binlog.000001"
ANSWERS = {
    "rows": (1, b"", "ERROR: it cannot be read.", "dump says None, rows 'ERROR: it cannot be read.'"),
    "export": (0, b"{}\n", "", "export 1"),
    "stats": (0, b'[{"rows":1,"rolled_back":2,"prepared":3}]', "", "stats 6"),
    "transactions": (0, b'{"rows":4}\n{"rows":5}\n', "", "transactions 9"),
    "undo": (1, b"", "ERROR: a row cannot be read.", "undo 'ERROR: a row cannot be read.'"),
}


@pytest.mark.parametrize("command", ANSWERS)
def test_another_answer_of_one_command_is_told(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    status, out, err, told = ANSWERS[command]
    asked = agreement.real

    def other(*words: str) -> Result:
        return Result(status, out, err) if words[0] == command else asked(*words)

    assert disagreement(LOG) is None
    monkeypatch.setattr(agreement, "real", other)
    found = disagreement(LOG)
    assert found is not None
    assert found.endswith(told)
