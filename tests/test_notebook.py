"""docs/notebook.ipynb: each cell gives what the notebook shows."""

import re
from typing import Any

import pytest

from tests.corpus import PROJECT
from tests.notebook import code_cells, read, run

SVG = "image/svg+xml"


def test_each_cell_gives_what_the_notebook_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("duckdb", "pyarrow", "vl_convert"):
        pytest.importorskip(package)
    monkeypatch.chdir(PROJECT / "docs")
    cells = code_cells(read())
    pictures = 0
    for cell, found in zip(cells, run(cells), strict=True):
        shown = cell["outputs"]
        for outputs in (shown, found):
            for output in outputs:
                if SVG in output.get("data", {}):
                    output["data"][SVG] = bars(output["data"][SVG])
                    pictures += len(output["data"][SVG])
        assert found == shown, "".join(cell["source"])
    assert len(cells) >= 6
    assert pictures > 0


def bars(picture: list[str]) -> list[Any]:
    """Return what a picture says of its bars; fonts and sizes differ with the package that draws it."""
    return sorted(re.findall(r'aria-label="([^"]*changes: [^"]*)"', "".join(picture)))
