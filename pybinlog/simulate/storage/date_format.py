"""DATE_FORMAT, with the names of months and days in the languages of lc_time_names."""

from __future__ import annotations

from datetime import datetime

from pybinlog.errors import UnsupportedStatement

__all__ = ["date_format"]

_NAMES = {
    "en": (
        "January February March April May June July August September October November December",
        "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    ),
    "fr": (
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
    ),
    "de": (
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    ),
    "es": (
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "lunes martes miércoles jueves viernes sábado domingo",
    ),
}


def _suffix(day: int) -> str:
    if day in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def date_format(moment: datetime, pattern: str, locale: str = "en_US") -> str:
    """The moment in the words of a pattern. Raises UnsupportedStatement for names in a language that is not known."""
    parts, index = [], 0
    while index < len(pattern):
        character = pattern[index]
        if character == "%" and index + 1 < len(pattern):
            index += 1
            parts.append(_part(moment, pattern[index], locale))
        else:
            parts.append(character)
        index += 1
    return "".join(parts)


def _part(moment: datetime, code: str, locale: str) -> str:
    if code in "MbWa":
        names = _NAMES.get(locale.partition("_")[0])
        if names is None:
            raise UnsupportedStatement(f"names of months and days in {locale} are not in the model", missing=locale)
        name = names[0].split()[moment.month - 1] if code in "Mb" else names[1].split()[moment.weekday()]
        return name if code in "MW" else name[:3]
    hour = moment.hour % 12 or 12
    year, week, _ = moment.isocalendar()
    simple = {
        "Y": f"{moment.year:04d}",
        "y": f"{moment.year % 100:02d}",
        "m": f"{moment.month:02d}",
        "c": str(moment.month),
        "d": f"{moment.day:02d}",
        "e": str(moment.day),
        "D": f"{moment.day}{_suffix(moment.day)}",
        "H": f"{moment.hour:02d}",
        "k": str(moment.hour),
        "h": f"{hour:02d}",
        "I": f"{hour:02d}",
        "l": str(hour),
        "i": f"{moment.minute:02d}",
        "s": f"{moment.second:02d}",
        "S": f"{moment.second:02d}",
        "f": f"{moment.microsecond:06d}",
        "p": "AM" if moment.hour < 12 else "PM",
        "T": f"{moment:%H:%M:%S}",
        "r": f"{hour:02d}:{moment:%M:%S} {'AM' if moment.hour < 12 else 'PM'}",
        "j": f"{moment.timetuple().tm_yday:03d}",
        "w": str(moment.isoweekday() % 7),
        "v": f"{week:02d}",
        "x": f"{year:04d}",
        "U": f"{moment:%U}",
        "u": f"{moment:%W}",
    }
    return simple.get(code, code)
