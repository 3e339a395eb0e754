"""Compressed transactions: the findings are the same, with payloads read by the kernel or piece by piece."""

from pathlib import Path

import pytest

from tests.check.logs import Findings, Folder, joined
from tests.check.payloads import HEADER
from tests.fuzz.mutator import Mutator, Seed
from tests.kernel.scan.test_payload import AT, EVENTS, INSIDE, LOGS, OTHERS, NoneOrdinary, compressed


def both_ways(log: bytes, path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Findings]:
    found = [Folder(path).check(log)]
    with monkeypatch.context() as patch:
        patch.setattr("pybinlog.check.contents.PayloadReader", NoneOrdinary)
        found.append(Folder(path).check(log))
    return found


def with_payload(body: bytes) -> bytes:
    return joined([*EVENTS[:AT], EVENTS[AT][:HEADER] + body + bytes(4), *EVENTS[AT + 1 :]])


BODIES = {
    **OTHERS,
    "an ordinary one": compressed(*INSIDE),
    "no end": compressed(*INSIDE[:-1]),
    "two transactions": compressed(*INSIDE, *INSIDE),
    "no Table_map": compressed(INSIDE[0], *INSIDE[2:]),
    "a GTID inside": compressed(EVENTS[AT - 1][:-4], *INSIDE),
}


@pytest.mark.parametrize("name", BODIES)
def test_the_findings_are_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = both_ways(with_payload(BODIES[name]), tmp_path, monkeypatch)
    assert one == other
    assert (one.serious == []) == (name in ("an ordinary one", "not compressed"))


@pytest.mark.parametrize("number", range(3))
def test_damage_gives_the_same_findings(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mutator = Mutator([Seed.of(str(path), path.read_bytes()) for path in LOGS], 6)
    for n in range(number * 30, number * 30 + 30):
        one, other = both_ways(mutator.make(mutator.random(n)), tmp_path, monkeypatch)
        assert one == other, n
