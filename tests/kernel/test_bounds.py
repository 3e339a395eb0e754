"""The bounds of every parser: what is refused, and that no byte of a neighbour shows where an event ends too early."""

import json
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pybinlog.errors import CorruptEventError
from pybinlog.kernel.rows.row_values import images_as_json
from pybinlog.layout import Format, parse_event
from tests.kernel import bounds
from tests.kernel.bounds import Sample, log_of, outcome, refused_by_check, rows_of, samples, stored, text_of
from tests.layout.row_oracle import decode_rows

SAMPLES = samples()
FILLS = 0, 0xFFFFFFFF
BEHIND = re.compile(rb"Xid = \d+|SET TIMESTAMP=\d+|#\d{6} [ \d]\d:\d\d:\d\d server id \d+")
FIRST_OF_MARIADB = 160
TABLE_ID = slice(19, 25)


def name_of(sample: Sample) -> str:
    return f"{sample.event[4]}-{len(sample.event)}-{sample.name}"


every_sample = pytest.mark.parametrize("sample", SAMPLES, ids=name_of)


@cache
def refused(sample: Sample) -> set[str]:
    with TemporaryDirectory() as folder:
        return refused_by_check(log_of(sample), Path(folder, "binlog.000001"))


def accepted(sample: Sample) -> set[str]:
    return {name for name, _ in bounds.mutants(sample.event)} - refused(sample)


def test_the_table_has_every_type_that_a_parser_reads() -> None:
    types = {sample.event[4] for sample in SAMPLES}
    left_out = {3, 15, 164}  # a Stop, which is empty, the Format_description, and Start_encryption
    assert types == {*range(1, 43), *range(160, 172)} - left_out


@every_sample
def test_what_is_refused_is_in_the_table(sample: Sample) -> None:
    """A bound that moves by one moves a sign."""
    assert outcome(sample, refused(sample)) in stored()


def test_the_table_has_nothing_else() -> None:
    assert stored().count(" bytes, ") == len(SAMPLES)


@every_sample
def test_no_text_shows_what_stands_behind_an_event(sample: Sample, tmp_path: Path) -> None:
    """All that is not refused is printed, the same in front of zeros and in front of ones."""
    path, chosen = tmp_path / "binlog.000001", accepted(sample)
    texts = []
    for fill in FILLS:
        text, error = text_of(log_of(sample, chosen, fill).data, path, verbose=2, print_table_metadata=True)
        assert error is None
        texts.append([BEHIND.sub(b"", part) for part in text])
    assert texts[0] == texts[1]


@every_sample
def test_no_text_of_what_is_damaged_shows_what_stands_behind_it(sample: Sample, tmp_path: Path) -> None:
    """A dump may read what a check does not let pass, as far as that goes."""
    path = tmp_path / "binlog.000001"
    names = [name for name, _ in bounds.mutants(sample.event) if name in refused(sample)]
    for name in names[SAMPLES.index(sample) % 2 :: 2]:  # the next sample, most often of the same type, has the others
        found = []
        for fill in FILLS:
            text, error = text_of(log_of(sample, {name}, fill).data, path, verbose=2)
            found.append(([BEHIND.sub(b"", part) for part in text], str(error)))
        assert found[0] == found[1], name


@pytest.mark.parametrize("view", ["events", "transactions"])
@every_sample
def test_no_view_shows_what_stands_behind_an_event(sample: Sample, view: str, tmp_path: Path) -> None:
    path, chosen = tmp_path / "binlog.000001", accepted(sample)
    zeros, ones = (rows_of(log_of(sample, chosen, fill).data, path, view) for fill in FILLS)
    for pair in zip(zeros, ones, strict=True):
        if pair[0] != pair[1] and not all(b'"event_type":"Xid"' in line for line in pair):
            one, other = map(without_times, pair)
            assert one == other


def without_times(line: bytes) -> dict[str, object]:
    """The row without what it has of the Xid that ends its transaction."""
    times = "begin_time", "commit_time", "seconds", "duration", "duration_error"
    return {name: value for name, value in json.loads(line).items() if name not in times}


ROWS_OF_MYSQL = [
    sample
    for sample in SAMPLES
    if sample.event[4] in bounds.ROWS and sample.event[4] < FIRST_OF_MARIADB and sample.name != "unseen/old_types"
]
"""Plain rows, of types that can be printed."""


@pytest.mark.parametrize("sample", ROWS_OF_MYSQL, ids=name_of)
def test_as_many_images_are_read_as_the_layout_reads(sample: Sample) -> None:
    """Unless an image has no column: no server writes that, and there could be any number of them."""
    format = Format.from_event(sample.opening)
    table = parse_event(sample.table_map, format).body
    for name, event in bounds.mutants(sample.event)[SAMPLES.index(sample) % 3 :: 3]:
        if event[TABLE_ID] != sample.table_map[TABLE_ID]:
            continue
        try:
            rows = decode_rows(parse_event(event, format).body, table)
        except CorruptEventError:
            continue
        images = [image for row in rows for image in (row.before, row.after) if image is not None]
        (found,) = images_as_json([sample.table_map, event], b"MariaDB" in sample.opening)
        assert {} in images or len([image for image in found if image is not None]) == len(images), name
