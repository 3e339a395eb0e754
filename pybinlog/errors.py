"""The errors of binary logs; each exception knows file and position."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class BinlogError(Exception):
    """Something in a binary log, or in reading it, is wrong.

    `file` is the name as the user gave it, `position` the offset of the event in the uncompressed stream, in
    bytes; each may be None where it is not known yet (`at` fills them in further up). `hint` says the way out.
    """

    def __init__(self, message: str, *, file: str | None = None, position: int | None = None, hint: str | None = None):
        super().__init__(message)
        self.message = message
        self.file = file
        self.position = position
        self.hint = hint

    @property
    def beginning(self) -> str:
        """The message as the beginning of a sentence."""
        return f"{self.message[:1].upper()}{self.message[1:]}"

    def at(self, file: str | None = None, position: int | None = None) -> BinlogError:
        """Return the same error, with file and position filled in if they were unknown."""
        if self.file is None:
            self.file = file
        if self.position is None:
            self.position = position
        return self

    def __str__(self) -> str:
        where = ", ".join(
            part for part in (self.file or "", f"at {self.position}" if self.position is not None else "") if part
        )
        text = f"{where}: {self.message}" if where else self.message
        return f"{text}. {self.hint}" if self.hint else text


class Hint(str):
    """A sentence that names options by their keys, which each face words, such as `Give {--schema} for {table}`.

    A key is a word of the command line, and data has a name. As a string, the hint has the words of the command line:
    the keys themselves. A part in brackets is only for faces that have its options.
    """

    def __new__(cls, template: str, **data: object) -> Hint:
        hint = super().__new__(cls, _filled(template, data, None))
        hint._template, hint._data = template, data
        return hint

    _template: str
    _data: Mapping[str, object]

    def __getnewargs_ex__(self) -> Any:
        """Pickle the hint by its template."""
        return (self._template,), self._data

    def in_words(self, options: Mapping[str, str]) -> str | None:
        """Return the sentence with those words for options, or None if a word is missing outside brackets."""
        try:
            return _filled(self._template, self._data, options)
        except KeyError:
            return None


class _Words(dict[str, object]):
    """Data by name, and words by key. Raise KeyError for an option without a word."""

    def __init__(self, data: Mapping[str, object], options: Mapping[str, str] | None):
        super().__init__(data)
        self._options = options

    def __getitem__(self, key: str) -> object:
        value = super().__getitem__(key)
        return value.in_words(self._options) if self._options and isinstance(value, Hint) else value

    def __missing__(self, key: str) -> str:
        return key if self._options is None else self._options[key.split()[-1].rstrip("=")]


def _filled(template: str, data: Mapping[str, object], options: Mapping[str, str] | None) -> str:
    words = _Words(data, options)
    text = ""
    for number, part in enumerate(template.replace("]", "[").split("[")):
        try:
            text += part.format_map(words)
        except KeyError:
            if number % 2 == 0:
                raise
    begins_later = template[:1] == "[" and options is not None
    return text[:1].upper() + text[1:] if begins_later else text


class Face:
    """The words that a way to use pybinlog has for options. As a context, it words the hints of errors.

    `options`: an option of the command line -> its word here, such as `{"--schema-of": "schema_of="}`.
    """

    def __init__(self, options: Mapping[str, str]):
        self.options = options

    def __enter__(self) -> None:
        """Nothing is to be done."""

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, BinlogError) and isinstance(error.hint, Hint):
            error.hint = error.hint.in_words(self.options)

    def words(self, sentence: str) -> str:
        """Return a sentence in the words of this face."""
        return (sentence.in_words(self.options) if isinstance(sentence, Hint) else None) or sentence


class BinlogWarning(UserWarning):
    """Something in a binary log is not as it should be, and it is read on: a table whose definition is lost."""


class SourceError(BinlogError):
    """The bytes are not there: no such file, no permission, a broken compressed stream."""


class ServerError(SourceError):
    """A server refuses a request, or sends an unexpected answer. Asked again, it says the same."""


class EmptyFileError(SourceError):
    """The file ends before the four magic bytes."""


class BadMagicError(SourceError):
    """The file does not begin with a binary log's magic bytes."""


class OldFormatError(SourceError):
    """The log was written by MySQL 4.1 or older, in a binlog version that is not read."""


class EncryptedError(SourceError):
    """The log is encrypted, and its key is not there, or is wrong (binlog_encryption=ON, encrypt_binlog=ON)."""


KEYRING_HINT = Hint(
    "Give its server's keyring ({--keyring }FILE, docs/encryption.md), or read it from its server (pybinlog -R), which "
    "decrypts it"
)
EVENTS_ENCRYPTED = "the log is encrypted from here on (encrypt_binlog=ON)"
"""Of MariaDB's logs, after their Start_encryption event."""


class DataLossError(BinlogError):
    """A log that was to be read on is gone, cut short or another one: some of it cannot be read any more."""


class GapError(DataLossError):
    """A log is missing between two that are read one after the other, or they are not in their order."""


class TruncatedError(BinlogError):
    """The stream ends in the middle of an event."""


class StartPositionError(BinlogError):
    """The position that a log was to be read from is inside an event."""


class CorruptEventError(BinlogError):
    """An event's header or body contradicts itself: an impossible length, a field past the event's end."""


class ChecksumError(CorruptEventError):
    """The CRC32 at the end of an event does not match its bytes."""


class UnknownEventError(CorruptEventError):
    """An event of a type that pybinlog does not know, without the ignorable flag (WL#4033)."""


class OutOfMemory(MemoryError):
    """There is no memory for an event; `file` and `position` are as those of a BinlogError."""

    def __init__(self, message: str, *, file: str, position: int):
        super().__init__(message)
        self.message = message
        self.file = file
        self.position = position

    @classmethod
    def of(cls, error: MemoryError, file: str, position: int) -> OutOfMemory:
        """Return the error as one that says where; `position` is where the next events would be read."""
        if isinstance(error, cls):
            return error
        return cls(
            "the last event before this position needs more memory than can be had", file=file, position=position
        )

    def __str__(self) -> str:
        return f"{self.file}, at {self.position}: {self.message}"


class OutputError(BinlogError):
    """An output would be written over what is read, or over a log or an index file (`pybinlog.output.outputs`)."""


class NotInstalledError(BinlogError):
    """A package that the command line asks for is not installed."""


class UnsupportedStatement(BinlogError):
    """A statement that the simulator's model does not have; `missing` names what it lacks."""

    def __init__(self, message: str, *, missing: str, file: str | None = None, hint: str | None = None):
        super().__init__(message, file=file, hint=hint)
        self.missing = missing
