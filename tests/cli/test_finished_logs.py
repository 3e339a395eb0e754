"""The options of a mirror for its finished logs."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pybinlog.cli.finished_logs import check_finished_options, finished_logs, what_is_wrong
from pybinlog.mirror.folder import MirrorFolder
from pybinlog.tag import Tagger
from tests.corpus import TESTDATA
from tests.mirror.test_finished_logs import COMPRESSED, DAMAGED, LOGS, NAMES, files, mirror_of
from tests.tag.logs import tagged

NOTHING = {"tag": None, "check": False, "compress": None, "on_log": None, "keep": None}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[MirrorFolder]:
    with mirror_of(tmp_path / "mirror") as made:
        yield made


def done(folder: MirrorFolder, **values: Any) -> list[str]:
    """Work with these options; return what was told."""
    told: list[str] = []
    given = {**NOTHING, **values}
    check_finished_options(given)
    work = finished_logs(folder, given, told.append)
    work.start()
    work.close()
    return told


def contents(folder: MirrorFolder) -> list[bytes]:
    return [Path(folder.path, name).read_bytes() for name in NAMES]


def test_without_options_the_logs_stay_as_they_are(folder: MirrorFolder) -> None:
    assert done(folder) == []
    assert contents(folder) == [log.read_bytes() for log in LOGS]
    assert files(folder) == NAMES


@pytest.mark.parametrize(("form", "bits"), [("types", False), ("", False), ("bits", True)])
def test_finished_logs_get_markers_of_a_form(form: str, bits: bool, folder: MirrorFolder) -> None:
    assert done(folder, tag=form) == []
    *finished, last = contents(folder)
    assert finished == [tagged(log.read_bytes(), Tagger(bits=bits))[0] for log in LOGS[:-1]]
    assert last == LOGS[-1].read_bytes()


def test_they_are_compressed_and_removed(folder: MirrorFolder) -> None:
    assert done(folder, compress="zstd", keep="2") == []
    assert files(folder) == [*COMPRESSED[1:], NAMES[-1]]


def test_a_command_gets_each_of_them(folder: MirrorFolder, tmp_path: Path) -> None:
    script = f'echo "$1" >> {shlex.quote(str(tmp_path / "seen"))}'
    assert done(folder, on_log=f"sh -c {shlex.quote(script)} sh") == []
    assert (tmp_path / "seen").read_text().splitlines() == [str(Path(folder.path, name)) for name in NAMES[:-1]]


def test_only_what_is_checked_is_told_of(tmp_path: Path) -> None:
    for check, sentences in ((False, 0), (True, 1)):
        with mirror_of(tmp_path / f"mirror{sentences}", [DAMAGED, LOGS[0]]) as folder:
            assert len(done(folder, check=check)) == sentences


def test_the_errors_of_a_log_are_one_sentence() -> None:
    assert [what_is_wrong(str(log)) for log in LOGS] == [None] * len(LOGS)
    assert what_is_wrong(str(DAMAGED)) == (
        "the check finds S001 at 1985: The checksum of the event (type 30, 50 bytes) does not match its bytes, inside "
        f"a transaction. 50 bytes are skipped, up to 2035. See pybinlog check {shlex.quote(str(DAMAGED))}"
    )
    several = TESTDATA / "regressions" / "order-of-warnings.000001"
    assert what_is_wrong(str(several)) == (
        "the check finds B002 at 256, and 2 more: The stream starts with Annotate_rows (Inside Transaction) inside a "
        "transaction. This event is refused, and the stream is in step again at 300. See pybinlog check "
        f"{shlex.quote(str(several))}"
    )
    missing = TESTDATA / "none.000001"
    assert what_is_wrong(str(missing)) == "it cannot be checked: cannot be opened: no such file or directory"
