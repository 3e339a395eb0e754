"""The page in a real Chromium: a window of time is dragged, and the numbers are those of the commands."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Browser, chromium
from tests.cli.conftest import real
from tests.corpus import TESTDATA

pytest.importorskip("vl_convert")
pytest.importorskip("jinja2")

CORPUS = TESTDATA / "corpus"
LOGS = {
    "mysql": sorted((TESTDATA / "shop").glob("binlog.0*")),
    "mariadb": sorted((CORPUS / "mariadb-10.11" / "mixed-engines").glob("*bin*.0*")),
    "hostile": sorted((TESTDATA / "more" / "hostile-names").glob("*bin*.0*")),
}
CHANGES = ("inserts", "updates", "deletes")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for name, logs in LOGS.items():
        found[name] = folder / f"{name}.html"
        made = real("report", "--utc", "-o", str(found[name]), *map(str, logs))
        assert made.status == 0, made.err
    return found


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("chromium")) as started:
        yield started


def stats(logs: list[Path], *arguments: str) -> list[dict[str, Any]]:
    found = real("stats", "--format=jsonl", "--columns=all", *arguments, *map(str, logs))
    return [json.loads(line) for line in found.out.splitlines()]


def number(text: str) -> int:
    return int(text.replace(",", ""))


def table(browser: Browser, selector: str) -> list[list[str]]:
    code = f"[...document.querySelectorAll('{selector} tr')].map((row) => [...row.cells].map((cell) => cell.innerText))"
    found: list[list[str]] = browser.run(code)
    return found


def window(browser: Browser, name: str) -> tuple[str, str]:
    first, last = browser.run(
        f"(({{ from, to }}) => [from, to])(document.querySelector('[data-window={name}]').dataset)"
    )
    return first, last


@pytest.mark.parametrize("server", ["mysql", "mariadb"])
def test_a_dragged_window_shows_the_numbers_that_stats_gives(
    browser: Browser, pages: dict[str, Path], server: str
) -> None:
    browser.screen(1200)
    browser.open(pages[server])
    whole = window(browser, "main")
    browser.drag("#chart-activity", 0.45, 0.95)
    browser.wait(f"document.querySelector('[data-window=main]').dataset.from !== {json.dumps(whole[0])}")
    first, last = window(browser, "main")
    assert whole[0] < first < last <= whole[1]
    chosen = [f"--start-datetime={first}", f"--stop-datetime={last}"]
    shown = {name: [number(cell) for cell in cells[:3]] for name, *cells in table(browser, "#sums tbody")}
    expected = {row["table"]: [row[change] for change in CHANGES] for row in stats(LOGS[server], "--by=table", *chosen)}
    with_rows = {name: changes for name, changes in expected.items() if name and any(changes)}
    assert {name: changes for name, changes in shown.items() if any(changes)} == with_rows != {}
    ((_, *total),) = table(browser, "#sums tfoot")
    assert [number(cell) for cell in total[:3]] == [sum(changes) for changes in zip(*with_rows.values(), strict=True)]
    for command in ("command-stats", "command-rows"):
        text = browser.run(f"document.getElementById('{command}').textContent")
        assert " ".join(chosen) in text
    assert browser.faults == []


def test_two_windows_are_compared(browser: Browser, pages: dict[str, Path]) -> None:
    browser.screen(1200)
    browser.open(pages["mysql"])
    before = [window(browser, name) for name in "ab"]
    assert before[0][1] == before[1][0]
    browser.drag("#chart-a", 0.02, 0.2)
    browser.drag("#chart-b", 0.3, 0.98)
    browser.wait(f"document.querySelector('[data-window=b]').dataset.from !== {json.dumps(before[1][0])}")
    rows = {name: cells for name, *cells in table(browser, "#comparison tbody")}
    for place, name in enumerate("ab"):
        first, last = window(browser, name)
        found = stats(LOGS["mysql"], "--by=table", f"--start-datetime={first}", f"--stop-datetime={last}")
        for change in CHANGES:
            assert number(rows[change][place] if change in rows else "0") == sum(row[change] for row in found)
    assert window(browser, "a") != before[0]


def test_a_finger_chooses_a_window_on_a_phone(browser: Browser, pages: dict[str, Path]) -> None:
    browser.screen(360, phone=True)
    browser.open(pages["mysql"])
    whole = window(browser, "main")
    browser.drag("#chart-activity", 0.3, 0.8, touch=True)
    browser.wait(f"document.querySelector('[data-window=main]').dataset.from !== {json.dumps(whole[0])}")
    first, last = window(browser, "main")
    assert whole[0] < first < last < whole[1]


def test_a_window_is_typed_and_stays_when_the_page_is_made_narrower(browser: Browser, pages: dict[str, Path]) -> None:
    browser.screen(1200)
    browser.open(pages["mysql"])
    first, last = window(browser, "main")
    begin = browser.run(
        "(() => { const input = document.querySelector('[data-window=main] input'); "
        "const facts = JSON.parse(document.getElementById('facts').textContent); "
        "input.value = new Date((facts.first + facts.step) * 1000).toISOString().slice(0, 19); "
        "input.dispatchEvent(new Event('change')); return input.value; })()"
    )
    assert window(browser, "main") == (f"{begin}Z", last) != (first, last)
    browser.screen(500)
    browser.run("new Promise((done) => setTimeout(done, 400))")
    assert window(browser, "main") == (f"{begin}Z", last)
    browser.run("document.querySelector('[data-window=main] .whole').click()")
    assert window(browser, "main") == (first, last)


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_fits_its_screen_and_draws_all_pictures(
    browser: Browser, pages: dict[str, Path], name: str, width: int, dark: bool
) -> None:
    browser.screen(width, dark=dark, phone=width < 600)
    browser.open(pages[name])
    assert browser.run("document.documentElement.scrollWidth") == width
    drawn = browser.run(
        "[...document.querySelectorAll('.chart')].map((chart) => [chart.id, !!chart.querySelector('svg')])"
    )
    assert [chart for chart, is_drawn in drawn if not is_drawn] == []
    assert browser.run("document.documentElement.dataset.ready") == ("dark" if dark else "light")
    back = browser.run("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, back.strip("rgb()").split(","))) < 150) == dark
    assert browser.faults == []


def test_nothing_is_requested_but_the_page(browser: Browser, pages: dict[str, Path]) -> None:
    browser.requests.clear()
    browser.screen(1200)
    browser.open(pages["mysql"])
    asked = {url for url in browser.requests if not url.startswith("data:")}
    assert asked == {pages["mysql"].as_uri()}


def test_names_run_no_script(browser: Browser, pages: dict[str, Path]) -> None:
    """Every name is text: the page has the elements of any other one."""
    browser.open(pages["hostile"])
    kinds = set(browser.run("[...document.querySelectorAll('body *')].map((element) => element.localName)"))
    browser.open(pages["mysql"])
    assert kinds <= set(browser.run("[...document.querySelectorAll('body *')].map((element) => element.localName)")) | {
        *("ul", "li", "details", "summary", "strong")
    }
    assert browser.faults == []
