"""docs/views.md, docs/export.md and docs/spark.md list every column and option."""

import doctest
import re
from pathlib import Path

import pytest

from pybinlog.export.job import ExportJob, targets
from pybinlog.feed.span import spans
from pybinlog.views.options import ViewOptions
from pybinlog.views.schema import TABLE, VIEWS
from pybinlog.views.view import View
from tests.cli.conftest import real
from tests.corpus import scenarios
from tests.views.expected import view as rows_of_view

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("view", VIEWS.values(), ids=lambda view: view.name)
def test_every_column_is_listed_with_its_meaning(view: View) -> None:
    text = (DOCS / "views.md").read_text(encoding="utf-8")
    _, _, section = text.partition(f"## The view `{view.name}`")
    section, _, _ = section.partition("\n## ")
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    assert rows == [
        f"| `{column.name}` | {column.kind.title} | {column.about} |" for column in (*view.columns, *view.extra)
    ]


def test_the_order_that_the_page_gives(tmp_path: Path) -> None:
    """Its statement, run by DuckDB over files of three logs in another order."""
    duckdb = pytest.importorskip("duckdb")
    text = (DOCS / "views.md").read_text(encoding="utf-8")
    (statement,) = re.findall(r"```sql\n(SELECT \* FROM 'out/.*?ORDER BY.*?)```", text, re.DOTALL)
    scenario = next(s for s in scenarios() if s.name == "mysql-9.7/multi-file")
    job = ExportJob(ViewOptions(view="rows"), "parquet", str(tmp_path))
    for target in reversed(targets(spans([str(path) for path in scenario.logs]), "parquet")):
        assert job.write(target).error is None
    found = duckdb.sql(statement.replace("out/", f"{tmp_path}/"))
    places = found.to_arrow_table().to_pylist()
    wanted = rows_of_view(scenario.logs, "rows")
    names = ("file", "transaction_position", "event", "row")
    assert [[row[name] for name in names] for row in places] == [[row[name] for name in names] for row in wanted]
    assert len({row["file"] for row in wanted}) > 1


def test_every_column_beside_those_of_a_table_is_listed_with_its_meaning() -> None:
    text = (DOCS / "export.md").read_text(encoding="utf-8")
    _, _, section = text.partition("## One table")
    rows = [line for line in section.splitlines() if line.startswith("| `_")]
    assert rows == [f"| `{column.name}` | {column.kind.title} | {column.about} |" for column in TABLE.columns]


def test_every_option_of_the_command_is_listed() -> None:
    from pybinlog.cli.commands.export import export
    from pybinlog.cli.options.option import THE_PROGRAM
    from pybinlog.cli.options.server_options import CONNECTION, FROM_SERVER

    text = (DOCS / "export.md").read_text(encoding="utf-8")
    of_servers = (DOCS / "live.md").read_text(encoding="utf-8")
    for option in export.options:
        if option in THE_PROGRAM:
            continue
        listed = of_servers if option in [*FROM_SERVER, *CONNECTION] else text
        by_letter = option.letter and re.search(rf"-{option.letter}\b", listed)
        assert by_letter or re.search(rf"--{option.name}\b", listed), option.name


def test_every_option_of_the_data_source_is_listed() -> None:
    pytest.importorskip("pyspark")
    from pybinlog.spark.data_source.source_options import OPTIONS

    text = (DOCS / "spark.md").read_text(encoding="utf-8")
    for name in OPTIONS:
        assert name in ("path", "paths") or f"| `{name}` |" in text, name


def test_the_example_of_a_footer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    found = next(found for found in scenarios() if found.name == "mysql-9.7/row-basic")
    assert real("export", "-o", str(tmp_path / "out"), str(found.logs[0])).status == 0
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "export.md").read_text(encoding="utf-8")
    examples = re.findall(r"```pycon\n(.*?)```", text, re.DOTALL)
    assert examples
    for number, example in enumerate(examples):
        test = doctest.DocTestParser().get_doctest(example, {}, f"example {number}", "export.md", None)
        assert doctest.DocTestRunner().run(test).failed == 0
