"""docs/notebook.ipynb: run its cells, and write their results into it (`python -m tests.notebook`)."""

import ast
import io
import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from tests.corpus import PROJECT

NOTEBOOK = PROJECT / "docs" / "notebook.ipynb"
Output = dict[str, Any]


def read(path: Path = NOTEBOOK) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run(cells: list[dict[str, Any]]) -> list[list[Output]]:
    """Return the outputs of each cell, as Jupyter has them: what it prints, and its last value."""
    names: dict[str, Any] = {}
    return [outputs(number, "".join(cell["source"]), names) for number, cell in enumerate(cells, 1)]


def outputs(number: int, source: str, names: dict[str, Any]) -> list[Output]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)  # type: ignore[attr-defined]
    found: list[Output] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_svg_"):
            data = {"image/svg+xml": lines(value._repr_svg_()), **data}
        found.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return found


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def write() -> None:
    notebook = read()
    cells = code_cells(notebook)
    for number, (cell, found) in enumerate(zip(cells, run(cells), strict=True), 1):
        cell["execution_count"] = number
        cell["outputs"] = found
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
