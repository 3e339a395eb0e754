"""Option files of MySQL's programs (my.cnf): what they say for a group of options.

MySQL manual, "Using Option Files", and MariaDB's, "Configuring MariaDB with Option Files". The login path file of
mysql_config_editor, `~/.mylogin.cnf`, is one that is not to be read at a glance: four bytes without a meaning, twenty
bytes that a key is made of, and for each line its length as int32 and as many bytes of AES-128-ECB, filled up as in
PKCS#7. The key lies beside what it opens, so only the rights of the file protect it (MySQL manual,
"mysql_config_editor").
"""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pybinlog.distribution import how_to_install
from pybinlog.errors import Hint, SourceError
from pybinlog.side_file import open_side_file, side_file

LOGIN_FILE = "~/.mylogin.cnf"
UNUSED, KEY_SOURCE, KEY, LENGTH, BLOCK = 4, 20, 16, 4, 16
LARGEST = 1 << 20
"""Bytes of a file: some lines of text."""
FOR_OTHERS = stat.S_IXUSR | stat.S_IRWXG | stat.S_IRWXO


def login_lines(path: str) -> list[str]:
    """Return the lines of the option file that it holds. Raise SourceError if it is damaged, or others than its owner
    may use it.

    No error says what stands in it. Raise OSError if it cannot be read.
    """
    with open_side_file(path) as file:
        if os.fstat(file.fileno()).st_mode & FOR_OTHERS:
            raise SourceError(
                "the login path file has passwords, and others than its owner may read or write it",
                file=path,
                hint=Hint("Run chmod 600 {path}[, or give {--no-login-paths}]", path=path),
            )
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise damaged(path)
    return decrypted(data, path).decode("utf-8", "surrogateescape").split("\n")


def decrypted(data: bytes, path: str) -> bytes:
    """Return the file's contents. Raise SourceError if it is damaged, or the package cryptography is not there."""
    try:
        from cryptography.hazmat.primitives.ciphers import Cipher, modes
        from cryptography.hazmat.primitives.ciphers.algorithms import AES
    except ImportError:
        raise SourceError(
            "to read a login path file needs the package cryptography, which is not installed",
            file=path,
            hint=Hint("{install}[; or give {--no-login-paths}]", install=how_to_install("server")),
        ) from None
    at = UNUSED + KEY_SOURCE
    if len(data) < at:
        raise damaged(path)
    key = bytearray(KEY)
    for index, byte in enumerate(data[UNUSED:at]):
        key[index % KEY] ^= byte
    text = b""
    while at < len(data):
        length = int.from_bytes(data[at : at + LENGTH], "little", signed=True)
        at += LENGTH
        if length <= 0 or length % BLOCK or length > len(data) - at:
            raise damaged(path)
        decryptor = Cipher(AES(bytes(key)), modes.ECB()).decryptor()
        line = decryptor.update(data[at : at + length]) + decryptor.finalize()
        filled = line[-1]
        if not 0 < filled <= BLOCK or line[-filled:] != bytes([filled]) * filled:
            raise damaged(path)
        text += line[:-filled]
        at += length
    return text


def damaged(path: str) -> SourceError:
    return SourceError(
        "the login path file is damaged, or none",
        file=path,
        hint=Hint("Create one with mysql_config_editor[, or give {--no-login-paths}]"),
    )


GLOBAL_FILES = ("/etc/my.cnf", "/etc/mysql/my.cnf")
USER_FILE = "~/.my.cnf"
GROUPS = ("mysqlbinlog", "client")
DEEPEST = 10
"""Files that include each other."""
ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "r": "\r", "\\": "\\", "s": " ", '"': '"', "'": "'"}


class FileOption(NamedTuple):
    """An option as a file has it: `-` for `_` in its name, and None for the value if the name stands alone."""

    name: str
    value: str | None
    file: str


@dataclass(frozen=True)
class OptionFiles:
    """Which files are read: the usual ones, with `extra` after those of the system; or `only` one; or none.

    Groups are [mysqlbinlog] and [client], and those with `suffix` after their names. The login path file comes last,
    whatever else is read, with these groups and `login_path`; not with `no_login_paths`.
    """

    only: str | None = None
    extra: str | None = None
    suffix: str = ""
    none: bool = False
    login_path: str | None = None
    no_login_paths: bool = False
    login_file: str = LOGIN_FILE

    def options(self) -> list[FileOption]:
        """Return all options in order: the last of a name holds.

        Raise SourceError if a file that was named cannot be read, a line is no option, or there is no such login path.
        """
        groups = self._with_suffix(GROUPS)
        found: list[FileOption] = []
        for path, named in self._files():
            found += read(path, groups, named=named)
        return found + self._of_login_paths(groups)

    def _with_suffix(self, groups: Sequence[str]) -> set[str]:
        return {*groups, *(f"{group}{self.suffix}" for group in groups if self.suffix)}

    def _of_login_paths(self, groups: set[str]) -> list[FileOption]:
        if self.no_login_paths:
            return []
        path = os.path.expanduser(self.login_file)
        try:
            lines = login_lines(path)
        except OSError as error:
            if self.login_path is None and isinstance(error, FileNotFoundError):
                return []
            raise SourceError(
                f"the login path file cannot be read: {error.strerror}",
                file=path,
                hint=Hint("Create one with mysql_config_editor[, or give {--no-login-paths}]"),
            ) from None
        if self.login_path is not None:
            wanted = self._with_suffix([self.login_path])
            there = [line[1:].partition("]")[0] for line in lines if line[:1] == "["]
            if not wanted & set(there):
                raise SourceError(
                    f"there is no login path {self.login_path}",
                    file=path,
                    hint=f"It has {', '.join(there)}" if there else "It has none",
                )
            groups = groups | wanted
        return list(options_of(lines, path, groups, DEEPEST))

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


def read(path: str, groups: set[str], *, named: bool, depth: int = 0) -> Iterator[FileOption]:
    """Yield the options that one file has for these groups, those of the files that it includes in their place."""
    if not named and not os.path.exists(path):
        return
    try:
        mode = os.stat(path).st_mode
        lines = side_file(path, LARGEST).decode("utf-8", "surrogateescape").replace("\r\n", "\n").split("\n")
    except OSError as error:
        if not named:
            return
        raise SourceError(f"the option file cannot be read: {error.strerror}", file=path) from None
    if mode & 0o002:  # any user could have written it, and programs of MySQL skip it
        return
    yield from options_of(lines, path, groups, depth)


def options_of(lines: Sequence[str], path: str, groups: set[str], depth: int) -> Iterator[FileOption]:
    group = ""
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if not line or line[0] in "#;":
            continue
        if line[0] == "!":
            for included in included_files(line, path):
                if depth == DEEPEST:
                    raise SourceError("option files include each other too deeply", file=path)
                yield from read(included, groups, named=False, depth=depth + 1)
            continue
        if line[0] == "[":
            name, bracket, _ = line[1:].partition("]")
            if not bracket:
                raise SourceError(f"line {number} of the option file is not a valid [group]", file=path)
            group = name.rstrip()
            continue
        if not group:
            raise SourceError(f"line {number} of the option file is outside any [group]", file=path)
        if group in groups:
            yield FileOption(*option(line), path)


def included_files(line: str, path: str) -> Sequence[str]:
    word, _, place = line.partition(" ")
    place = place.strip()
    if word == "!include":
        return [place]
    if word != "!includedir":
        raise SourceError(f"the option file has an invalid line that begins with {word}", file=path)
    try:
        return [os.path.join(place, name) for name in sorted(os.listdir(place)) if name.endswith((".cnf", ".ini"))]
    except OSError:
        return []


def option(line: str) -> tuple[str, str | None]:
    """`name = "value" # comment` as name and value, by the rules that both servers' programs have.

    A comment begins outside of quotes, wherever that is. Quotes go where they are the first and the last character;
    the escapes are looked at in any case.
    """
    name, equals, value = without_comment(line).partition("=")
    name = name.strip().replace("_", "-")
    if not equals:
        return name, None
    value = value.strip()
    if len(value) > 1 and value[0] in "'\"" and value[-1] == value[0]:
        value = value[1:-1]
    return name, re.sub(r"\\(.?)", lambda found: ESCAPES.get(found[1], found[0]), value, flags=re.DOTALL)


def without_comment(line: str) -> str:
    quote = ""
    escaped = False
    for at, character in enumerate(line):
        if character in "'\"" and not escaped:
            if not quote:
                quote = character
            elif quote == character:
                quote = ""
        if not quote and character == "#":
            return line[:at]
        escaped = bool(quote) and character == "\\" and not escaped
    return line
