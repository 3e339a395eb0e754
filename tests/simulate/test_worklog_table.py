"""WL#2687's "Definition table for Layer 1" and "for Layer 2 and 3": each case with each format.

The expected groups are those of servers; docs/simulate-model.md lists the differences from the tables (marked here
with *). A group is written as what it holds and how it ends: `sT`, `sN`, `sM` are T-, N- and M-statements, `rT` and
`rN` the rows of one statement in a T- or N-table, `!` says that the statement failed; X is a Xid, C a COMMIT and R a
ROLLBACK.
"""

from functools import cache

import pytest

from pybinlog.event_types import EventType
from pybinlog.simulate import Scenario, Simulation, simulate
from pybinlog.simulate.log.mariadb import V1
from pybinlog.simulate.scenario import Statement
from tests.simulate.facts import events
from tests.simulate.test_interleavings import WITHOUT_GTIDS

TABLES = """
con1: CREATE TABLE t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB;
con1: CREATE TABLE n (id INT PRIMARY KEY, v INT) ENGINE=MyISAM;
con1: INSERT INTO t VALUES (1, 0), (2, 0);
con1: INSERT INTO n VALUES (1, 0), (2, 0);
con1: FLUSH BINARY LOGS;
"""
STATEMENTS = {
    "T": "INSERT INTO t VALUES ({}, 1) /*T*/",
    "N": "INSERT INTO n VALUES ({}, 1) /*N*/",
    "M": "UPDATE t, n SET t.v = {0}, n.v = {0} WHERE t.id = 1 AND n.id = 1 /*M*/",
    "m": "INSERT INTO n SELECT id + {}, v FROM t WHERE id = 2 /*M*/",  # changes an N-table only
    "w": "INSERT INTO t SELECT id + {}, v FROM n WHERE id = 2 /*M*/",  # changes a T-table only
    "T!": "INSERT INTO t VALUES ({}, 1), (1, 1) /*T*/",
    "N!": "INSERT INTO n VALUES ({}, 1), (1, 1) /*N*/",
    "M!": "INSERT INTO n SELECT 5 - id * 2, v FROM t ORDER BY id /*M*/",  # 3, then 1, which is there
    "B": "BEGIN",
    "C": "COMMIT",
    "R": "ROLLBACK",
}
CASES = {
    # case: statements, then the groups with STATEMENT, ROW and MIXED
    "1.a": ("B T T C", "sT sT X", "rT rT X", "sT sT X"),
    "1.b": ("B T T R", "", "", ""),
    "2.a": ("B T N C", "sT sN X", "rN C | rT X", "rN C | sT X"),
    "2.b": ("B T N R", "sT sN R", "rN C", "rN C"),
    "3.a": ("T", "sT X", "rT X", "sT X"),
    "3.b": ("T!", "", "", ""),
    "4.a": ("N", "sN C", "rN C", "sN C"),
    "4.b": ("N!", "sN! C", "rN C", "sN! C"),
    "5.a": ("M", "sM X", "rN C | rT X", "sM X"),  # *
    "5.a changes N": ("m", "sM C", "rN C", "sM C"),  # *
    "5.a changes T": ("w", "sM X", "rT X", "sM X"),  # *
    "5.b": ("M!", "sM! C", "rN C", "sM! C"),  # *
    "6.a": ("B N N T C", "sN C | sN C | sT X", "rN C | rN C | rT X", "sN C | sN C | sT X"),
    "6.b": ("B N N T R", "sN C | sN C", "rN C | rN C", "sN C | sN C"),  # *
    "7.a": ("B N N C", "sN C | sN C", "rN C | rN C", "sN C | sN C"),
    "7.b": ("B N N R", "sN C | sN C", "rN C | rN C", "sN C | sN C"),
    "8.a": ("B M T C", "sM sT X", "rN C | rT rT X", "rN C | rT sT X"),
    "8.b": ("B M T R", "sM sT R", "rN C", "rN C"),
    "8.a changes N": ("B m T C", "sM C | sT X", "rN C | rT X", "sM C | sT X"),  # *
    "8.b changes N": ("B m T R", "sM C", "rN C", "sM C"),  # *
    "8.a changes T": ("B w T C", "sM sT X", "rT rT X", "rT sT X"),
    "8.b changes T": ("B w T R", "", "", ""),  # *
    "9.a": ("B M N C", "sM sN X", "rN C | rN C | rT X", "rN C | rN C | rT X"),
    "9.a changes N": ("B m N C", "sM C | sN C", "rN C | rN C", "sM C | sN C"),  # *
    "9.a changes T": ("B w N C", "sM sN X", "rN C | rT X", "rN C | rT X"),
    "9.b": ("B M N R", "sM sN R", "rN C | rN C", "rN C | rN C"),
    "10.a": ("B N M C", "sN C | sM X", "rN C | rN C | rT X", "sN C | rN C | rT X"),
    "10.b": ("B N M R", "sN C | sM R", "rN C | rN C", "sN C | rN C"),
    "10.a changes N": ("B N m C", "sN C | sM C", "rN C | rN C", "sN C | sM C"),  # *
    "10.b changes N": ("B N m R", "sN C | sM C", "rN C | rN C", "sN C | sM C"),  # *
    "10.a changes T": ("B N w C", "sN C | sM X", "rN C | rT X", "sN C | rT X"),
    "10.b changes T": ("B N w R", "sN C", "rN C", "sN C"),  # *
    "11.a": ("B T M C", "sT sM X", "rN C | rT rT X", "rN C | sT rT X"),
    "11.b": ("B T M R", "sT sM R", "rN C", "rN C"),
    "11.a changes N": ("B T m C", "sT sM X", "rN C | rT X", "rN C | sT X"),
    "11.b changes N": ("B T m R", "sT sM R", "rN C", "rN C"),
    "11.a changes T": ("B T w C", "sT sM X", "rT rT X", "sT rT X"),
    "11.b changes T": ("B T w R", "", "", ""),  # *
    "11.b error": ("B T M! R", "sT sM! R", "rN C", "rN C"),
}
ENDS = {b"COMMIT": "C", b"ROLLBACK": "R"}


MARIADB = {
    # the cases that MariaDB 11.8 logs otherwise: the first as one group, the others as the worklog has them
    ("5.a", "ROW"): "rN rT X",
    ("6.b", "STATEMENT"): "sN C | sN C | sT R",
    ("8.b changes N", "STATEMENT"): "sM C | sT R",
    ("10.b changes T", "STATEMENT"): "sN C | sM R",
}


def scenario(case: str, form: str, version: str) -> Scenario:
    lines = [f"-- server: version={version} format={form} end=rotate", TABLES]
    for number, word in enumerate(CASES[case][0].split(), start=10):
        lines.append("-- !error\n" if word.endswith("!") else "")
        lines.append(f"con1: {STATEMENTS[word].format(number)};")
    return Scenario.parse("\n".join(lines))


def groups(data: bytes) -> str:
    """A log in the notation of the table."""
    words: list[str] = []
    tables: dict[int, str] = {}
    for event in events(data):
        kind, body = event.header.event_type, event.body
        if kind == EventType.TABLE_MAP:
            tables[body.table_id] = body.table
        elif kind in (*V1, *V1.values()):
            words.append("r" + tables[body.table_id].upper())
        elif kind == EventType.XID:
            words += ["X", "|"]
        elif kind == EventType.QUERY:
            text = bytes(body.query)
            if text in ENDS:
                words += [ENDS[text], "|"]
            elif text != b"BEGIN":
                words.append("s" + text.decode()[-3] + ("!" if body.error_code else ""))
    return " ".join(words[:-1])


@cache
def simulated(case: str, form: str, version: str) -> Simulation:
    return simulate(scenario(case, form, version))


@pytest.mark.parametrize("version", ["5.6", WITHOUT_GTIDS, "11.8"])
@pytest.mark.parametrize("form", ["STATEMENT", "ROW", "MIXED"])
@pytest.mark.parametrize("case", CASES)
def test_case(case: str, form: str, version: str) -> None:
    result = simulated(case, form, version)
    expected = dict(zip(("STATEMENT", "ROW", "MIXED"), CASES[case][1:], strict=True))
    wanted = MARIADB.get((case, form)) if version == "11.8" else None
    assert groups(result.files["binlog.000002"]) == (wanted or expected[form])


WARNED = {
    "2.a": 1,
    "2.b": 1,
    "5.a": 0,
    "5.a changes N": 0,
    "8.a": 1,
    "9.a": 2,
    "10.a": 1,
    "11.a": 1,
    "6.a": 0,
    "8.a changes N": 0,
}


@pytest.mark.parametrize("case", WARNED)
def test_unsafe_statements_are_warned_of_with_statement_only(case: str) -> None:
    for form in ("STATEMENT", "ROW", "MIXED"):
        warnings = [text for _, text in simulated(case, form, WITHOUT_GTIDS).warnings if "safe" in text]
        assert len(warnings) == (WARNED[case] if form == "STATEMENT" else 0)


FAILED = {
    # the letters of a failed statement: format, cache, flush
    ("3.b", "STATEMENT"): "F - S   E - I   C - T   F - I",
    ("3.b", "ROW"): "F - R   E - I   C - T   F - I",
    ("3.b", "MIXED"): "F - S   E - I   C - T   F - I",
    ("4.b", "STATEMENT"): "F - S   E - I   C - S   F - D",
    ("4.b", "ROW"): "F - R   E - I   C - S   F - D",
    ("5.b", "ROW"): "F - R   E - I   C - S   F - D",
    ("11.b error", "STATEMENT"): "F - S   E - W   C - T   F - R",
    ("11.b error", "ROW"): "F - R   E - I   C - S   F - D",
}


@pytest.mark.parametrize(("case", "form"), FAILED)
def test_the_caches_of_a_failed_statement_are_explained(case: str, form: str) -> None:
    lines = list(simulated(case, form, WITHOUT_GTIDS).explain())
    (at,) = [at for at, line in enumerate(lines) if line.endswith("(error 1062)")]
    assert lines[at + 1].strip()[4:] == FAILED[case, form]


@pytest.mark.parametrize(("form", "letters"), [("ROW", "C - ST   F - DI"), ("STATEMENT", "C - T   F - R")])
def test_a_row_of_a_t_table_that_a_trigger_belongs_to_is_cached_and_dropped(form: str, letters: str) -> None:
    trigger = "con1: CREATE TRIGGER tr AFTER INSERT ON t FOR EACH ROW INSERT INTO n VALUES (NEW.id, 0);\n"
    failing = "-- !error 1062\ncon1: INSERT INTO t VALUES (3, 0), (1, 0);\n"
    result = simulate(f"-- server: version={WITHOUT_GTIDS} format={form}\n{TABLES}{trigger}{failing}")
    (explained,) = [line for line in result.explain() if line.startswith("    M")]
    assert explained.endswith(letters)


def test_the_cases_use_each_statement() -> None:
    used = {word for statements, *_ in CASES.values() for word in statements.split()}
    assert used == set(STATEMENTS)
    assert {type(step) for step in scenario("1.a", "ROW", "5.6").steps} == {Statement}
