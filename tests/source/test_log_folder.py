"""The logs of a folder, among whatever else lies there."""

import bz2
import gzip
import lzma
from pathlib import Path

import pytest
import zstandard

from pybinlog.errors import SourceError
from pybinlog.source.location import locate
from pybinlog.source.log_folder import SeveralSeriesError, begins_as_log

LOG = b"\xfebin and more"
ENCRYPTED = b"\xfdbin and more"
OTHER = b"\xfe\xfe\x0b and more"


def made(folder: Path, **files: bytes) -> Path:
    for name, content in files.items():
        (folder / name.replace("__", "-").replace("_", ".")).write_bytes(content)
    return folder


def found(folder: Path, *, one_series: bool = False) -> tuple[list[str], list[str]]:
    """The base names of the logs, and the sentences without the folder."""
    said: list[str] = []
    names = locate([str(folder)], one_series=one_series, warn=said.append)
    assert {Path(name).parent for name in names} <= {folder}
    parts = [sentence.partition(": ") for sentence in said]
    assert {place for place, _, _ in parts} <= {str(folder)}
    return [Path(name).name for name in names], [sentence for _, _, sentence in parts]


def test_what_begins_as_no_log_is_left_out_and_said(tmp_path: Path) -> None:
    made(tmp_path, aria__log_00000001=OTHER, mariadb__bin_000001=LOG, mariadb__bin_000002=LOG, ibdata1=OTHER)
    assert found(tmp_path) == (
        ["mariadb-bin.000001", "mariadb-bin.000002"],
        ["left out, since they are not binary logs: aria-log.00000001"],
    )


def test_compressed_and_encrypted_logs_are_logs(tmp_path: Path) -> None:
    made(
        tmp_path,
        b_000001_gz=gzip.compress(LOG),
        b_000002_xz=lzma.compress(LOG),
        b_000003_bz2=bz2.compress(LOG),
        b_000004_zst=zstandard.compress(LOG),
        b_000005=ENCRYPTED,
        dump_000001_gz=gzip.compress(OTHER),
    )
    logs, said = found(tmp_path)
    assert logs == ["b.000001.gz", "b.000002.xz", "b.000003.bz2", "b.000004.zst", "b.000005"]
    assert said == ["left out, since they are not binary logs: dump.000001.gz"]


def test_a_damaged_log_between_others_is_not_left_out(tmp_path: Path) -> None:
    made(tmp_path, b_000001=LOG, b_000002=bytes(20), b_000003=LOG)
    assert found(tmp_path) == (["b.000001", "b.000002", "b.000003"], [])


def test_a_log_and_its_compressed_copy_are_one_log(tmp_path: Path) -> None:
    made(tmp_path, b_000001=LOG, b_000001_gz=gzip.compress(LOG), b_000002_gz=gzip.compress(LOG))
    assert found(tmp_path) == (
        ["b.000001", "b.000002.gz"],
        ["left out, since the log itself is there, too: b.000001.gz"],
    )


def test_logs_without_numbers_count_where_no_others_are(tmp_path: Path) -> None:
    made(tmp_path, monday_gz=gzip.compress(LOG), notes=OTHER)
    assert found(tmp_path) == (["monday.gz"], [])
    made(tmp_path, b_000001=LOG)
    assert found(tmp_path) == (
        ["b.000001"],
        ["left out, since their names have no number as binlog.000001 has: monday.gz"],
    )


def test_one_index_decides(tmp_path: Path) -> None:
    made(tmp_path, b_000001=LOG, b_000002=LOG, b_000003=LOG, relay_000001=LOG, aria__log_00000001=OTHER)
    (tmp_path / "b.index").write_text("./b.000002\n/var/lib/mysql/b.000003\n./b.000004\n")
    (tmp_path / "relay.index").write_text("")
    (tmp_path / "copied.index").write_text("/elsewhere/c.000001\n")
    assert found(tmp_path) == (
        ["b.000002", "b.000003", "b.000004"],
        ["left out, since b.index does not list them: b.000001, relay.000001"],
    )


def test_an_index_finds_what_was_compressed_after_it(tmp_path: Path) -> None:
    made(tmp_path, b_000001_zst=zstandard.compress(LOG), b_000002=LOG, b_index=b"./b.000001\n./b.000002\n")
    assert found(tmp_path) == (["b.000001.zst", "b.000002"], [])


def test_several_series_are_said_and_kept_apart_or_refused(tmp_path: Path) -> None:
    made(tmp_path, b_000002=LOG, b_000001=LOG, relay_000007=LOG)
    (tmp_path / "b.index").write_text("./b.000001\n./b.000002\n")
    (tmp_path / "relay.index").write_text("./relay.000007\n")
    series = "the folder holds logs of 2 series: b.000001 to b.000002; relay.000007"
    assert found(tmp_path) == (
        ["b.000001", "b.000002", "relay.000007"],
        [f"{series}; pybinlog keeps them apart and reads one after the other"],
    )
    with pytest.raises(SeveralSeriesError) as raised:
        found(tmp_path, one_series=True)
    assert str(raised.value) == f"{tmp_path}: {series}. Name one of them: '{tmp_path}/b.[0-9]*'"
    only: list[str] = []
    assert len(locate([f"{tmp_path}/b.[0-9]*"], one_series=True, warn=only.append)) == 2


def test_a_folder_without_logs_says_what_it_has(tmp_path: Path) -> None:
    made(tmp_path, aria__log_00000001=OTHER)
    with pytest.raises(SourceError, match=r"no binary logs; left out, .*: aria-log\.00000001\. Logs have names"):
        found(tmp_path)


def test_few_files_of_a_series_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pybinlog.source import log_folder

    made(tmp_path, b_000001=LOG, **{f"part_{number:06d}": OTHER for number in range(50)})
    opened: list[str] = []
    begins_as_log = log_folder.begins_as_log

    def noted(name: str) -> bool:
        opened.append(name)
        return begins_as_log(name)

    monkeypatch.setattr(log_folder, "begins_as_log", noted)
    assert found(tmp_path)[0] == ["b.000001"]
    assert len(opened) == 1 + log_folder.MOST_LOOKED_AT


def test_a_folder_by_url_has_the_same_logs(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    made(tmp_path, aria__log_00000001=OTHER, b_000001_gz=gzip.compress(LOG), b_000002=LOG, relay_000001=LOG)
    (tmp_path / "b.index").write_text("./b.000001\n./b.000002\n")
    said: list[str] = []
    assert locate([tmp_path.as_uri()], warn=said.append) == [
        f"{tmp_path.as_uri()}/{name}" for name in ("b.000001.gz", "b.000002")
    ]
    assert said == [f"{tmp_path.as_uri()}: left out, since b.index does not list them: relay.000001"]


@pytest.mark.parametrize(
    ("count", "named"),
    [
        (3, "a.000001, a.000002, a.000003"),
        (4, "a.000001, a.000002, a.000003 and 1 more"),
        (9, "a.000001, a.000002, a.000003 and 6 more"),
    ],
)
def test_three_files_are_named_and_the_others_counted(count: int, named: str, tmp_path: Path) -> None:
    made(tmp_path, b_000001=LOG, **{f"a_{number:06d}": OTHER for number in range(1, count + 1)})
    assert found(tmp_path) == (["b.000001"], [f"left out, since they are not binary logs: {named}"])


def test_two_indexes_decide_nothing(tmp_path: Path) -> None:
    made(tmp_path, b_000001=LOG, b_000002=LOG, b_index=b"./b.000001\n", c_index=b"./b.000002\n")
    assert found(tmp_path) == (["b.000001", "b.000002"], [])
    (tmp_path / "c.index").write_text("./x.000001\n")
    assert found(tmp_path)[0] == ["b.000001"]


@pytest.mark.parametrize("index", [b"", b"\0", b"-\n", b"./c.000001\n"])
def test_an_index_of_nothing_that_is_here_decides_nothing(index: bytes, tmp_path: Path) -> None:
    made(tmp_path, b_000001=LOG, b_000002=LOG, b_index=index)
    assert found(tmp_path) == (["b.000001", "b.000002"], [])


def test_without_opening_names_decide_if_they_are_of_one_series(tmp_path: Path) -> None:
    made(tmp_path, b_000001=OTHER, b_000002=OTHER, monday=LOG)

    def unopened() -> tuple[list[str], int]:
        warnings: list[str] = []
        names = locate([str(tmp_path)], opens=False, warn=warnings.append)
        return [Path(name).name for name in names], len(warnings)

    assert unopened() == (["b.000001", "b.000002"], 0)
    made(tmp_path, a_000001=LOG)
    assert unopened() == (["a.000001"], 2)


def test_without_opening_a_folder_without_numbers_is_looked_into(tmp_path: Path) -> None:
    made(tmp_path, monday=LOG, notes=OTHER)
    names = locate([str(tmp_path)], opens=False, warn=pytest.fail)
    assert [Path(name).name for name in names] == ["monday"]


@pytest.mark.parametrize(("name", "answer"), [("b.000001", True), ("b.000001.gz", True), ("monday", False)])
def test_a_file_that_cannot_be_read_counts_by_its_name(name: str, answer: bool, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"\x1f\x8bbroken")
    assert begins_as_log(str(path)) is answer
    path.unlink()
    assert begins_as_log(str(path)) is answer


@pytest.mark.parametrize(
    ("content", "answer"), [(b"\xfebin", True), (b"\xfdbin", True), (b"\xfebi", False), (b"", False), (OTHER, False)]
)
def test_a_log_begins_with_its_magic(content: bytes, answer: bool, tmp_path: Path) -> None:
    path = tmp_path / "b.000001"
    path.write_bytes(content)
    assert begins_as_log(str(path)) is answer
    path.write_bytes(gzip.compress(content))
    assert begins_as_log(str(path)) is answer


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("notes", "Logs have names like binlog.000001; you may also name the files"),
        (
            "binlog-000000.ibb",
            "pybinlog does not read InnoDB's binary logs; mariadb-binlog of MariaDB 12.3 or later does",
        ),
    ],
)
def test_a_folder_without_logs_says_a_way_out(name: str, hint: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(OTHER)
    with pytest.raises(SourceError) as raised:
        found(tmp_path)
    assert str(raised.value) == f"{tmp_path}: the folder contains no binary logs. {hint}"
