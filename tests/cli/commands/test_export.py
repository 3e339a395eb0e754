"""`pybinlog export` as a user sees it."""

import csv
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.catalog.bare_logs import DUMPS, bare_log
from tests.cli.conftest import Result, real, without_remark
from tests.corpus import scenarios
from tests.views.expected import view

pytest.importorskip("pyarrow")


def folder(name: str) -> Path:
    return next(found for found in scenarios() if found.name == name).folder


BASIC = folder("mysql-9.7/row-basic")
SERIES = folder("mysql-9.7/multi-file")
DAMAGED = folder("mysql-9.7/damaged-body")
FULL = folder("mysql-9.7/row-metadata-full")


def export(*arguments: str | Path) -> Result:
    return real("export", *map(str, arguments))


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_file_for_each_log(tmp_path: Path) -> None:
    result = export("-o", tmp_path, SERIES)
    logs = sorted(path for path in SERIES.iterdir() if path.suffix[1:].isdigit())
    rows = len(view(logs, "events"))
    assert (result.status, result.out, without_remark(result.err)) == (0, b"", f"{rows} rows in 4 files.\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{log.name}.parquet" for log in logs]


def test_safe_csv_has_no_formulas(tmp_path: Path) -> None:
    from pybinlog.simulate import simulate

    scenario = "-- server: format=ROW\nCREATE TABLE `=1+1` (a INT);\nINSERT INTO `=1+1` VALUES (-5);"
    (log, _) = simulate(scenario).write(tmp_path)
    tables = []
    for options in ([], ["--csv-safe"]):
        columns = "--columns=table,server_id"
        assert export(log, "-o", tmp_path, "--format=csv", columns, "--event-type=Table_map", *options).status == 0
        with (tmp_path / "binlog.000001.csv").open(newline="", encoding="utf-8") as file:
            tables += [(row["table"], row["server_id"]) for row in csv.DictReader(file)]
    assert tables == [("=1+1", "1"), ("'=1+1", "1")]


def test_other_formats_need_no_apostrophes(tmp_path: Path) -> None:
    for options in ([], ["--format=jsonl"], ["--format=parquet", "--spark=local[1]"]):
        result = export("-o", tmp_path / "out", "--csv-safe", BASIC, *options)
        assert result.status == 2
        assert "--csv-safe requires --format=csv." in result.err
    assert not list(tmp_path.iterdir())


def test_an_index_file_and_a_choice_of_rows_and_columns(tmp_path: Path, utc: None) -> None:
    result = export(
        f"--index={SERIES}/binlog.index",
        "--format=jsonl",
        "--view=rows",
        "--columns=TABLE,after",
        "--database=shop,mf",
        "--start-datetime=2020-01-01 00:00:00",
        "--output-dir",
        tmp_path,
    )
    assert result.status == 0
    logs = sorted(path for path in SERIES.iterdir() if path.suffix[1:].isdigit())
    names = {"@1": "id", "@2": "v"}  # of its CREATE TABLE, in the first log
    wanted = [
        {"table": row["table"], "after": row["after"] and {names[key]: text for key, text in row["after"].items()}}
        for row in view(logs, "rows")
        if row["database"] in ("shop", "mf")
    ]
    assert [row for path in sorted(tmp_path.iterdir()) for row in lines(path)] == wanted


def test_damage_is_an_error_and_recover_continues(tmp_path: Path) -> None:
    result = export("--view=rows", "--format=jsonl", "--allow-gaps", "-o", tmp_path, DAMAGED, BASIC)
    assert result.status == 1
    assert "at 1985: the checksum of the event" in result.err
    assert any(line.endswith("--recover continues after the damage.") for line in result.err.splitlines())
    basic = tmp_path / "binlog.000001.part-00001.jsonl"
    assert len(lines(basic)) == len(view([BASIC / "binlog.000001"], "rows"))
    short = len(lines(tmp_path / "binlog.000001.part-00000.jsonl"))
    result = export("--view=rows", "--format=jsonl", "--recover", "--allow-gaps", "-o", tmp_path, DAMAGED, BASIC)
    assert result.status == 1
    assert result.err.startswith("WARNING: ")
    assert "50 bytes are skipped" in result.err
    assert len(lines(tmp_path / "binlog.000001.part-00000.jsonl")) > short


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "no log is given"),
        (["x"], "--output-dir (-o) is required"),
        (["-o", "out", "-", "-"], "standard input can be read only once"),
        (["-o", "out", "--columns=nothing", "x"], "the view events has no column 'nothing'; they are file, position"),
        (["-o", "out", "--columns=file,FILE", "x"], "--columns names a column twice"),
        (["-o", "out", "--event-type=Qeury", "x"], "'Qeury' is not an event type"),
        (["-o", "out", "--table=a.b.c", "x"], "'a.b.c' is not a table"),
        (["-o", "out", "--format=xml", "x"], "--format: 'xml' is not one of 'parquet', 'csv', 'jsonl'"),
        (["-o", "out", "--view=all", "x"], "--view: 'all' is not one of"),
        (["-o", "out", "--include-gtids=x", "x"], "--include-gtids: 'x' is neither a server's UUID nor a GTID of"),
        (["-o", "out", "--start-datetime=tomorrow", "x"], "--start-datetime: 'tomorrow' is not a date and time"),
        (["-o", "out", "--part-size=1M", "x"], "--part-size no longer exists"),
        (["-o", "out", "--ddl", "x"], "--ddl requires --view=rows."),
        (
            ["-o", "out", "--view=table", "--table=a.b", "--partition-by=date", "x"],
            "--partition-by cannot be used with --view=table.",
        ),
        (["-o", "out", "--view=table", "x"], "--view=table requires --table=DATABASE.TABLE, given once."),
        (["-o", "out", "--view=table", "--table=a.b", "--table=a.c", "x"], "--view=table requires --table"),
        (["-o", "out", "--view=table", "--table=a.b", "-"], "--view=table cannot be used with standard input"),
        (["-o", "out", "--view=rows", "--zero-dates=null", "x"], "--zero-dates requires --view=table."),
        (["-o", "out", "--view=rows", "--invalid-text=null", "x"], "--invalid-text requires --view=table."),
        (["-o", "out", "--committed", "--view=events", "x"], "--committed requires --view=rows or --view=table."),
        (
            ["-o", "out", "--committed", "--view=rows", "-"],
            "standard input, which can be read only once: write the log to",
        ),
    ],
)
def test_wrong_usage(arguments: list[str], sentence: str) -> None:
    result = export(*arguments)
    assert result.status == 2
    assert result.err.startswith("ERROR: ")
    assert sentence in result.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["/nowhere"], "/nowhere: cannot be opened: no such file or directory"),
        (["--view=table", "--table=x.y", str(BASIC)], "these logs have no rows of the table"),
        (["--view=table", "--table=*.*", str(FULL)], "meta.signed_t and meta.inv are two tables. Name one"),
    ],
)
def test_what_cannot_be_done(arguments: list[str], sentence: str, tmp_path: Path) -> None:
    result = export("-o", tmp_path, *arguments)
    assert result.status == 1
    assert sentence in result.err


@pytest.mark.parametrize("where", ["a folder", "one file", "standard output"])
@pytest.mark.parametrize("name", ["mysql-9.7/xa", "mysql-9.7/xa-nogtid", "mariadb-10.11/xa"])
def test_committed_rows_are_those_whose_xa_transaction_was_not_rolled_back(
    name: str, where: str, tmp_path: Path
) -> None:
    log = min(path for path in folder(name).iterdir() if path.suffix[1:].isdigit())
    transactions = view([log], "transactions")
    gone = {row["xa_xid"] for row in transactions if row["ended"] == "xa rollback"}
    known = {row["xa_xid"] for row in transactions if row["ended"] in ("xa commit", "xa rollback")}
    unknown = {row["xa_xid"] for row in transactions if row["ended"] == "xa prepare"} - known
    whole = view([log], "rows", ddl=True)
    wanted = [row for row in whole if row["xa_xid"] not in gone]
    assert len(wanted) < len(whole)

    outputs = {"a folder": str(tmp_path), "one file": str(tmp_path / "rows.jsonl"), "standard output": "-"}
    result = export("--view=rows", "--committed", "--ddl", "--format=jsonl", "-o", outputs[where], log)
    assert result.status == 0
    written = tmp_path / ("rows.jsonl" if where == "one file" else f"{log.name}.jsonl")
    if where == "standard output":
        written.write_bytes(result.out)
    found = lines(written)
    places = ("transaction_position", "event", "row", "operation", "query")
    assert [[row[name] for name in places] for row in found] == [[row[name] for name in places] for row in wanted]
    warning = f"WARNING: the logs do not say what became of {len(unknown)} XA transaction"
    assert (warning in result.err) == bool(unknown)


def test_committed_says_of_how_many_transactions_the_outcome_is_not_there(tmp_path: Path) -> None:
    logs = sorted(path for path in folder("mysql-9.7/xa").iterdir() if path.suffix[1:].isdigit())
    alone, together = (
        export("--view=rows", "--committed", "--format=csv", "-o", tmp_path, *names) for names in (logs[:1], logs)
    )
    sentence = "WARNING: the logs do not say what became of 2 XA transactions: rows of such transactions are kept.\n"
    assert alone.err.startswith(sentence)
    assert "WARNING" not in without_remark(together.err)
    assert (alone.status, together.status) == (0, 0)


def test_committed_refuses_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    result = export("--view=rows", "--committed", "-o", tmp_path / "out", pipe)
    assert result.status == 2
    assert f"--committed cannot be used with {pipe}, which can be read only once" in result.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_table_as_text_needs_its_own_columns_only(format: str, tmp_path: Path) -> None:
    names = ("e1", "s1", "e2", "_op")
    arguments = ("--view=table", "--table=meta.es", f"--columns={','.join(names)}", f"--format={format}")
    assert export(*arguments, "-o", tmp_path, FULL / "binlog.000001").status == 0
    text = (tmp_path / f"binlog.000001.{format}").read_text(encoding="utf-8").splitlines()
    wanted = {
        "csv": ['"e1","s1","e2","_op"', '"it\'s","[""x"",""z z""]","l1","INSERT"', ',"[]",,"INSERT"'],
        "jsonl": [
            '{"e1":"it\'s","s1":["x","z z"],"e2":"l1","_op":"INSERT"}',
            '{"e1":null,"s1":[],"e2":null,"_op":"INSERT"}',
        ],
    }[format]
    assert text[: len(wanted)] == wanted


def test_a_table_as_parquet(tmp_path: Path) -> None:
    import pyarrow.parquet

    assert export("--view=table", "--table=meta.signed_t", "-o", tmp_path, FULL / "binlog.000001").status == 0
    table = pyarrow.parquet.read_table(tmp_path / "binlog.000001.parquet")
    assert [str(table.schema.field(place).type) for place in range(8)] == [
        *("int8", "uint8", "uint16", "int32", "uint64", "float", "double", "decimal128(5, 1)")
    ]
    assert [table.column(name)[0].as_py() for name in ("a", "e", "g")] == [-1, 18446744073709551615, -2.5]


def test_what_is_wrong_with_a_table_leaves_the_rows_before_it(tmp_path: Path) -> None:
    arguments = ("--view=table", "--format=jsonl", "-o", tmp_path, DAMAGED / "binlog.000001")
    result = export("--table=inuse.t", *arguments)
    assert result.status == 1
    assert "at 1985: the checksum of the event" in result.err
    assert lines(tmp_path / "binlog.000001.jsonl")


def test_help_shows_every_option_and_examples() -> None:
    from pybinlog.cli.commands.export import export as export_command
    from pybinlog.cli.topics import TOPICS

    helps = [real("export", "--help"), *(real("help", topic) for topic in TOPICS)]
    text = "".join(result.out.decode() for result in helps)
    assert [option.name for option in export_command.options if f"--{option.name}" not in text] == []
    assert "pybinlog export -o out binlog.000001" in text


@pytest.mark.parametrize(
    ("arguments", "fits"),
    [
        (["--table=cust*"], lambda row: row["table"].startswith("cust")),
        (["--ignore-table=shop.customer"], lambda row: row["table"] != "customer"),
        (["--database=s?op"], lambda row: True),
        (["--ignore-database=shop"], lambda row: False),
        (["--operation=update,delete"], lambda row: row["operation"] in ("UPDATE", "DELETE")),
        (["--server-id=7"], lambda row: False),
        (["--server-id=1", "--server-id=7"], lambda row: True),
        (["--thread-id=10"], lambda row: True),
        (["--thread-id=11"], lambda row: False),
        (["--start-position=2000", "--stop-position=3500"], lambda row: 2000 <= row["position"] < 3500),
        (["--exclude-gtids=1bcbbf4c-e549-11f1-88f4-02fc00000001:1-5"], lambda row: int(row["gtid"].split(":")[1]) > 5),
        (
            ["--event-type=Write_rows", "--table=orders"],
            lambda row: (row["operation"], row["table"]) == ("INSERT", "orders"),
        ),
    ],
)
def test_the_filters_of_the_dump_choose_rows(
    arguments: list[str], fits: Callable[[dict[str, Any]], bool], tmp_path: Path
) -> None:
    log = BASIC / "binlog.000001"
    assert export("--view=rows", "--format=jsonl", "-o", tmp_path, *arguments, log).status == 0
    wanted = [row["position"] for row in view([log], "rows") if fits(row)]
    assert [row["position"] for row in lines(tmp_path / "binlog.000001.jsonl")] == wanted


def columns_of_rows(path: Path) -> set[tuple[str, str]]:
    """The tables and columns that rows name, as JSON lines."""
    found = set()
    for row in lines(path):
        image = row["after"] or row["before"]
        assert isinstance(image, dict)
        found |= {(str(row["table"]), key) for key in image}
    return found


def bare_logs(server: str, folder: Path) -> list[Path]:
    """Two logs of that server that name no columns; the second changes tables of the first."""
    made = []
    for number in (1, 2):
        path = folder / f"binlog.00000{number}"
        path.write_bytes(bare_log(DUMPS / server / path.name))
        made.append(path)
    return made


def test_names_come_from_statements_of_the_log_and_of_the_log_before_it(tmp_path: Path) -> None:
    first, second = bare_logs("mysql-9.7", tmp_path)
    out = tmp_path / "out"
    result = export("--view=rows", "--format=jsonl", "-o", out, first, second)
    assert (result.status, result.err) == (0, "18 rows in 2 files.\n")
    assert ("customer", "alias") in columns_of_rows(out / "binlog.000002.jsonl")
    assert export("--view=rows", "--format=jsonl", "--force", "-o", out, second).status == 0
    assert ("customer", "@1") in columns_of_rows(out / "binlog.000002.jsonl")


def test_a_dump_gives_names_to_a_log_that_has_none(tmp_path: Path) -> None:
    second = bare_logs("mysql-9.7", tmp_path)[1]
    schema = DUMPS / "mysql-9.7" / "shop.sql"
    result = export("--view=rows", "--format=jsonl", "--schema", schema, "-o", tmp_path / "out", second)
    assert (result.status, result.err) == (0, "13 rows in 1 file.\n")
    found = columns_of_rows(tmp_path / "out" / "binlog.000002.jsonl")
    assert ("customer", "alias") in found
    assert not [key for _, key in found if key.startswith("@")]


def test_a_dump_of_other_tables_is_warned_of_once_and_the_rows_come(tmp_path: Path) -> None:
    second = bare_logs("mysql-9.7", tmp_path)[1]
    schema = tmp_path / "shop.sql"
    schema.write_text("USE shop;\nCREATE TABLE customer (id INT);\n", encoding="utf-16")
    result = export("--view=rows", "--format=jsonl", "--schema", schema, "-o", tmp_path / "out", second)
    assert result.status == 0
    assert result.err.endswith("13 rows in 1 file.\n")
    assert result.err.count("WARNING:") == result.err.count("shop.customer") == 1
    assert "have no names from here on" in result.err


def test_schemas_that_are_none(tmp_path: Path) -> None:
    schema = tmp_path / "x.sql"
    rows: list[str | Path] = ["--view=rows", "--format=jsonl", "-o", tmp_path / "out", BASIC / "binlog.000001"]
    wrong = {
        "SET NAMES utf8mb4;": "no CREATE TABLE statement is in it",
        "CREATE TABLE t (a INT);": "line 1: the table t has no database",
    }
    for text, expected in wrong.items():
        schema.write_text(text)
        result = export("--schema", schema, *rows)
        assert result.status == 1
        assert f"{schema}: {expected}" in result.err
    schema.unlink()
    assert "cannot be read" in export("--schema", schema, *rows).err
    requires = "--schema requires --view=transactions or --view=rows or --view=table."
    assert requires in export("--schema", schema, *rows, "--view=events").err
    assert "--schema requires --where." in export("--schema", schema, *rows, "--view=transactions").err
    assert not (tmp_path / "out").exists()
