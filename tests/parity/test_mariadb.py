"""Our text of MariaDB's logs, and of version 1 row events, says what mariadb-binlog's text says."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.corpus import PROJECT, WHOLE, Run, more_scenarios, scenarios

from . import reduced_text
from .program import dump_run
from .reduced_text import Event, Reduced, reduce_mariadb_binlog, reduce_ours

DOCUMENT = PROJECT / "docs" / "parity-mariadb.md"


RUNS = [
    run
    for scenario in (*scenarios(), *more_scenarios("unseen"), *more_scenarios("more"))
    for run in scenario.runs.values()
    if run.of_mariadb_binlog
]


def name_of(run: Run) -> str:
    return f"{run.scenario}/{run.name}"


@cache
def their_text(run: Run) -> bytes:
    text = run.output
    assert isinstance(text, bytes)
    return text


def our_text(run: Run, folder_for_files: Path) -> bytes:
    done = dump_run(run, folder_for_files, "--no-tbm")
    assert done.status == run.status, done.errors
    said = [line for line in done.lines_of_errors if "LOAD DATA statements read" not in line]
    assert bool(said) == bool(run.stderr), said
    return done.text


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Run], bytes]:
    """Our text of a run, which is made once."""

    @cache
    def text(run: Run) -> bytes:
        return our_text(run, tmp_path_factory.mktemp("load"))

    return text


@pytest.mark.parametrize("run", RUNS, ids=name_of)
def test_both_texts_say_the_same(run: Run, printed: Callable[[Run], bytes]) -> None:
    ours, theirs = reduce_ours(printed(run)), reduce_mariadb_binlog(their_text(run))
    assert ours.positions == theirs.positions
    for our_event, their_event in zip(ours.events, theirs.events, strict=True):
        assert our_event == their_event


def test_every_position_is_compared() -> None:
    """The reduction loses no event of the log: there is one for each "# at"."""
    for run in RUNS:
        reduced = reduce_mariadb_binlog(their_text(run))
        assert len(reduced.events) == len(reduced.positions), name_of(run)
        assert len(reduced.positions) > 2 or run.status, name_of(run)


def test_reduced_text_keeps_positions_types_statements_and_rows() -> None:
    text = (
        b"/*!50530 SET @@SESSION.PSEUDO_SLAVE_MODE=1*/;\nDELIMITER /*!*/;\n"
        b"# at 4\n#261121  1:20:00 server id 1  end_log_pos 98 \tQuery\tthread_id=3\n"
        b"use `t`/*!*/;\nINSERT INTO t\n# at 9 is no position here\nVALUES (1)\n/*!*/;\n"
        b"# at 98\n#261121  1:20:01 server id 1  end_log_pos 150 CRC32 0x00000001 \tWrite_rows_v1: table id 7\n\n"
        b"BINLOG '\nAAAA\nBBBB\n'/*!*/;\n### INSERT INTO `t`.`t`\n### SET\n###   @1='a\\nb'\n"
        b"DELIMITER ;\n# End of log file\nROLLBACK;\n"
    )
    assert reduce_ours(text) == Reduced(
        [4, 98],
        [
            Event(
                (b"261121  1:20:00", b"1", b"98", b""),
                b"Query\tthread_id=3",
                [b"use `t`", b"INSERT INTO t\n# at 9 is no position here\nVALUES (1)"],
            ),
            Event(
                (b"261121  1:20:01", b"1", b"150", b"0x00000001"),
                b"Write_rows: table id 7",
                [b"BINLOG '\nAAAA\nBBBB\n'"],
                [b"### INSERT INTO `t`.`t`", b"### SET", b"###   @1='a\\x0ab'"],
            ),
        ],
    )


# ---- the list of rewrites

LISTS = ("OUR_REWRITES", "OUR_LIST_REWRITES", "THEIR_REWRITES", "THEIR_LIST_REWRITES")


def test_the_document_lists_every_rewrite_and_no_other() -> None:
    names = {rewrite.__name__ for each in LISTS for rewrite in getattr(reduced_text, each)}
    assert set(re.findall(r"^\| `(\w+)` \|", DOCUMENT.read_text(), re.MULTILINE)) == names


@pytest.mark.skipif(not WHOLE.is_dir(), reason="the whole corpus is not here: a rewrite may be for what is left out")
@pytest.mark.parametrize(
    ("which", "number"),
    [(each, i) for each in LISTS for i in range(len(getattr(reduced_text, each)))],
    ids=lambda value: str(value),
)
def test_every_rewrite_is_needed(
    which: str, number: int, texts: list[tuple[bytes, bytes, Reduced]], monkeypatch: pytest.MonkeyPatch
) -> None:
    rewrites = getattr(reduced_text, which)
    monkeypatch.setattr(reduced_text, which, rewrites[:number] + rewrites[number + 1 :])
    if which.startswith("OUR"):
        found = (reduce_ours(ours) != whole for ours, _, whole in texts)
    else:
        found = (reduce_mariadb_binlog(theirs) != whole for _, theirs, whole in texts)
    assert any(found), rewrites[number]


@pytest.fixture(scope="module")
def texts(printed: Callable[[Run], bytes]) -> list[tuple[bytes, bytes, Reduced]]:
    """Ours, theirs, and what both say with all rewrites, of every run; the shortest first."""
    found = [(printed(run), their_text(run), reduce_mariadb_binlog(their_text(run))) for run in RUNS]
    return sorted(found, key=lambda texts: len(texts[0]))
