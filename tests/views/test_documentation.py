"""docs/export.md and docs/spark.md say what there is."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from pybinlog.views import VIEWS, View
from tests.cli.conftest import real
from tests.corpus import scenarios

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("view", VIEWS.values(), ids=lambda view: view.name)
def test_every_column_is_listed_with_its_meaning(view: View) -> None:
    text = (DOCS / "export.md").read_text(encoding="utf-8")
    _, _, section = text.partition(f"## The view `{view.name}`")
    section, _, _ = section.partition("\n## ")
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    assert rows == [f"| `{column.name}` | {column.kind.value} | {column.about} |" for column in view.columns]


def test_every_option_of_the_command_is_listed() -> None:
    from pybinlog.cli.options.export_options import OPTIONS
    from pybinlog.cli.options.option import THE_PROGRAM

    text = (DOCS / "export.md").read_text(encoding="utf-8")
    for option in OPTIONS:
        if option in THE_PROGRAM:
            continue
        assert f"--{option.name}" in text or f"-{option.letter} " in text, option.name


def test_every_option_of_the_data_source_is_listed() -> None:
    pytest.importorskip("pyspark")
    from pybinlog.spark.data_source.source_options import KNOWN

    text = (DOCS / "spark.md").read_text(encoding="utf-8")
    for name in KNOWN:
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
