"""The text of every run is the reference's, byte for byte, from wherever the log is read; errors say the same."""

import bz2
import gzip
import itertools
import lzma
import re
import shutil
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest
import zstandard

from ..corpus import Digest, Run, Scenario, more_scenarios, scenarios
from .exemption import Exemption, exemption_of, exemptions
from .program import dump, dump_run, has_gaps, scratch_copy, without_opening_comments, without_tbm
from .standard_error import SAID, check_errors

ALL = [
    run
    for scenario in (*scenarios(), *more_scenarios("unseen"), *more_scenarios("more"))
    for run in scenario.runs.values()
    if not run.of_mariadb_binlog and not scenario.server.startswith("mariadb")
]
RUNS = [run for run in ALL if exemption_of(run) is None]
# Names that end a comment do so with --no-tbm only: tests/dump/test_hostile_names.py has the text with markers.
PRINTED_OTHERWISE = ("more/hostile-names",)
WITH_TBM = [
    s
    for s in RUNS
    if s.scenario.name not in PRINTED_OTHERWISE and (s.scenario.folder.name != "large" or s.name == "default")
]
# One log, whole: whatever it is read from, the text is the same.
ONE_LOG = [s for s in RUNS if len(s.logs) == 1 and s.logs[0] != "-" and s.name in ("default", "decode", "hexdump")]
ONE_LOG += [s for s in RUNS if s.scenario.name == "mysql-9.7/row-basic" and len(s.logs) == 1 and s not in ONE_LOG]
PACKED = [s for s in ONE_LOG if s.name == "default" or s.scenario.folder.name != "large"]
SEVERAL_LOGS = [s for s in RUNS if len(s.logs) > 1 and "-" not in s.logs and "nosuch" not in str(s.arguments)]


def same(text: bytes, run: Run) -> bool:
    wanted = run.output
    text = without_opening_comments(text)
    if isinstance(wanted, Digest):
        return Digest.of(text) == wanted
    return text == without_opening_comments(wanted)


def check(text: bytes, run: Run) -> None:
    """As `same`, but so that pytest shows the lines that differ."""
    if not same(text, run):
        wanted = run.output
        assert not isinstance(wanted, Digest), "the hash differs"
        ours = without_opening_comments(text).decode("utf-8", "backslashreplace").split("\n")
        theirs = without_opening_comments(wanted).decode("utf-8", "backslashreplace").split("\n")
        pairs = enumerate(zip(ours, theirs, strict=False))
        first = next((i for i, (a, b) in pairs if a != b), min(len(ours), len(theirs)))
        around = slice(max(first - 2, 0), first + 6)
        assert ours[around] == theirs[around], f"from line {first} on"


@pytest.mark.parametrize("run", RUNS, ids=repr)
def test_text_status_and_errors_are_the_references(run: Run, tmp_path: Path) -> None:
    output = dump_run(run, tmp_path, "--no-tbm")
    check(output.text, run)
    assert bool(output.status) == bool(run.status), output.errors
    check_errors(output, run)


def test_the_reference_says_every_sentence_of_the_table() -> None:
    lines = {line for run in RUNS for line in run.stderr.splitlines()}
    assert [pattern for pattern, _ in SAID if not any(re.fullmatch(pattern, line) for line in lines)] == []


@pytest.mark.parametrize("run", WITH_TBM, ids=repr)
def test_only_the_tbm_field_is_added(run: Run, tmp_path: Path) -> None:
    output = dump_run(run, tmp_path)
    check_errors(output, run)
    if "cannot be opened: no such file" in output.errors:
        assert (output.text, bool(output.status)) == (b"", bool(run.status))  # of a missing log there is no text at all
        return
    text, missing = without_tbm(output.text)
    assert missing == []
    check(text, run)


@pytest.mark.parametrize("exemption", exemptions(), ids=lambda e: f"{e.scenario}-{e.run}")
def test_what_is_exempt_does_differ(exemption: Exemption, tmp_path: Path) -> None:
    covered = [run for run in ALL if exemption.covers(run)]
    outputs = [dump_run(run, tmp_path, "--no-tbm") for run in covered]
    assert any(
        not same(output.text, run) or bool(output.status) != bool(run.status)
        for run, output in zip(covered, outputs, strict=True)
    )
    assert [output.errors for output in outputs if "fault" in output.errors] == []


@pytest.mark.parametrize("run", [s for s in PACKED if "--stop-position" not in str(s.arguments)], ids=repr)
def test_standard_input_gives_the_same_text(run: Run, tmp_path: Path) -> None:
    (name,) = run.logs
    arguments = ["-" if argument == name else argument for argument in run.arguments]
    output = dump(["--no-tbm", *arguments], tmp_path, (run.scenario.folder / name).read_bytes())
    check(output.text, run)
    assert bool(output.status) == bool(run.status)


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda data: gzip.compress(data, 1),
    "xz": lambda data: lzma.compress(data, preset=0),
    "bz2": lambda data: bz2.compress(data, 1),
    "zst": zstandard.ZstdCompressor().compress,
}


@lru_cache(4)
def packed(log: Path, suffix: str) -> bytes:
    """The log, compressed: to do so takes longer than to read it, and its runs follow each other."""
    return COMPRESSIONS[suffix](log.read_bytes())


# Each log has several runs: one form of them follows the other.
@pytest.mark.parametrize(("run", "suffix"), list(zip(PACKED, itertools.cycle(COMPRESSIONS))), ids=str)
def test_a_compressed_copy_gives_the_same_text(run: Run, suffix: str, tmp_path: Path) -> None:
    (name,) = run.logs
    (tmp_path / f"{name}.{suffix}").write_bytes(packed(run.scenario.folder / name, suffix))
    arguments = [f"{name}.{suffix}" if argument == name else argument for argument in run.arguments]
    output = dump(["--no-tbm", *arguments], tmp_path)
    check(output.text, run)
    assert bool(output.status) == bool(run.status)


@pytest.mark.parametrize("run", SEVERAL_LOGS, ids=repr)
def test_an_index_file_stands_for_the_logs_it_lists(run: Run, tmp_path: Path) -> None:
    scratch_copy(run.scenario, tmp_path)
    listed = run.logs
    (tmp_path / "listed.index").write_text("".join(f"./{name}\n" for name in listed))
    others = [argument for argument in run.arguments if argument not in listed]
    gaps = ["--allow-gaps"] if has_gaps(run) else []
    output = dump(["--no-tbm", *gaps, *others, "--index", "listed.index"], tmp_path)
    check(output.text, run)
    assert bool(output.status) == bool(run.status)


@pytest.mark.parametrize("scenario", [s for s in scenarios() if s.server.startswith("mysql")], ids=repr)
def test_result_file_and_standard_output_get_the_same_bytes(scenario: Scenario, tmp_path: Path) -> None:
    log = scenario.logs[0].name
    shutil.copyfile(scenario.logs[0], tmp_path / log)
    printed = dump([log], tmp_path)
    written = dump(["--result-file=result.sql", log], tmp_path)
    assert written.text == b""
    assert (tmp_path / "result.sql").read_bytes().replace(str(tmp_path).encode(), b"") == printed.text.replace(
        str(tmp_path).encode(), b""
    )
    assert (written.status, written.errors) == (printed.status, printed.errors)
