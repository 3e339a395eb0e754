"""The packages that make pictures and pages, and the specifications of the pictures."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

from pybinlog.distribution import how_to_install
from pybinlog.errors import NotInstalledError

EXTRA = "report"
HERE = Path(__file__).parent


def require_vl_convert() -> ModuleType:
    """Return the module vl_convert. Raise NotInstalledError if it is not installed."""
    try:
        import vl_convert
    except ImportError as error:
        raise not_installed("vl-convert-python", error) from None
    return vl_convert


def require_jinja() -> ModuleType:
    """Return the module jinja2. Raise NotInstalledError if it is not installed."""
    try:
        import jinja2
    except ImportError as error:
        raise not_installed("Jinja2", error) from None
    return jinja2


def not_installed(package: str, error: ImportError) -> NotInstalledError:
    return NotInstalledError(f"this needs {package}, which cannot be imported ({error})", hint=how_to_install(EXTRA))


def text_of(name: str) -> str:
    """Return the text of a file of this room."""
    return (HERE / name).read_text(encoding="utf-8")


def chart(name: str) -> dict[str, Any]:
    """Return the specification of a picture."""
    found: dict[str, Any] = json.loads(text_of(f"charts/{name}.json"))
    return found
