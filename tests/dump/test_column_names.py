"""--column-names: the text is the same but for the names, and these are the ones that the view rows has."""

import json
import re
from pathlib import Path

import pytest

from pybinlog.catalog.dump_files import read_catalog
from pybinlog.dump import Base64Output, DumpOptions
from tests.cli.conftest import real
from tests.corpus import TESTDATA, Scenario, scenarios
from tests.dump.several_logs import dumped
from tests.dump.test_parallel_dump import PARTS, cases, take_parts

LABEL = rb"(?:@[0-9]+|`(?:``|[^`])+`)"
DECODED = DumpOptions(verbose=2, base64_output=Base64Output.DECODE_ROWS)


def without_labels(text: bytes) -> bytes:
    text = re.sub(rb"^###   " + LABEL + rb"=", b"###   =", text, flags=re.MULTILINE)
    # of a partial update, which may be none
    text = re.sub(rb"^(###   =)" + LABEL + rb"(?= /\*|$)", rb"\1", text, flags=re.MULTILINE)
    return re.sub(rb"(JSON_\w+\()" + LABEL + rb",", rb"\1,", text)


def labels(text: bytes) -> list[tuple[bytes, ...]]:
    """The labels of each row image."""
    images: list[list[bytes]] = []
    for line in text.splitlines():
        if line in (b"### SET", b"### WHERE"):
            images.append([])
        elif found := re.match(rb"###   (" + LABEL + rb")=", line):
            images[-1].append(found.group(1))
    return [tuple(image) for image in images if image]


@pytest.mark.parametrize(("scenario", "shift"), list(cases()), ids=repr)
def test_only_the_names_differ_whatever_the_number_of_threads(scenario: Scenario, shift: int, tmp_path: Path) -> None:
    forms = DumpOptions(verbose=1), DECODED, DumpOptions(verbose=1, rewrite_db=(("cz", "x"),))
    for number, options in enumerate(forms[1:2] if scenario.folder.name == "large-compressed" else forms, 1):
        options = options.replace(local_load=str(tmp_path))
        with pytest.MonkeyPatch.context() as patch:
            take_parts(patch, *PARTS[(number + shift) % len(PARTS)])
            plain, named, threaded = (
                dumped(scenario.logs, options.replace(column_names=names), jobs)
                for names, jobs in ((False, 1), (True, 1), (True, 3))
            )
        for file in tmp_path.iterdir():
            file.unlink()
        if any(b"LOAD DATA LOCAL" in text for text, *_ in (plain, named)):
            continue  # each names other files
        assert without_labels(named[0]) == without_labels(plain[0])
        assert named[2] == plain[2]
        assert threaded == named


@pytest.mark.parametrize(
    "name",
    [
        "mysql-9.7/row-metadata-full",
        "mysql-9.7/row-metadata-minimal",
        "mysql-9.7/row-image-minimal",
        "mysql-9.7/compression",
        "mysql-9.7/ddl",
        "mysql-5.6/types-int",
        "mariadb-11.8/metadata-full",
        "mariadb-11.8/compressed",
        "mariadb-11.8/mixed",
    ],
)
def test_the_names_are_those_of_the_view_rows(name: str) -> None:
    logs = next(s for s in scenarios() if s.name == name).logs
    images = labels(dumped(logs, DECODED.replace(column_names=True))[0])
    expected = []
    for line in real("rows", "--format=jsonl", *map(str, logs)).out.splitlines():
        row = json.loads(line)
        for image in (row["before"], row["after"]):
            if image:
                quoted = ("`" + key.replace("`", "``") + "`" if key[0] != "@" else key for key in image)
                expected.append(tuple(key.encode() for key in quoted))
    assert len(images) == len(expected)
    for found, whole in zip(images, expected, strict=True):  # (the reference's text ends at a GEOMETRY)
        assert found == whole[: len(found)]
        assert found == whole or whole[len(found) - 1] == b"`g`"
    assert any(label[:1] == b"`" for image in images for label in image)


def test_with_filters_the_names_come_from_statements_that_are_not_printed() -> None:
    log = TESTDATA / "corpus" / "mysql-9.7" / "row-metadata-minimal" / "binlog.000001"
    options = ("-v", "--column-names", "--base64-output=decode-rows")
    updates = real(*options, "--operation=update", str(log))
    assert b"CREATE TABLE" not in updates.out
    assert b"###   `secret`='hid'" in updates.out
    where = real(*options, "--where=@1 = 2", "--table=meta.inv", str(log))
    assert b"###   `id`=2" in where.out
    assert b"###   `id`=1" not in where.out
    from_pipe = real(*options, "-", stdin=log.read_bytes())
    assert b"###   `secret`='hid'" in from_pipe.out


@pytest.mark.parametrize("columns", ["id VARCHAR(5)", "a INT"])
def test_a_definition_that_contradicts_the_log_names_nothing(columns: str, tmp_path: Path) -> None:
    logs = next(s for s in scenarios() if s.name == "mysql-5.6/types-int").logs
    plain = dumped(logs, DECODED)[0]
    table = re.search(rb"^### INSERT INTO `(\w+)`\.`(\w+)`", plain, re.MULTILINE)
    assert table is not None
    (schema := tmp_path / "schema.sql").write_text(
        f"CREATE TABLE {table.group(1).decode()}.{table.group(2).decode()} ({columns});"
    )
    data = logs[0].read_bytes()
    (without := tmp_path / "binlog.000001").write_bytes(data.replace(b"CREATE TABLE", b"CREATED TABL"))
    text, warnings, _ = dumped(
        [without], DECODED.replace(column_names=True), catalog=lambda: read_catalog([str(schema)], "end")
    )
    assert labels(text)[0][0] == b"@1"
    assert any("have no names from here on" in warning for warning in warnings)


def test_an_error_is_that_of_the_printing() -> None:
    log = TESTDATA / "unseen" / "maria_start_encryption" / "binlog.000001"
    named, plain = (dumped([log], DECODED.replace(column_names=names)) for names in (True, False))
    assert named == plain
    assert named[2].startswith(f"{log}, at 256: the log is encrypted from here on (encrypt_binlog=ON)")
