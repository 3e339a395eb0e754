"""Make the site of these pages: README is its first page, each command has a page, and llms.txt lists them all.

python docs/site_pages.py build/site          (`make site`; it needs mkdocs-material)

The build is strict: a link to a page, a heading or a picture that does not exist ends it with status 1.
"""

from __future__ import annotations

import logging
import re
import shutil
import sys
import tempfile
from pathlib import Path

from pybinlog.cli.overview import ABOUT
from pybinlog.cli.program import COMMANDS, GROUPS, command_named

PROJECT = Path(__file__).resolve().parent.parent
GUIDES = {
    "Start": ["index", "recipes", "questions", "comparison"],
    "Read": [
        "boundaries",
        "filters",
        "rows",
        "events",
        "find",
        "summary",
        "stats",
        "report",
        "asof",
        "sql",
        "export",
        "views",
        "who",
    ],
    "Check and change": [
        "check",
        "check-transactions",
        "check-files",
        "tag",
        "undo",
        "redact",
        "diff",
        "simulate",
        "simulate-model",
    ],
    "Servers and archives": ["live", "mirror", "serve", "recover", "encryption", "cdc"],
    "Library and Spark": ["library", "spark", "spark-figures"],
}
"""The pages of each part of the menu. Pages that no part names stand under "More"."""

SUMMARIES = {name: text for group in GROUPS.values() for name, text in group.items()}


def write_sources(folder: Path) -> None:
    """Write the pages as the site has them into a folder: links between them need no `docs/`."""
    shutil.copytree(
        PROJECT / "docs", folder, ignore=shutil.ignore_patterns("*.py", "site.yml", "*.dot", "man", "__pycache__")
    )
    for path in folder.glob("*.md"):
        path.write_text(path.read_text(encoding="utf-8").replace("](../", "]("), encoding="utf-8")
    for name, page in (("README", "index"), ("CHANGELOG", "CHANGELOG"), ("CONTRIBUTING", "CONTRIBUTING")):
        text = (PROJECT / f"{name}.md").read_text(encoding="utf-8")
        text = re.sub(r"\[([^\]]+)\]\(testdata/[^)]*\)", r"\1", text)  # no page, so it has no place on the site
        (folder / f"{page}.md").write_text(text.replace("](docs/", "]("), encoding="utf-8")
    shutil.copy(PROJECT / "LICENSE", folder / "LICENSE")
    (folder / "commands").mkdir()
    for name in COMMANDS:
        (folder / f"commands/{name}.md").write_text(command_page(name, folder), encoding="utf-8")
    (folder / "llms.txt").write_text(overview(folder), encoding="utf-8")


def command_page(name: str, folder: Path) -> str:
    """Return the page of a command: its help, and the guide that has its name."""
    command = command_named(name)
    guide = folder / f"{name}.md"
    text = f"# pybinlog {name}\n\n{prose(command.about)}\n\n```text\npybinlog {command.synopsis}\n```\n"
    if guide.exists():
        text += f"\nThe guide: [{title_of(guide)}](../{name}.md).\n"
    for title, example in command.examples.items():
        text += f"\n## {title}\n\n```console\n{example.strip()}\n```\n"
    for title, declared in command.sections.items():
        text += f"\n## {title}\n\n| option | what it does |\n|---|---|\n"
        for option in declared:
            spelling, words = option.help_record()
            text += f"| `{spelling.strip()}` | {cell(words)} |\n"
    return text


def prose(text: str) -> str:
    """Return a text of the program as Markdown that shows the same characters."""
    return re.sub(r"([*_<>\[\]`])", r"\\\1", text)


def cell(text: str) -> str:
    return prose(text).replace("|", "\\|").replace("\n", " ")


def title_of(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def overview(folder: Path) -> str:
    """Return llms.txt: what pybinlog is, and a line for each page."""
    about = ABOUT.partition("\n\n")[0].replace("\n", " ")
    text = f"# pybinlog\n\n> {about}\n\n## Guides\n\n"
    guides = [page for pages in menu(folder).values() for page in pages]
    text += "".join(f"- [{title_of(folder / f'{page}.md')}]({page}.md)\n" for page in guides)
    text += "\n## Commands\n\n"
    return text + "".join(f"- [pybinlog {name}](commands/{name}.md): {SUMMARIES[name]}\n" for name in COMMANDS)


def menu(folder: Path) -> dict[str, list[str]]:
    """Return the pages of each part; none is left out."""
    named = {page for pages in GUIDES.values() for page in pages}
    return {**GUIDES, "More": sorted(path.stem for path in folder.glob("*.md") if path.stem not in named)}


def build(target: Path) -> None:
    """Build the site into a folder."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    from mkdocs.commands.build import build as build_site
    from mkdocs.config import load_config

    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder) / "docs"
        write_sources(sources)
        parts: list[dict[str, list[str]]] = [
            {part: [f"{page}.md" for page in pages]} for part, pages in menu(sources).items()
        ]
        parts.insert(1, {"Commands": [f"commands/{name}.md" for name in COMMANDS]})
        folders = {"docs_dir": str(sources), "site_dir": str(target.resolve())}
        build_site(load_config(str(PROJECT / "docs/site.yml"), nav=parts, strict=True, **folders))


if __name__ == "__main__":
    build(Path(sys.argv[1]))
