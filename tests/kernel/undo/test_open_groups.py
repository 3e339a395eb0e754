"""Rows that change different columns: each set of columns has a group, and the order of a row's changes holds."""

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pybinlog.simulate import simulate
from tests.cli.conftest import real

SERVER = "-- server: version={} format=ROW\nCREATE DATABASE d;\n"
VERSIONS = "9.7", "11.8"
COLUMNS = "abc"
IDS = range(1, 6)
Row = dict[str, int]
Update = tuple[int, Row]
"""A row's id, and what is set in it."""
SINGLE = re.compile(r"UPDATE `d`\.`t` SET (.*) WHERE `id` = (\d+) AND (.*);")
LOOK = re.compile(r"SELECT CONCAT.* FROM \((?:SELECT .* UNION ALL )?VALUES (.*)\) AS v.* FOR UPDATE;")
UPDATE = re.compile(r"UPDATE \((?:SELECT (.*) FROM DUAL .* UNION ALL )?VALUES (.*)\) AS v(?: \((.*)\))? STRAIGHT_JOIN")


def assignments(text: str) -> Row:
    """Return the values in a list of assignments or comparisons with columns."""
    return {name: int(value) for name, value in re.findall(r"`(\w)` = (\d+)", text)}


def changes(sql: str) -> Iterator[tuple[int, Row, Row]]:
    """Yield what the statements compare and set: a row's id, the old values and the new ones."""
    looked: list[list[int]] = []
    for line in sql.splitlines():
        if single := SINGLE.fullmatch(line):
            yield int(single[2]), assignments(single[3]), assignments(single[1])
        elif look := LOOK.fullmatch(line):
            looked = [[int(value) for value in re.findall(r"\d+", row)] for row in look[1].split("), ")]
        elif update := UPDATE.match(line):
            names = re.findall(r"`(\w+)`", update[1] or update[3])[1:]
            rows = [[int(value) for value in re.findall(r"\d+", row)] for row in update[2].split("), ")]
            for (id, *old, _), (same, *new) in zip(looked, rows, strict=True):
                assert id == same
                yield id, dict(zip(names, old, strict=True)), dict(zip(names, new, strict=True))


def log_of(folder: Path, version: str, text: str) -> str:
    ((name, data),) = simulate(SERVER.format(version) + text).files.items()
    (folder / name).write_bytes(data)
    return str(folder / name)


def states(updates: list[Update]) -> tuple[dict[int, Row], dict[int, Row]]:
    before = {id: dict.fromkeys(COLUMNS, 0) for id in IDS}
    after = {id: row.copy() for id, row in before.items()}
    for id, values in updates:
        after[id].update(values)
    return before, after


VALUES = st.dictionaries(st.sampled_from(COLUMNS), st.integers(0, 3), min_size=1)


@settings(max_examples=60)
@given(
    st.sampled_from(VERSIONS),
    st.sampled_from(["undo", "redo"]),
    st.integers(1, 4),
    st.lists(st.tuples(st.sampled_from(IDS), VALUES), min_size=1, max_size=25),
)
def test_each_statement_finds_the_values_that_those_before_it_left(
    version: str, word: str, most: int, updates: list[Update]
) -> None:
    rows = ", ".join(f"({id}, 0, 0, 0)" for id in IDS)
    text = f"CREATE TABLE d.t (id INT PRIMARY KEY, a INT, b INT, c INT);\nINSERT INTO d.t VALUES {rows};\nBEGIN;\n"
    updates = [(1, {"a": 9}), *updates]
    for id, values in updates:
        sets = ", ".join(f"{name} = {value}" for name, value in values.items())
        text += f"UPDATE d.t SET {sets} WHERE id = {id};\n"
    with TemporaryDirectory() as folder:
        log = log_of(Path(folder), version, text + "COMMIT;\n")
        done = real(word, f"--rows-per-statement={most}", "--operation=update", log)
    assert (done.status, done.err) == (0, "")
    before, after = states(updates)
    state, wanted = (before, after) if word == "redo" else (after, before)
    for id, old, new in changes(done.out.decode()):
        assert old.keys() == new.keys()
        assert {name: state[id][name] for name in old} == old
        state[id].update(new)
    assert state == wanted


def statements(sql: bytes) -> list[str]:
    """Return the updates: of many rows, or the row's id."""
    lines = sql.decode().splitlines()
    found = (SINGLE.fullmatch(line) for line in lines)
    singles = [f"id = {one[2]}" for one in found if one]
    return ["many rows"] * sum(line.startswith("UPDATE (") for line in lines) + singles


def updates_of(sets: int, columns: int, times: int) -> str:
    """Return a table and updates of its rows, of which each set of columns has some."""
    names = ", ".join(f"c{number} INT" for number in range(columns))
    rows = range(sets * times)
    text = f"CREATE TABLE d.t (id INT PRIMARY KEY, {names});\nINSERT INTO d.t (id) VALUES "
    text += ", ".join(f"({id})" for id in rows) + ";\nBEGIN;\n"
    for id in rows:
        text += f"UPDATE d.t SET c{id % sets} = 7 WHERE id = {id};\n"
    return text + "COMMIT;\n"


@pytest.mark.parametrize(("sets", "grouped"), [(20, True), (40, False)])
def test_the_memory_of_groups_of_wide_rows_is_bounded(tmp_path: Path, sets: int, grouped: bool) -> None:
    log = log_of(tmp_path, "9.7", updates_of(sets, 3000, 2))
    done = real("redo", "--rows-per-statement=2", "--operation=update", log)
    assert (done.status, done.err) == (0, "")
    expected = ["many rows"] * sets if grouped else [f"id = {id}" for id in range(2 * sets)]
    assert statements(done.out) == expected


def test_rows_that_share_no_statement_keep_their_order(tmp_path: Path) -> None:
    log = log_of(tmp_path, "9.7", updates_of(3, 3, 4))
    done = real("redo", "--operation=update", log)
    assert statements(done.out) == [f"id = {id}" for id in range(12)]
