"""A real Chromium, driven by its DevTools over a pipe: no other package is needed."""

import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
AT_3_AND_4 = """import fcntl, os, sys
_, commands, answers, *program = sys.argv
high = [fcntl.fcntl(int(pipe), fcntl.F_DUPFD, 10) for pipe in (commands, answers)]
for place, pipe in enumerate(high, 3):
    os.dup2(pipe, place)
os.execvp(program[0], program)"""
"""A program that puts two pipes where Chromium looks for them, and becomes Chromium."""
PATIENCE = 60
"""Seconds after which a browser that does not answer is taken for broken."""


class Browser:
    """Chromium without a window, with one page. `requests` has the addresses that the page requested."""

    def __init__(self, program: str, folder: Path):
        to_browser, self._commands = os.pipe()
        self._answers, from_browser = os.pipe()
        arguments = [
            *("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"),
            *("--remote-debugging-pipe", "--disable-dev-shm-usage", f"--user-data-dir={folder}"),
        ]
        self._process = subprocess.Popen(
            [sys.executable, "-c", AT_3_AND_4, str(to_browser), str(from_browser), program, *arguments, "about:blank"],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._rest = b""
        self._number = 0
        self._session: str | None = None
        self.requests: list[str] = []
        self.faults: list[str] = []
        pages = self.call("Target.getTargets")["targetInfos"]
        target = next(page["targetId"] for page in pages if page["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._commands)
        os.close(self._answers)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            if answer.get("method") == "Network.requestWillBeSent":
                self.requests.append(answer["params"]["request"]["url"])
            elif answer.get("method") == "Runtime.exceptionThrown":
                self.faults.append(json.dumps(answer["params"]["exceptionDetails"]))

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            data = os.read(self._answers, 1 << 16)
            assert data, "Chromium has ended"
            self._rest += data
        message, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def screen(self, width: int, height: int = 800, *, dark: bool = False, phone: bool = False) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)
        self.call("Emulation.setTouchEmulationEnabled", enabled=phone)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def visit(self, address: str) -> None:
        """Open a page and wait until it is loaded."""
        self.call("Page.navigate", url=address)
        self.wait(f"location.href == {json.dumps(address)} && document.readyState == 'complete'")

    def open(self, page: Path) -> None:
        """Open a report and wait until its pictures are drawn."""
        self.visit(page.as_uri())
        self.wait("document.documentElement?.dataset.ready")
        self.run("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")

    def run(self, code: str) -> Any:
        """Return the value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, code: str) -> Any:
        """Wait until an expression is true."""
        begun = time.monotonic()
        while not (value := self.run(code)):
            assert time.monotonic() - begun < PATIENCE, f"{code}; {self.faults}"
            time.sleep(0.05)
        return value

    def drag(self, selector: str, begin: float, end: float, *, touch: bool = False) -> None:
        """Drag over the plot of a picture, between two parts of its width; with `touch`, as a finger does."""
        place = self.run(
            f"(() => {{ const all = document.querySelector({json.dumps(selector)}); all.scrollIntoView(); "
            "const box = all.querySelector('.background').getBoundingClientRect(); "
            "return [box.x, box.y, box.width, box.height]; })()"
        )
        left, top, width, height = place
        y = top + height / 2
        points = [left + width * (begin + (end - begin) * part / 4) for part in range(5)]
        if touch:
            for kind, x in zip(("touchStart", *("touchMove",) * 4), points, strict=True):
                self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y}])
            self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            return
        self._mouse("mouseMoved", points[0], y)
        self._mouse("mousePressed", points[0], y, button="left", clickCount=1)
        for x in points[1:]:
            self._mouse("mouseMoved", x, y, button="left")
        self._mouse("mouseReleased", points[-1], y, button="left", clickCount=1)

    def _mouse(self, type: str, x: float, y: float, **more: Any) -> None:
        self.call("Input.dispatchMouseEvent", type=type, x=x, y=y, **more)

    def picture(self, top: int = 0, height: int | None = None) -> bytes:
        """Return the page, or a part of it, as PNG."""
        height = height or self.run("document.documentElement.scrollHeight")
        width = self.run("document.documentElement.clientWidth")
        clip = {"x": 0, "y": top, "width": width, "height": height, "scale": 1}
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        return base64.b64decode(shot["data"])


@contextmanager
def chromium(folder: Path) -> Iterator[Browser]:
    """Start the Chromium of this machine; skip the test if it has none."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    browser = Browser(program, folder)
    try:
        yield browser
    finally:
        browser.close()
