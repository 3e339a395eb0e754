"""What cannot be taken back is refused before the first line, with its place and the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.corpus import TESTDATA

CORPUS = TESTDATA / "corpus"
MYSQL = CORPUS / "mysql-9.7"

CASES = {
    "images": (["row-image-minimal"], ["has no value of", "binlog_row_image"]),
    "blobs": (["row-image-noblob"], ["has no value of"]),
    "statements": (["statement"], ["a statement changes rows, and the log does not say which"]),
    "definitions": (["row-basic"], ["RENAME TABLE customer TO client", "DROP TABLE `orders`"]),
    "xa": (["xa"], ["the XA transaction X'6c61746572',X'',1 is prepared, and the logs do not say what became of it"]),
    "engine": (["mixed-engines-row"], ["is a MyISAM table", "--allow-non-transactional"]),
}


@pytest.mark.parametrize("case", CASES)
def test_it_is_refused_before_the_first_line(case: str) -> None:
    (scenario, *options), sentences = CASES[case]
    log = MYSQL / scenario / "binlog.000001"
    if not log.exists():
        pytest.skip(f"testdata has no {scenario}")
    result = real("undo", *options, str(log))
    assert (result.status, result.out) == (1, b"")
    for sentence in sentences:
        assert sentence in result.err
    for line in result.err.splitlines():
        assert line.startswith(f"ERROR: {log}, at ")


def test_a_table_without_a_definition_is_refused(tmp_path: Path) -> None:
    log = MYSQL / "multi-file" / "binlog.000002"
    refused = real("undo", str(log))
    assert (refused.status, refused.out) == (1, b"")
    assert "mf.t has no definition here: the log does not say which columns are generated" in refused.err
    assert "--schema=FILE" in refused.err
    before = MYSQL / "multi-file" / "binlog.000001"
    assert real("undo", str(before), str(log)).status == 0  # the CREATE TABLE is there


def test_a_range_that_cuts_a_transaction_is_refused() -> None:
    log = MYSQL / "row-metadata-full" / "binlog.000001"
    for cut in ("--start-position=8400", "--stop-position=8700"):
        result = real("undo", cut, str(log))
        assert (result.status, result.out) == (1, b"")
        assert "the range cuts the transaction, which is at 8237 to 8909" in result.err
