"""Option files of MySQL's programs (my.cnf): what they say for a group of options.

MySQL manual, "Using Option Files", and MariaDB's, "Configuring MariaDB with Option Files".
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from pybinlog.errors import SourceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

GLOBAL_FILES = ("/etc/my.cnf", "/etc/mysql/my.cnf")
USER_FILE = "~/.my.cnf"
GROUPS = ("mysqlbinlog", "client")
DEEPEST = 10
"""Files that include each other."""
ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "r": "\r", "\\": "\\", "s": " "}


@dataclass(frozen=True)
class OptionFiles:
    """Which files are read: the usual ones, with `extra` after those of the system; or `only` one; or none.

    Groups are [mysqlbinlog] and [client], and those with `suffix` after their names.
    """

    only: str | None = None
    extra: str | None = None
    suffix: str = ""
    none: bool = False

    def options(self) -> list[tuple[str, str | None]]:
        """Names, with `-` for `_`, and values (None: the name stands alone), in order: the last of a name holds.

        SourceError where a file that was named cannot be read, or a line is no option.
        """
        groups = {*GROUPS, *(f"{group}{self.suffix}" for group in GROUPS if self.suffix)}
        found: list[tuple[str, str | None]] = []
        for path, named in self._files():
            found += read(path, groups, named=named)
        return found

    def _files(self) -> Iterator[tuple[str, bool]]:
        if self.none:
            return
        if self.only is not None:
            yield self.only, True
            return
        for path in GLOBAL_FILES:
            yield path, False
        if self.extra is not None:
            yield self.extra, True
        yield os.path.expanduser(USER_FILE), False


def read(path: str, groups: set[str], *, named: bool, depth: int = 0) -> Iterator[tuple[str, str | None]]:
    """The options that one file has for these groups, those of the files that it includes in their place."""
    if not named and not os.path.exists(path):
        return
    try:
        mode = os.stat(path).st_mode
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError as error:
        if not named:
            return
        raise SourceError(f"the option file cannot be read: {error.strerror}", file=path) from None
    if mode & 0o002:  # anybody could have written it, and programs of MySQL pass over it
        return
    group = ""
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if not line or line[0] in "#;":
            continue
        if line[0] == "!":
            for included in included_files(line, path):
                if depth == DEEPEST:
                    raise SourceError("option files include each other too deep", file=path)
                yield from read(included, groups, named=False, depth=depth + 1)
            continue
        if line[0] == "[":
            group = line[1:].partition("]")[0].strip()
            continue
        if not group:
            raise SourceError(f"line {number} of the option file stands in no [group]", file=path)
        if group in groups:
            yield option(line)


def included_files(line: str, path: str) -> Sequence[str]:
    word, _, place = line.partition(" ")
    place = place.strip()
    if word == "!include":
        return [place]
    if word != "!includedir":
        raise SourceError(f"the option file has a line that begins with {word}, which means nothing", file=path)
    try:
        return [os.path.join(place, name) for name in sorted(os.listdir(place)) if name.endswith((".cnf", ".ini"))]
    except OSError:
        return []


def option(line: str) -> tuple[str, str | None]:
    """`name = "value" # comment` as name and value."""
    name, equals, value = line.partition("=")
    if not equals:
        return name.partition("#")[0].strip().replace("_", "-"), None
    value = value.strip()
    quote = value[:1] if value[:1] in ("'", '"') else ""
    if quote and (end := value.find(quote, 1)) > 0:
        value = value[1:end]
    else:
        for at, character in enumerate(value):
            if character == "#" and (at == 0 or value[at - 1].isspace()):
                value = value[:at].rstrip()
                break
    return name.strip().replace("_", "-"), unescaped(value)


def unescaped(value: str) -> str:
    result = ""
    characters = iter(value)
    for character in characters:
        if character != "\\":
            result += character
            continue
        after = next(characters, "")
        result += ESCAPES.get(after, "\\" + after)
    return result
