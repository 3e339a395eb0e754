"""`pybinlog report`: one page, without values; its numbers are those of the other commands."""

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Result, real
from tests.corpus import TESTDATA

pytest.importorskip("vl_convert")
pytest.importorskip("jinja2")

SHOP = sorted(str(path) for path in (TESTDATA / "shop").glob("binlog.0*"))
CORPUS = TESTDATA / "corpus"
HOSTILE = sorted(str(path) for path in (TESTDATA / "more" / "hostile-names").glob("*bin*.0*"))


def page_of(*arguments: str) -> str:
    found = real("report", "-o", "-", *arguments)
    assert found.status == 0, found.err
    return found.out.decode()


def facts_in(page: str) -> dict[str, Any]:
    (text,) = re.findall(r'<script type="application/json" id="facts">(.*?)</script>', page, re.DOTALL)
    facts: dict[str, Any] = json.loads(text)
    return facts


def commands_in(page: str) -> list[str]:
    from html import unescape

    return [unescape(text) for text in re.findall(r"<code[^>]*>(pybinlog .*?)</code>", page)]


def jsonl(*arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in real(*arguments, "--format=jsonl").out.splitlines()]


def without_libraries(page: str) -> str:
    """Return the page without the programs and styles that are the same on each."""
    return max(re.split(r"<script>.*?</script>|<style>.*?</style>", page, flags=re.DOTALL), key=len)


def test_sums_of_the_page_are_those_of_stats() -> None:
    facts = facts_in(page_of(*SHOP))
    by_table = {facts["tables"][place]: [0] * 5 for _, place, *_ in facts["changes"]}
    for _, place, *changes in facts["changes"]:
        by_table[facts["tables"][place]] = [
            before + more for before, more in zip(by_table[facts["tables"][place]], changes, strict=True)
        ]
    names = ("inserts", "updates", "deletes", "statements", "bytes")
    expected = {
        row["table"] or "(no table)": [row[name] for name in names]
        for row in jsonl("stats", "--by=table", "--columns=all", *SHOP)
    }
    assert by_table == expected
    assert sum(count for _, count, *_ in facts["commits"]) == len(jsonl("transactions", *SHOP))


def test_the_page_needs_no_network_and_allows_none() -> None:
    page = page_of(*SHOP)
    assert "default-src 'none'" in page
    own = without_libraries(page)
    assert not re.findall(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"(?!data:)", own)


def test_no_value_of_a_row_is_on_the_page() -> None:
    values = set()
    for row in jsonl("rows", *SHOP):
        for image in (row["before"], row["after"]):
            values |= {value for value in (image or {}).values() if isinstance(value, str) and len(value) > 3}
    own = without_libraries(page_of(*SHOP))
    assert len(values) > 3
    assert [value for value in values if re.search(rf"\b{re.escape(value)}\b", own)] == []


@pytest.mark.parametrize("logs", [SHOP, [str(CORPUS / "mysql-9.7" / "statement" / "binlog.000001")]], ids=len)
def test_masked_names_are_nowhere_on_the_page(logs: list[str]) -> None:
    names = {row["table"] for row in jsonl("stats", "--by=table", *logs) if row["table"]}
    words = {word for name in names for word in name.split(".")}
    plain, masked = without_libraries(page_of(*logs)), page_of("--mask-names", f"--table={','.join(names)}", *logs)
    own = without_libraries(masked)
    folders = {part for log in logs for part in Path(log).parts}
    assert names
    for word in words - folders:
        assert re.search(rf"\b{word}\b", plain)
        assert not re.search(rf"\b{word}\b", own), word
    assert "table 1" in facts_in(masked)["tables"]


def test_hostile_names_end_no_element() -> None:
    page = page_of(*HOSTILE)
    assert facts_in(page)["tables"]
    own = without_libraries(page)
    assert page.count("</script>") == 3
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", own)


def test_every_command_of_the_page_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(TESTDATA / "shop")
    found = commands_in(page_of("--operation=insert,update,delete,ddl", "--utc", *(Path(log).name for log in SHOP)))
    assert len(found) > 15
    for line in dict.fromkeys(found):
        words = shlex.split(line)[1:]
        if words[0] == "report":
            continue
        assert real(*words).status == 0, line
    assert any("--operation=insert,update,delete,ddl" in line for line in found)


def test_logs_of_an_index_are_in_every_command(tmp_path: Path) -> None:
    index = str(TESTDATA / "shop" / "binlog.index")
    for line in commands_in(page_of(f"--index={index}")):
        words = shlex.split(line)[1:]
        assert f"--index={index}" in words or words[0] == "-vv"
        if words[0] == "check":
            assert real(*words).status == 0


def test_a_missing_package_is_said_with_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for package in ("vl_convert", "jinja2"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, package, None)
            found = real("report", "-o", str(tmp_path / "report.html"), *SHOP)
        assert (found.status, found.out) == (2, b"")
        assert re.search(r"pip install .*'vl-convert-python.*Jinja2|with its extra 'report'", found.err)
    assert list(tmp_path.iterdir()) == []


def test_the_page_replaces_no_log(tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    log.write_bytes(Path(SHOP[0]).read_bytes())
    for arguments in ([str(log)], ["--force", str(log)]):
        found = real("report", "-o", str(log), *arguments)
        assert found.status == 2
        assert "would overwrite the log" in found.err
    other = tmp_path / "other.000001"
    other.write_bytes(log.read_bytes())
    assert "--force" in real("report", "-o", str(other), str(log)).err
    assert other.read_bytes() == log.read_bytes() == Path(SHOP[0]).read_bytes()
    assert real("report", "--force", "-o", str(other), str(log)).status == 0
    assert other.read_bytes().startswith(b"<!doctype html>")


def test_a_damaged_log_leaves_no_page_unless_the_damage_is_skipped(tmp_path: Path) -> None:
    damaged, page = str(CORPUS / "mysql-9.7" / "damaged-body" / "binlog.000001"), tmp_path / "report.html"
    found = real("report", "-o", str(page), damaged)
    assert found.status == 1
    assert "--recover" in found.err
    assert list(tmp_path.iterdir()) == []
    found = real("report", "--recover", "-o", str(page), damaged)
    assert found.status == 0
    assert "are skipped" in found.err
    assert "are skipped" in page.read_text()


def told(logs: list[str]) -> dict[str, bool]:
    page = page_of(*logs)
    return {
        "lag": "do not tell the commit lag" not in page,
        "parallelism": "do not tell which transactions" not in page,
        "statements": "do not contain the statements of their rows" not in page,
        "unlogged": "statements changed rows, or may have" in page,
    }


def test_what_logs_do_not_tell_is_said() -> None:
    def log(name: str) -> list[str]:
        return [str(path) for path in sorted((CORPUS / name).glob("*bin*.0*"))]

    assert told(log("mysql-9.7/row-basic")) == {
        "lag": True, "parallelism": True, "statements": False, "unlogged": False,
    }  # fmt: skip
    assert told(log("mariadb-10.11/annotate")) == {
        "lag": False, "parallelism": False, "statements": True, "unlogged": False,
    }  # fmt: skip
    assert told(log("mysql-9.7/statement"))["unlogged"]


def test_a_missing_log_stands_on_the_page(tmp_path: Path) -> None:
    for place in (0, 2):
        (tmp_path / Path(SHOP[place]).name).write_bytes(Path(SHOP[place]).read_bytes())
    refused = real("report", "-o", "-", str(tmp_path))
    assert (refused.status, "--allow-gaps" in refused.err) == (1, True)
    (gap,) = facts_in(page_of("--allow-gaps", str(tmp_path)))["gaps"]
    assert gap["begin"] <= gap["end"]
    assert "binlog.000003" in gap["sentence"]


def test_standard_input_is_read_once() -> None:
    found: Result = real("report", "-o", "-", "-", stdin=Path(SHOP[0]).read_bytes())
    assert found.status == 0
    piped, named = facts_in(found.out.decode()), facts_in(page_of(SHOP[0]))
    assert piped["changes"] == named["changes"]
    assert len(piped["ddl"]) == len(named["ddl"]) > 0


def test_the_file_must_be_named() -> None:
    found = real("report", *SHOP)
    assert found.status == 2
    assert "--output=report.html" in found.err
