"""The text of every option set is the reference's, byte for byte, from wherever the log is read."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from ..corpus import Digest, OptionSet, Scenario, more_scenarios, scenarios
from .exemption import Exemption, exemption_of, exemptions
from .program import dump, dump_set, scratch_copy, without_opening_comments, without_tbm

ALL = [
    option_set
    for scenario in (*scenarios(), *more_scenarios("unseen"), *more_scenarios("more"))
    for option_set in scenario.option_sets
    if not option_set.of_mariadb_binlog and not scenario.server.startswith("mariadb")
]
SETS = [option_set for option_set in ALL if exemption_of(option_set) is None]
# Names that end a comment do so with --no-tbm only: tests/dump/test_hostile_names.py has the text with markers.
PRINTED_OTHERWISE = ("more/hostile-names",)
# One log, whole: whatever it is read from, the text is the same.
ONE_LOG = [s for s in SETS if len(s.logs) == 1 and s.logs[0] != "-" and s.name in ("default", "decode", "hexdump")]
ONE_LOG += [s for s in SETS if s.scenario.name == "mysql-9.7/row-basic" and len(s.logs) == 1 and s not in ONE_LOG]
SEVERAL_LOGS = [s for s in SETS if len(s.logs) > 1 and "-" not in s.logs and "nosuch" not in str(s.arguments)]


def same(text: bytes, option_set: OptionSet) -> bool:
    wanted = option_set.output
    text = without_opening_comments(text)
    if isinstance(wanted, Digest):
        return Digest.of(text) == wanted
    return text == without_opening_comments(wanted)


def check(text: bytes, option_set: OptionSet) -> None:
    """As `same`, but so that pytest shows the lines that differ."""
    if not same(text, option_set):
        wanted = option_set.output
        assert not isinstance(wanted, Digest), "the hash differs"
        ours = without_opening_comments(text).decode("utf-8", "backslashreplace").split("\n")
        theirs = without_opening_comments(wanted).decode("utf-8", "backslashreplace").split("\n")
        pairs = enumerate(zip(ours, theirs, strict=False))
        first = next((i for i, (a, b) in pairs if a != b), min(len(ours), len(theirs)))
        around = slice(max(first - 2, 0), first + 6)
        assert ours[around] == theirs[around], f"from line {first} on"


@pytest.mark.parametrize("option_set", SETS, ids=repr)
def test_the_text_and_the_status_are_the_references(option_set: OptionSet, tmp_path: Path) -> None:
    output = dump_set(option_set, tmp_path, "--no-tbm")
    check(output.text, option_set)
    assert bool(output.status) == bool(option_set.status), output.errors


@pytest.mark.parametrize("option_set", [s for s in SETS if s.scenario.name not in PRINTED_OTHERWISE], ids=repr)
def test_only_the_tbm_field_is_added(option_set: OptionSet, tmp_path: Path) -> None:
    output = dump_set(option_set, tmp_path)
    text, missing = without_tbm(output.text)
    assert missing == []
    check(text, option_set)


@pytest.mark.parametrize("exemption", exemptions(), ids=lambda e: f"{e.scenario}-{e.option_set}")
def test_what_is_exempt_does_differ(exemption: Exemption, tmp_path: Path) -> None:
    covered = [option_set for option_set in ALL if exemption.covers(option_set)]
    outputs = [dump_set(option_set, tmp_path, "--no-tbm") for option_set in covered]
    assert any(
        not same(output.text, option_set) or bool(output.status) != bool(option_set.status)
        for option_set, output in zip(covered, outputs, strict=True)
    )
    assert [output.errors for output in outputs if "fault" in output.errors] == []


@pytest.mark.parametrize("option_set", [s for s in ONE_LOG if "--stop-position" not in str(s.arguments)], ids=repr)
def test_standard_input_gives_the_same_text(option_set: OptionSet, tmp_path: Path) -> None:
    (name,) = option_set.logs
    arguments = ["-" if argument == name else argument for argument in option_set.arguments]
    output = dump(["--no-tbm", *arguments], tmp_path, (option_set.scenario.folder / name).read_bytes())
    check(output.text, option_set)
    assert bool(output.status) == bool(option_set.status)


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zst": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("suffix", COMPRESSIONS)
@pytest.mark.parametrize("option_set", ONE_LOG, ids=repr)
def test_a_compressed_copy_gives_the_same_text(option_set: OptionSet, suffix: str, tmp_path: Path) -> None:
    (name,) = option_set.logs
    packed = COMPRESSIONS[suffix]((option_set.scenario.folder / name).read_bytes())
    (tmp_path / f"{name}.{suffix}").write_bytes(packed)
    arguments = [f"{name}.{suffix}" if argument == name else argument for argument in option_set.arguments]
    output = dump(["--no-tbm", *arguments], tmp_path)
    check(output.text, option_set)
    assert bool(output.status) == bool(option_set.status)


@pytest.mark.parametrize("option_set", SEVERAL_LOGS, ids=repr)
def test_an_index_file_stands_for_the_logs_it_lists(option_set: OptionSet, tmp_path: Path) -> None:
    scratch_copy(option_set.scenario, tmp_path)
    listed = option_set.logs
    (tmp_path / "listed.index").write_text("".join(f"./{name}\n" for name in listed))
    others = [argument for argument in option_set.arguments if argument not in listed]
    output = dump(["--no-tbm", *others, "--index", "listed.index"], tmp_path)
    check(output.text, option_set)
    assert bool(output.status) == bool(option_set.status)


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
