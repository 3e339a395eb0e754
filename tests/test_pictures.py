"""The pictures of the pages: each says what its source says, and a browser shows it."""

import html
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.corpus import PROJECT

sys.path.insert(0, str(PROJECT / "docs"))
import pictures

FOLDER = PROJECT / "docs" / "pictures"
SOURCES = sorted(FOLDER.glob("*.dot"))
browser = shutil.which("chromium") or shutil.which("google-chrome")


def words(picture: Path) -> list[str]:
    """Return the texts of a picture, in no order."""
    texts = ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}text")
    return sorted(" ".join("".join(text.itertext()).split()) for text in texts)


def test_the_states_are_those_of_the_boundary_parser() -> None:
    assert (FOLDER / "states.dot").read_text() == pictures.states()
    drawn = ElementTree.parse(FOLDER / "states.svg").iter("{http://www.w3.org/2000/svg}title")
    arrows = {title.text for title in drawn if title.text is not None and "->" in title.text}
    assert arrows == {line.strip().replace(" ", "") for line in pictures.states().splitlines() if "->" in line}


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_picture_says_what_its_source_says(source: Path) -> None:
    labels = re.findall(r'label="([^"]*)"', source.read_text())
    assert labels
    assert words(source.with_suffix(".svg")) == sorted(line for label in labels for line in label.split(r"\n"))


@pytest.mark.parametrize("name", pictures.TERMINALS)
def test_a_terminal_shows_what_the_program_prints(name: str) -> None:
    assert words(FOLDER / f"{name}.svg") == sorted(
        " ".join(html.unescape(text).split())
        for text in re.findall(r"<text [^>]*>(.*?)</text>", pictures.terminal(name), re.DOTALL)
    )


def test_every_picture_stands_in_a_page() -> None:
    pages = "".join(path.read_text() for path in [PROJECT / "README.md", *(PROJECT / "docs").glob("*.md")])
    shown = set(re.findall(r"pictures/(\w+)\.svg\)", pages))
    assert shown == {path.stem for path in FOLDER.glob("*.svg")}


@pytest.mark.skipif(browser is None, reason="no Chromium on the path")
@pytest.mark.parametrize("picture", sorted(FOLDER.glob("*.svg")), ids=lambda path: path.stem)
def test_a_browser_shows_the_picture(picture: Path, tmp_path: Path) -> None:
    assert browser is not None
    sizes = []
    for address in ("about:blank", picture.as_uri()):
        shot = tmp_path / "shot.png"
        subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}",
             f"--screenshot={shot}", address],
            check=True, capture_output=True, timeout=120, env={**os.environ, "HOME": str(tmp_path)},
        )  # fmt: skip
        sizes.append(shot.stat().st_size)
    assert sizes[1] > 2 * sizes[0]
