"""One program, all its faces: each says how many statements changed rows that the logs do not contain, and of which
tables."""

import json
import re
import warnings
from pathlib import Path

import pytest

import pybinlog
from tests.cli.conftest import real
from tests.corpus import TESTDATA
from tests.dump.log_parts import events_of, joined
from tests.test_one_answer import from_spark

CORPUS = TESTDATA / "corpus"
ALL_FORMAT = TESTDATA / "statement-format"
SAID = {
    ALL_FORMAT: "2 statements changed rows that the logs do not contain, of b.t; see pybinlog --event-type=Query",
    CORPUS / "mysql-9.7" / "mixed": "7 statements changed rows that the logs do not contain, of mx.log_t and mx.t; see "
    "pybinlog --event-type=Query",
    CORPUS / "mariadb-11.8" / "mixed": "6 statements changed rows that the logs do not contain, of mxm.t and mxm.tmp; "
    "see pybinlog --event-type=Query",
    CORPUS / "mariadb-10.11" / "compressed-statement": "6 statements changed rows that the logs do not contain, of "
    "cs.t; see pybinlog --event-type=Query_compressed",
    CORPUS
    / "mysql-9.7"
    / "multi-file": "2 statements changed rows that the logs do not contain, of mf.t; see pybinlog --event-type=Query",
    CORPUS / "mysql-9.7" / "compression": "2 statements changed rows that the logs do not contain, of cz.t; see "
    "pybinlog --event-type=Query",
    CORPUS / "mysql-9.7" / "statement": "50 statements changed rows that the logs do not contain (1 of them may have, "
    "such as CALL), of st.ai, st.child, st_latin.l and unknown tables; see pybinlog --event-type=Query",
    TESTDATA / "unseen" / "old_load": "3 statements changed rows that the logs do not contain, of unknown tables; see "
    "pybinlog --event-type=Exec_load,Load,New_load",
}
COMMANDS = (
    "rows",
    "rows --format=tsv --columns=table",
    "transactions",
    "stats",
    "stats --by=statement,minute",
    "stats --by=table",
    "summary",
    "summary --format=json",
    "export --view=rows -o -",
    "export --view=rows --format=csv -o -",
    "export --view=transactions -o -",
    "export -o -",
)
LOGS = pytest.mark.parametrize("folder", SAID, ids=lambda folder: "/".join(folder.parts[-2:]))


def logs_of(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.iterdir() if re.search(r"bin.*\.\d+$", path.name))


@LOGS
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_it_once(folder: Path, command: str) -> None:
    done = real(*command.split(), *logs_of(folder))
    assert done.status == 0
    assert done.err.splitlines().count(f"WARNING: {SAID[folder]}.") == 1
    assert done.err.count("the logs do not contain") == 1


@LOGS
@pytest.mark.parametrize("command", ["undo", "redo", "redo --dry-run", "undo --format=binlog"])
def test_undo_and_redo_refuse_as_many_statements(folder: Path, command: str) -> None:
    done = real(*command.split(), "--allow-non-transactional", *logs_of(folder))
    assert (done.status, done.out) == (1, b"")
    (refusal,) = re.findall(r"ERROR: .*: a statement changes rows, and the log does not say which: .*", done.err)
    more = re.search(r"\((\d+) more of this kind\)\.$", refusal)
    temporary = folder.parts[-2:] == ("mariadb-11.8", "mixed")  # one is about a temporary table
    assert 1 + int(more[1] if more else 0) == int(SAID[folder].split()[0]) - temporary


@pytest.mark.parametrize(("table", "count"), [("mx.t", 3), ("mx.log_t", 4)])
@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_the_view_of_one_table_says_what_it_lacks_of_that_table(table: str, count: int, format: str) -> None:
    (log,) = logs_of(CORPUS / "mysql-9.7" / "mixed")
    done = real("export", "--view=table", f"--table={table}", f"--format={format}", "-o", "-", log)
    said = f"{count} statements changed rows that the logs do not contain, of {table}; see pybinlog --event-type=Query"
    assert done.err.splitlines().count(f"WARNING: {said}.") == 1
    refused = real("redo", f"--table={table}", log)
    assert (refused.status, refused.out) == (1, b"")
    name = table.removeprefix("mx.")
    assert f"a statement changes rows, and the log does not say which: INSERT INTO {name} (" in refused.err


@LOGS
def test_files_of_each_log_are_written_with_one_remark(folder: Path, tmp_path: Path) -> None:
    done = real("export", "--view=rows", "--format=jsonl", "-o", str(tmp_path), *logs_of(folder))
    assert done.err.splitlines()[:-1] == [f"WARNING: {SAID[folder]}."]


@LOGS
@pytest.mark.parametrize("view", ["rows", "transactions"])
def test_the_library_warns_of_it(folder: Path, view: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in getattr(pybinlog.open(logs_of(folder)), view)():
            pass
    told = [str(warning.message) for warning in caught if warning.category is pybinlog.BinlogWarning]
    wanted = SAID[folder].replace("see pybinlog --event-type=", "see the events whose type_name is ")
    assert told.count(wanted) == 1
    assert {warning.filename for warning in caught if str(warning.message) == wanted} == {__file__}


@LOGS
@pytest.mark.parametrize("view", ["rows", "transactions", "events"])
def test_tasks_on_spark_say_it(folder: Path, view: str, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in from_spark([Path(name) for name in logs_of(folder)], view=view):
        pass
    said = SAID[folder].replace("see pybinlog --event-type=", "see the view events with eventTypes=")
    assert capsys.readouterr().err.count(said) == 1


@pytest.mark.parametrize("command", ["rows", "stats", "stats --by=table", "transactions", "export --view=rows -o -"])
def test_a_filter_chooses_the_statements_that_count(command: str) -> None:
    (log,) = logs_of(CORPUS / "mysql-9.7" / "mixed")
    counted = {
        option: real(*command.split(), option, log).err.partition(" statement")[0].removeprefix("WARNING: ")
        for option in ("--table=mx.t", "--table=mx.l*", "--operation=insert", "--operation=update", "--server-id=1")
    }
    assert counted == {
        "--table=mx.t": "3",
        "--table=mx.l*": "4",
        "--operation=insert": "5",
        "--operation=update": "2",
        "--server-id=1": "7",
    }
    for option in ("--table=mx.none", "--operation=delete", "--event-type=Xid", "--server-id=2"):
        assert "the logs do not contain" not in real(*command.split(), option, log).err


CASCADES = TESTDATA / "statement" / "mariadb-cascades" / "binlog.000001"
"""Foreign keys delete, update and empty rows of shop.c, shop.g and shop.n; a log of MariaDB has no rows of that."""
CASCADED = "{} may have changed rows of {} by foreign keys, which the logs do not contain; see pybinlog rows --table={}"


def cascades_said(error: str) -> list[str]:
    return [line.removeprefix("WARNING: ") for line in error.splitlines() if "by foreign keys" in line]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_that_foreign_keys_may_have_changed_rows(command: str) -> None:
    done = real(*command.split(), str(CASCADES))
    assert cascades_said(done.err) == [CASCADED.format("6 statements", "shop.c, shop.g and shop.n", "shop.p") + "."]
    if command == "summary":
        assert b"6 statements may have changed rows of shop.c, shop.g and shop.n by foreign keys" in done.out
    if "json" in command:
        found = json.loads(done.out)["cascades"]
        assert found == {"statements": 6, "tables": {"shop.c": 5, "shop.g": 4, "shop.n": 1}}


@pytest.mark.parametrize("command", ["rows", "transactions", "stats", "export --view=rows -o -", "summary"])
@pytest.mark.parametrize(
    ("options", "count", "table"),
    [
        ("--table=shop.c", 5, "shop.c"),
        ("--table=shop.c --operation=delete", 4, "shop.c"),
        ("--table=shop.c --operation=update", 1, "shop.c"),
        ("--table=shop.g", 4, "shop.g"),
        ("--table=shop.g --operation=delete", 0, ""),
        ("--table=shop.n", 1, "shop.n"),
        ("--table=shop.p", 0, ""),
        ("--table=shop.u", 0, ""),
        ("--ignore-table=shop.g,shop.n --operation=update", 1, "shop.c"),
        ("--table=shop.c --server-id=77", 0, ""),
    ],
)
def test_filters_choose_the_rows_that_foreign_keys_may_have_changed(
    command: str, options: str, count: int, table: str
) -> None:
    """A key of a row that no UPDATE changes, a rollback and foreign_key_checks=0 do not count."""
    statements = f"{count} statement{'' if count == 1 else 's'}"
    wanted = [CASCADED.format(statements, table, "shop.p") + "."] if count else []
    assert cascades_said(real(*command.split(), *options.split(), str(CASCADES)).err) == wanted


def test_the_view_of_one_table_and_the_library_say_it_of_that_table() -> None:
    done = real("export", "--view=table", "--table=shop.c", "--format=csv", "-o", "-", str(CASCADES))
    assert cascades_said(done.err) == [CASCADED.format("5 statements", "shop.c", "shop.p") + "."]
    with pytest.warns(pybinlog.BinlogWarning, match="^5 statements may have changed rows of shop.c by foreign keys"):
        assert len(list(pybinlog.open(str(CASCADES)).rows("shop.c"))) == 4


def test_a_dump_of_the_tables_tells_of_foreign_keys(tmp_path: Path) -> None:
    rest = tmp_path / "binlog.000001"  # without the definitions
    rest.write_bytes(without_definitions(CASCADES.read_bytes()))
    assert cascades_said(real("rows", str(rest)).err) == []
    schema = tmp_path / "shop.sql"
    text = (CASCADES.parent / "input.sql").read_text().replace("SET SESSION", "-- ").replace("SET foreign", "-- ")
    schema.write_text("\n".join(line for line in text.splitlines() if line.startswith(("CREATE TABLE", "CREATE DATA"))))
    said = cascades_said(real("rows", f"--schema={schema}", "--schema-of=start", str(rest)).err)
    assert said == [CASCADED.format("6 statements", "shop.c, shop.g and shop.n", "shop.p") + "."]


def without_definitions(log: bytes) -> bytes:
    """Return a log of MariaDB without its CREATE statements."""
    head, *events = events_of(log)
    return joined([head, *(event for event in events if b"CREATE " not in event)])


@pytest.mark.parametrize("name", ["mysql-cascade", "mysql-circle", "mysql-self"])
def test_rows_that_the_log_contains_are_not_said(name: str) -> None:
    log = str(TESTDATA / "undo" / name / "binlog.000001")
    assert b"CASCADE" in Path(log).read_bytes()
    assert cascades_said(real("rows", log).err) == []


def test_tasks_on_spark_tell_of_foreign_keys(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in from_spark([CASCADES], view="rows"):
        pass
    assert capsys.readouterr().err.count("6 statements may have changed rows of shop.c, shop.g and shop.n by") == 1


@pytest.mark.parametrize(
    ("name", "option", "said"),
    [
        (
            "mysql-reached",
            "",
            "3 statements changed rows that the logs do not contain, of b.a, b.p, b.v and unknown tables",
        ),
        (
            "mysql-reached",
            "--table=b.u",
            "2 statements may have changed rows that the logs do not contain, such as CALL",
        ),
        (
            "mysql-reached",
            "--table=b.t",
            "2 statements may have changed rows that the logs do not contain, such as CALL",
        ),
        (
            "mysql-reached",
            "--table=b.p",
            "3 statements changed rows that the logs do not contain (2 of them may have, such as CALL), of b.p",
        ),
        ("mariadb-functions", "", "1 statement changed rows that the logs do not contain, of b.q and unknown tables"),
        (
            "mariadb-functions",
            "--table=b.t",
            "1 statement may have changed rows that the logs do not contain, such as CALL",
        ),
    ],
)
@pytest.mark.parametrize("command", ["rows", "transactions", "stats --by=table", "summary", "export --view=rows -o -"])
def test_views_triggers_and_functions_may_change_any_table(command: str, name: str, option: str, said: str) -> None:
    log = str(TESTDATA / "statement" / name / "binlog.000001")
    done = real(*command.split(), *option.split(), log)
    assert done.err.splitlines().count(f"WARNING: {said}; see pybinlog --event-type=Query.") == 1


RESPELLED = (
    "3 statements may have changed rows that the logs do not contain, of mx.t (if names that differ in case alone are "
    "one table's (lower_case_table_names)); see pybinlog --event-type=Query"
)


@pytest.mark.parametrize("option", ["--table=MX.T", "--table=MX.[T]", "--table=Mx.t,mX.T"])
@pytest.mark.parametrize("command", [command for command in COMMANDS if command != "export -o -"])
def test_statements_whose_tables_differ_in_case_alone_may_have_changed_these(command: str, option: str) -> None:
    (log,) = logs_of(CORPUS / "mysql-9.7" / "mixed")
    done = real(*command.split(), option, log)
    assert done.err.splitlines().count(f"WARNING: {RESPELLED}.") == 1
    if "json" in command:
        assert json.loads(done.out)["statements"] == {
            "changed_rows": 0,
            "may_have_changed_rows": 3,
            "tables": {"mx.t": 3},
        }


def test_a_dump_says_that_it_leaves_out_statements_for_the_case_of_a_name() -> None:
    (log,) = logs_of(CORPUS / "mysql-9.7" / "mixed")
    said = (
        "WARNING: 5 statements are not printed, but would be if names that differ in case alone are one table's "
        "(lower_case_table_names): of mx.t."
    )
    for pipe in (False, True):
        done = real("--table=MX.T", "-" if pipe else log, stdin=Path(log).read_bytes() if pipe else b"")
        assert (done.status, done.err.splitlines().count(said)) == (0, 1)
        assert b"INTO t" not in done.out
    assert "not printed" not in real("--table=mx.t", log).err


@pytest.mark.parametrize("command", ["", "rows", "transactions", "stats", "summary", "export --view=rows -o -"])
@pytest.mark.parametrize("pipe", [False, True])
def test_a_name_among_others_that_matches_no_table_is_said_once(command: str, pipe: bool) -> None:
    (log,) = logs_of(CORPUS / "mysql-9.7" / "mixed")
    if command == "summary" and pipe:
        pytest.skip("summary reads a log twice")
    arguments = [*command.split(), "--table=mx.t,mx.typo,l?g_x,log_t", "--database=mx,mxx", "-" if pipe else log]
    done = real(*arguments, stdin=Path(log).read_bytes() if pipe else b"")
    assert done.status == 0
    assert [line for line in done.err.splitlines() if "WARNING: --" in line] == [
        "WARNING: --database=mxx: no table of these logs matches (did you mean mx?).",
        "WARNING: --table=l?g_x: no table of these logs matches; they hold mx.log_t, mx.t.",
        "WARNING: --table=mx.typo: no table of these logs matches (did you mean mx.t?).",
    ]
    done = real(*arguments, "--server-id=1", stdin=Path(log).read_bytes() if pipe else b"")
    assert "--table=mx.typo: no table of what the other filters keep matches" in done.err


@pytest.mark.filterwarnings("error::pybinlog.BinlogWarning")
def test_the_library_counts_those_of_the_tables_that_are_read() -> None:
    logs = logs_of(ALL_FORMAT)
    with pytest.warns(pybinlog.BinlogWarning, match="^2 statements changed rows"):
        assert len(list(pybinlog.open(logs).rows("b.t"))) == 2
    with pytest.warns(pybinlog.BinlogWarning, match="^table=b.other: no table of these logs matches; they hold b.t$"):
        assert list(pybinlog.open(logs).rows("b.other")) == []


def test_a_summary_has_a_line_and_a_field(capsys: pytest.CaptureFixture[str]) -> None:
    (log,) = logs_of(ALL_FORMAT)
    page = real("summary", log).out.decode()
    assert "\nStatements    2 changed rows that the logs do not contain, of b.t\n" in page
    found = json.loads(real("summary", "--format=json", log).out)
    assert found["statements"] == {"changed_rows": 2, "may_have_changed_rows": 0, "tables": {"b.t": 2}}
    assert found["total"]["statements"] == 2


def test_events_show_statements_and_say_nothing() -> None:
    (log,) = logs_of(ALL_FORMAT)
    assert real("events", log).err == real("events", "--format=jsonl", log).err == ""


def test_undo_of_rows_that_a_statement_deleted_is_refused() -> None:
    (log,) = logs_of(ALL_FORMAT)
    done = real("undo", "--table=b.t", "--operation=delete", log)
    assert (done.status, done.out) == (1, b"")
    assert "a statement changes rows, and the log does not say which: DELETE FROM b.t WHERE id = 2" in done.err


@pytest.mark.parametrize("command", [*COMMANDS[:7], "events", "export -o -", "undo", ""])
def test_a_name_that_no_table_has_is_said_even_if_its_database_is_there(command: str) -> None:
    """CREATE DATABASE matches by its database."""
    log = str(TESTDATA / "statement" / "set-statement" / "binlog.000001")
    said = "--table=shop.price: no table of these logs matches (did you mean shop.prices?)."
    assert said in real(*command.split(), "--table=shop.price", log).err
    if command == "undo":
        return  # it says why it refuses
    assert said in real(*command.split(), "--table=shop.price,shop.prices", log).err
    many = ",".join(f"shop.no{number}" for number in range(9))
    done = real(*command.split(), f"--table=shop.prices,{many}", log)
    assert done.err.count("no table of these logs matches") == 5
    assert "WARNING: 4 more names in filters match no table" in done.err
