"""The foreign keys of statements: as a part of a table's definition, or of a column's."""

from __future__ import annotations

import pytest

from pybinlog.catalog.relations import Relations
from pybinlog.catalog.tables import Session

CASES: dict[str, list[tuple[str, ...]]] = {
    "CREATE TABLE c (id INT, p INT, FOREIGN KEY f (id, p) REFERENCES p (x, y) ON DELETE CASCADE)": [("id", "p")],
    "CREATE TABLE c (id INT DEFAULT (ROUND(1, 2)), `f p` INT REFERENCES p ON DELETE CASCADE)": [("f p",)],
    "CREATE TABLE c (e ENUM('a', 'b') DEFAULT 'b' REFERENCES p (e), KEY (e, f), g INT REFERENCES p (id))": [
        ("e",),
        ("g",),
    ],
    "CREATE TABLE c (KEY (a, b), CONSTRAINT f FOREIGN KEY (a) REFERENCES p (a), b INT REFERENCES p (b))": [
        ("a",),
        ("b",),
    ],
    "ALTER TABLE c ADD COLUMN IF NOT EXISTS p INT REFERENCES p (id), ADD q INT REFERENCES p (id)": [("p",), ("q",)],
    "ALTER TABLE c ADD (a INT, p INT REFERENCES p (id)), CHANGE COLUMN x y INT REFERENCES p (id)": [("p",), ("y",)],
    "ALTER TABLE c MODIFY p INT REFERENCES p (id), ADD FOREIGN KEY (q) REFERENCES p (id)": [("p",), ("q",)],
}


@pytest.mark.parametrize("text", CASES)
def test_the_columns_that_refer(text: str) -> None:
    relations = Relations()
    relations.read(text, Session(database="d", where=""))
    found = relations.references_to(("d", "p"))
    assert sorted(one.child_columns for one in found) == sorted(CASES[text])
    assert {one.child for one in found} == {("d", "c")}
