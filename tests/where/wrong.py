"""Writes the messages of wrong_conditions.toml again: `python -m tests.where.wrong`; look at the difference."""

import json
import sys
import warnings
from pathlib import Path

import pybinlog
from pybinlog.errors import BinlogError
from tests.where.answers import FOLDER

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = Path(__file__).with_name("wrong_conditions.toml")


def message(condition: str, log: str = "mysql.000001") -> str:
    """Return the library's sentence about a condition on a log; nothing if it accepts it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for _ in pybinlog.open(str(FOLDER / log)).rows(where=condition):
                pass
        except BinlogError as error:
            return str(error).replace(f"{FOLDER}/", "")
    return ""


def wrong() -> list[dict[str, str]]:
    """The conditions of the file."""
    found: list[dict[str, str]] = tomllib.loads(FILE.read_text())["wrong"]
    return found


def main() -> None:
    text = FILE.read_text()
    head = text[: text.index("[[wrong]]")]
    parts = []
    for each in wrong():
        log = each.get("log", "mysql.000001")
        lines = [f"condition = {json.dumps(each['condition'], ensure_ascii=False)}"]
        lines += [f'log = "{log}"'] if "log" in each else []
        lines.append(f"says = {json.dumps(message(each['condition'], log), ensure_ascii=False)}")
        parts.append("[[wrong]]\n" + "\n".join(lines) + "\n")
    FILE.write_text(head + "\n".join(parts))


if __name__ == "__main__":
    main()
