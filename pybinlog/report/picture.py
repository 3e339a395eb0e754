"""Pictures of groups: bars over time, or a bar for each group, as SVG or PNG."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pybinlog.report.vega import chart, require_vl_convert
from pybinlog.visible import local_time, visible

FORMATS = ("svg", "png")
SCALE = 2
"""Pixels of a PNG for one of the picture."""
MOST_SERIES = 8
OTHERS = "(others)"
FEW = 10
"""Bars over time that have a label each."""
BAR_HEIGHT, MOST_HEIGHT = 22, 1200
COLORS = ["#2f6fb3", "#e08e0b", "#2f9e6e", "#b5508f", "#7a6ad8", "#c05c3b", "#4fa3a5", "#9aa4af", "#c9ced4"]


class Part(NamedTuple):
    """A part of a bar. `group` is the beginning of a time in seconds since 1970 UTC, or a name; `label` its series."""

    group: int | str
    label: str
    value: int


def picture(format: str, parts: Sequence[Part], measure: str, *, unit: int = 0, utc: bool = False) -> bytes:
    """Return a picture; the bars are in the order of their parts. Parts of 0 are left out.

    With `unit`, groups are times of so many seconds, in local time or UTC. Raise NotInstalledError without the package.
    """
    module = require_vl_convert()
    parts = [part for part in parts if part.value]
    spec = chart("picture_time" if unit else "picture_groups")
    encoding = spec["encoding"]
    encoding["y" if unit else "x"]["title"] = measure
    shown = {label: visible(label) for label in most_common(parts)}
    ranks = {label: rank for rank, label in enumerate(shown)}
    places = {group: place for place, group in enumerate(dict.fromkeys(part.group for part in parts))}
    parts = sorted(parts, key=lambda part: (places[part.group], ranks.get(part.label, len(ranks))))
    tops: Counter[int | str] = Counter()
    values = []
    for part in parts:
        low = tops[part.group]
        tops[part.group] += part.value
        label = shown.get(part.label, OTHERS)
        place = (
            {"begin": part.group * 1000, "end": (part.group + unit) * 1000}
            if isinstance(part.group, int)
            else {"group": visible(part.group)}
        )
        values.append({**place, "low": low, "high": low + part.value, "label": label})
    labels = list(dict.fromkeys(value["label"] for value in values))
    labels.sort(key=lambda label: label == OTHERS)
    spec["datasets"] = {"groups": values}
    encoding["color"]["scale"] = {"domain": labels, "range": COLORS[: len(labels)]}
    if len(labels) < 2:
        encoding["color"]["legend"] = None
    times = sorted({part.group for part in parts if isinstance(part.group, int)})
    if unit:
        encoding["x"]["scale"] = {"type": "utc" if utc else "time"}
        if times:
            encoding["x"]["title"] = f"{local_time(times[0])} to {local_time(times[-1] + unit)}"
            bars = (times[-1] - times[0]) // unit + 1
            if bars <= FEW:
                begins = range(times[0], times[-1] + unit, unit)
                encoding["x"]["axis"] = {"values": [begin * 1000 for begin in begins]}
    else:
        spec["height"] = {"step": min(BAR_HEIGHT, max(MOST_HEIGHT // max(len(tops), 1), 1))}
    spec["background"] = "white"
    if format == "svg":
        return str(module.vegalite_to_svg(spec)).encode()
    return bytes(module.vegalite_to_png(spec, scale=SCALE))


def most_common(parts: Sequence[Part]) -> list[str]:
    """Return the labels with a colour of their own: those of the largest series."""
    sums: Counter[str] = Counter()
    for part in parts:
        sums[part.label] += part.value
    most = MOST_SERIES if len(sums) <= MOST_SERIES else MOST_SERIES - 1
    return [label for label, _ in sums.most_common(most)]
