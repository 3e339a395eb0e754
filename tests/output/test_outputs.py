"""Nothing that a run reads is written by it: which outputs are refused, and what is said of them."""

import gzip
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pybinlog.errors import OutputError
from pybinlog.output.outputs import HEAD, Outputs, descriptor_named, kept_file, lists_logs

MAGIC = b"\xfebin"
KEPT_HINT = "Name another file, or replace it with --force"
OWN_FILE = "Each needs a file of its own"


def refusal(write: Callable[[], None]) -> str:
    with pytest.raises(OutputError) as caught:
        write()
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", None),
        (b"text", None),
        (MAGIC, "a binary or relay log"),
        (b"\xfebi", None),
        (b"\xfdbin\x01", "an encrypted log"),
        (gzip.compress(MAGIC, mtime=0), "a log compressed by gzip"),
        (gzip.compress(b"text", mtime=0), None),
        (gzip.compress(MAGIC, mtime=0)[:9], "a compressed file that cannot be read, and so may be a log"),
        (b"./binlog.000001\n./binlog.000002\n", "an index file of binary logs"),
        (b"a.000001\n\nb.000002", "an index file of binary logs"),
        (b"./binlog.000001\ntext\n", None),
        (b"\n\n", None),
        (b"a.000001\n\0", None),
    ],
)
def test_logs_and_their_indexes_are_not_replaced(data: bytes, kind: str | None, tmp_path: Path) -> None:
    (path := tmp_path / "x").write_bytes(data)
    assert kept_file(str(path)) == kind
    if kind is None:
        Outputs().writes(str(path), "--output=x")
    else:
        assert refusal(lambda: Outputs().writes(str(path), "--output=x")) == (
            f"--output=x would replace {kind}. {KEPT_HINT}"
        )
    Outputs(force=True).writes(str(path), "--output=x")


@pytest.mark.parametrize(("length", "is_index"), [(HEAD - 1, False), (HEAD, True), (HEAD + 1, True)])
def test_the_last_line_of_a_long_index_may_be_cut(length: int, is_index: bool) -> None:
    lines = b"binlog.000001\n" * (HEAD // 14)
    assert lists_logs(lines + b"x" * (length - len(lines))) is is_index


def test_a_file_that_cannot_be_read_may_be_a_log(tmp_path: Path) -> None:
    assert kept_file(str(tmp_path)) == "a file that cannot be read, and so may be a log"


def test_an_output_is_no_input_and_no_other_output(tmp_path: Path) -> None:
    (log := tmp_path / "binlog.000001").write_bytes(MAGIC)
    (link := tmp_path / "link").symlink_to(log)
    (hard := tmp_path / "hard").hardlink_to(log)
    for other in (log, link, hard):
        outputs = Outputs(force=True)
        outputs.reads([str(log), "-"])
        assert refusal(lambda: outputs.writes(str(other), "--output=x")) == (  # noqa: B023
            f"--output=x would overwrite the log {log}, which this run reads. Name another file"
        )
    outputs = Outputs()
    outputs.reads([str(tmp_path / "none")], "the schema", "Leave it out")
    outputs.writes(str(tmp_path / "new"), "--output=new")
    assert refusal(lambda: outputs.writes(f"{tmp_path}/./new", "--result=new")) == (
        f"--output=new and --result=new are one file. {OWN_FILE}"
    )
    assert refusal(lambda: outputs.writes(str(tmp_path / "none"), "--result=none")) == (
        f"--result=none would overwrite the schema {tmp_path}/none, which this run reads. Leave it out"
    )


def test_streams_are_compared_like_files(tmp_path: Path) -> None:
    (path := tmp_path / "x").write_bytes(MAGIC)
    with path.open("r+b") as stream, (tmp_path / "y").open("w+b") as other:
        outputs = Outputs()
        outputs.reads_from(stream)
        assert outputs.reads_file_of(stream)
        assert not outputs.reads_file_of(other)
        assert refusal(lambda: outputs.writes_to(stream)) == (
            "standard output would overwrite the file on standard input, which this run reads. Name another file"
        )
        outputs.writes_to(other, "standard error")
        assert refusal(lambda: outputs.writes(str(tmp_path / "y"), "--output=y")) == (
            f"standard error and --output=y are one file. {OWN_FILE}"
        )
        outputs.reads([str(tmp_path / "y")])
        assert outputs.reads_file_of(other)
    outputs = Outputs()
    outputs.reads_from(stream)
    outputs.reads_from(object())
    outputs.writes_to(stream)
    assert not outputs.reads_file_of(stream)


def test_what_is_no_regular_file_holds_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    outputs = Outputs()
    for name in ("/dev/null", str(tmp_path / "pipe"), str(tmp_path), "a\0b", f"{tmp_path}/{'x' * 300}"):
        outputs.reads([name])
        outputs.writes(name, "--output")
        outputs.writes(name, "--result")
    read, write = os.pipe()
    with os.fdopen(read, "rb") as stream, os.fdopen(write, "wb") as target:
        outputs.reads_from(stream)
        outputs.writes_to(stream)
        outputs.writes_to(target)
        os.close(target.fileno())
        outputs.writes_to(target)
        assert not outputs.reads_file_of(target)
        os.dup2(stream.fileno(), target.fileno())


def test_new_files_of_a_folder_are_named_with_it(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(MAGIC)
    assert refusal(lambda: Outputs().writes_into(f"{tmp_path}//", ["a", "b"])) == (
        f"the new file {tmp_path}/b would replace a binary or relay log. {KEPT_HINT}"
    )
    assert refusal(lambda: Outputs().writes_into(str(tmp_path), ["a", "a"])) == (
        f"the new file {tmp_path}/a and the new file {tmp_path}/a are one file. {OWN_FILE}"
    )
    outputs = Outputs()
    outputs.reads(["/no.such"])
    assert refusal(lambda: outputs.writes_into("/", ["no.such"])) == (
        "the new file /no.such would overwrite the log /no.such, which this run reads. Name another file"
    )


def test_a_descriptor_is_known_by_its_path(tmp_path: Path) -> None:
    link = "/dev/fd/7"
    assert descriptor_named(link) == 7
    assert descriptor_named(f"/proc/{os.getpid()}/fd/12") == 12
    assert descriptor_named(f"/proc/{os.getpid()}/fd/x") is None
    for number in range(8):
        (tmp_path / str(number)).symlink_to(link)
        link = str(tmp_path / str(number))
        assert descriptor_named(link) == (7 if number < 7 else None)
    assert descriptor_named("a\0b") is None
    assert descriptor_named(str(tmp_path / "7x")) is None


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/fd")
def test_a_log_that_is_open_as_a_descriptor_may_be_written(tmp_path: Path) -> None:
    (path := tmp_path / "x").write_bytes(MAGIC)
    with path.open("r+b") as stream:
        Outputs().writes(f"/dev/fd/{stream.fileno()}", "--output")


@pytest.fixture
def memory() -> Iterator[str]:
    """A folder of a remote file system."""
    system = pytest.importorskip("fsspec").filesystem("memory")
    system.pipe_file("/told/a", MAGIC)
    system.pipe_file("/told/b", b"text")
    yield "memory://told"
    system.rm("/told", recursive=True)


def test_remote_files_are_told_apart_by_their_paths(memory: str) -> None:
    new = f"the new file {memory}/"
    assert refusal(lambda: Outputs().writes(f"{memory}/a", "--output=a")) == (
        f"{new}a would replace a binary or relay log. {KEPT_HINT}"
    )
    assert refusal(lambda: Outputs().writes_into(f"{memory}/", ["b", "c", "a"])) == (
        f"{new}a would replace a binary or relay log. {KEPT_HINT}"
    )
    Outputs(force=True).writes_into(memory, ["a", "b"])
    Outputs().writes_into(memory, ["b", "c"])
    Outputs().writes_into(memory, [])
    Outputs().writes_into("memory://nowhere", ["a"])
    assert refusal(lambda: Outputs().writes_into(memory, ["c", "c"])) == f"{new}c and {new}c are one file. {OWN_FILE}"
    outputs = Outputs()
    outputs.reads(["memory:///told/b/", "memory://told/c"])
    outputs.writes(f"{memory}/d", "--output")
    assert refusal(lambda: outputs.writes(f"{memory}/b", "--output")) == (
        f"{new}b would overwrite the log memory:///told/b/, which this run reads. Name another file"
    )


def test_a_file_url_is_a_local_file(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    outputs = Outputs()
    outputs.reads([str(tmp_path / "x")])
    assert refusal(lambda: outputs.writes(f"file://{tmp_path}/x", "--output")) == (
        f"the new file file://{tmp_path}/x would overwrite the log {tmp_path}/x, which this run reads. "
        "Name another file"
    )


def test_a_remote_folder_that_cannot_be_listed_is_an_error(memory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: object, **named: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("fsspec.implementations.memory.MemoryFileSystem.ls", refused)
    assert refusal(lambda: Outputs().writes_into(memory, ["c", "d"])) == (
        f"{memory}/c: it cannot be told what is there already: permission denied"
    )


def test_a_named_file_is_not_that_of_messages(tmp_path: Path) -> None:
    path = tmp_path / "x"
    (tmp_path / "link").symlink_to(path)
    with path.open("wb") as stream:
        for name in (str(path), str(tmp_path / "link"), f"{tmp_path}/../{tmp_path.name}/x"):
            outputs = Outputs(force=True)
            outputs.says_to(stream)
            assert refusal(lambda o=outputs, n=name: o.writes(n, "--output=x")) == (  # type: ignore[misc]
                f"--output=x and standard error are one file. {OWN_FILE}"
            )
        outputs = Outputs()
        outputs.says_to(stream)
        outputs.writes(f"/dev/fd/{stream.fileno()}", "--output=/dev/fd")
        outputs.writes(str(tmp_path / "y"), "--output=y")
        outputs = Outputs()
        outputs.says_to(stream)
        outputs.writes_to(stream)  # as with 2>&1
