"""The site in a real Chromium, at the width of a desk and of a phone: its search, its menu, and what it fetches."""

import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tests.browser import Browser, chromium
from tests.corpus import PROJECT

pytest.importorskip("material", reason="mkdocs-material is not installed (make site installs it)")
sys.path.insert(0, str(PROJECT / "docs"))
site = pytest.importorskip("site_pages")

DESK, PHONE = 1280, 390
WIDTHS = pytest.mark.parametrize("width", [DESK, PHONE])


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    site.build(folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("chromium")) as started:
        yield started


def visit(browser: Browser, address: str, width: int) -> None:
    browser.screen(width, phone=width == PHONE)
    browser.visit(address)
    browser.wait("document.querySelector('[data-md-component=search]') !== null")


@WIDTHS
def test_the_search_finds_a_command_and_leads_to_its_page(browser: Browser, address: str, width: int) -> None:
    visit(browser, address, width)
    browser.run("document.querySelector('label[for=__search]').click()")
    browser.wait("document.activeElement === document.querySelector('.md-search__input')")
    browser.call("Input.insertText", text="skip-changed")
    first = "document.querySelector('.md-search-result__link')"
    assert "undo" in browser.wait(f"{first} && {first}.href")
    browser.run(f"{first}.click()")
    assert "undo" in browser.wait(
        "location.pathname.includes('undo') && document.readyState == 'complete' && document.title.toLowerCase()"
    )


@WIDTHS
def test_the_menu_leads_to_the_page_of_a_command(browser: Browser, address: str, width: int) -> None:
    visit(browser, address, width)
    if width == PHONE:
        browser.run("document.querySelector('label[for=__drawer]').click()")
        browser.wait("document.querySelector('.md-sidebar--primary').getBoundingClientRect().x >= 0")
        entry = "[...document.querySelectorAll('.md-sidebar a')].find((a) => a.href.endsWith('commands/undo/'))"
    else:
        tab = "[...document.querySelectorAll('.md-tabs__link')].find((a) => a.innerText.trim() == 'Commands')"
        browser.run(f"{tab}.click()")
        browser.wait("location.pathname.includes('commands')")
        entry = "[...document.querySelectorAll('.md-nav__link')].find((a) => a.href && a.href.endsWith('/undo/'))"
    browser.wait(f"{entry} !== undefined")
    browser.run(f"{entry}.click()")
    assert browser.wait("document.querySelector('h1')?.innerText.includes('pybinlog undo')")
    assert "--dry-run" in browser.run("document.querySelector('article').innerText")


@WIDTHS
def test_a_page_fetches_from_its_own_server_only_and_is_as_wide_as_the_screen(
    browser: Browser, address: str, width: int
) -> None:
    browser.requests.clear()
    for page in ("", "recipes/", "undo/", "commands/rows/", "comparison/"):
        visit(browser, address + page, width)
        assert browser.run("document.documentElement.scrollWidth") <= width, page
    assert [request for request in browser.requests if not request.startswith((address, "data:"))] == []
    assert browser.faults == []
