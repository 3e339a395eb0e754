"""The page: one file of HTML with its data, pictures and programs, which needs no network."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from pybinlog.report.vega import chart, require_jinja, require_vl_convert, text_of

CHARTS = ("activity", "operations", "strip", "lag", "parallelism", "sizes")
LIBRARIES = "window.vegaEmbed = vegaEmbed;"
MANY = 1000
"""Seconds from which a page shows no fractions."""


def require_packages() -> None:
    """Raise NotInstalledError if a package that makes pages is not installed."""
    require_vl_convert()
    require_jinja()


def page(
    facts: Mapping[str, Any],
    *,
    title: str,
    version: str,
    overview: Sequence[tuple[str, str]],
    warnings: Sequence[str],
    commands: Mapping[str, str],
    masked: bool,
    utc: bool,
) -> str:
    """Return the page. Times are shown in the reader's time zone, or in UTC.

    A command may contain `{window}`, for the options that choose a window of time.
    """
    jinja = require_jinja()
    environment = jinja.Environment(autoescape=True, trim_blocks=True, undefined=jinja.StrictUndefined)
    template = environment.from_string(text_of("page.html"))
    data = {**facts, "utc": utc, "commands": commands, "charts": {name: chart(name) for name in CHARTS}}
    most = max((one["rows"] + one["unlogged"] for one in facts["statements"]), default=0)
    statements = [
        {**one, "share": round(100 * (one["rows"] + one["unlogged"]) / most, 1)} for one in facts["statements"]
    ]
    rounds = facts["rounds"]
    text: str = template.render(
        facts={**facts, "statements": statements},
        title=title,
        version=version,
        overview=overview,
        warnings=warnings,
        commands={name: text.replace("{window}", "") for name, text in commands.items()},
        masked=masked,
        average=f"{facts['transactions'] / rounds:,.1f}" if rounds else "",
        whole_seconds=not facts["knows_lag"],
        number=number,
        seconds=seconds,
        data=script_safe(json.dumps(data, separators=(",", ":"), ensure_ascii=True)),
        style=text_of("page.css"),
        script=text_of("page.js"),
        libraries=libraries(),
    )
    return text


@cache
def libraries() -> str:
    """Return the libraries that draw the pictures, as one script."""
    return script_safe_code(require_vl_convert().javascript_bundle(LIBRARIES))


def script_safe(text: str) -> str:
    """Return JSON that cannot end its script element, whatever names it contains."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def script_safe_code(text: str) -> str:
    """Return JavaScript whose strings cannot end its script element."""
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def number(value: int | None) -> str:
    return "not known" if value is None else f"{value:,}"


def seconds(value: float | None) -> str:
    if value is None:
        return "not known"
    return f"{value:,.0f}" if value >= MANY else f"{value:,.3f}".rstrip("0").rstrip(".")
