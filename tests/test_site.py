"""The site: its pages are the repository's, each command has one, and no link leads nowhere."""

import re
import sys
from pathlib import Path

import pytest

from pybinlog.cli.program import COMMANDS
from tests.corpus import PROJECT

sys.path.insert(0, str(PROJECT / "docs"))
site = pytest.importorskip("site_pages")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site") / "docs"
    site.write_sources(target)
    return target


def test_every_command_has_a_page_with_its_options(folder: Path) -> None:
    assert {path.stem for path in (folder / "commands").iterdir()} == set(COMMANDS)
    page = (folder / "commands/undo.md").read_text(encoding="utf-8")
    assert "| `--dry-run` | " in page
    assert "(../undo.md)" in page


def test_every_page_is_in_the_menu_and_in_llms_txt(folder: Path) -> None:
    pages = {path.stem for path in folder.glob("*.md")}
    menu = [page for part in site.menu(folder).values() for page in part]
    assert sorted(menu) == sorted(pages)
    named = re.findall(r"\]\(([^)]+)\)", (folder / "llms.txt").read_text(encoding="utf-8"))
    assert set(named) == {f"{page}.md" for page in pages} | {f"commands/{name}.md" for name in COMMANDS}


def test_links_between_pages_lead_to_files(folder: Path) -> None:
    for path in folder.rglob("*.md"):
        text = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            assert (path.parent / link).exists(), (path.name, link)
