"""The errors of binary logs; each exception knows file and position."""

from __future__ import annotations

from collections.abc import Mapping


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
            part
            for part in (
                self.file or "",
                f"at {self.position}" if self.position is not None else "",
            )
            if part
        )
        text = f"{where}: {self.message}" if where else self.message
        return f"{text}. {self.hint}" if self.hint else text


class InWords:
    """A context whose errors speak the caller's language: their hints have other words for options.

    `words`: what a hint, written for the command line, calls something -> what the caller calls it. A hint that still
    names an option is omitted: the caller has none for it. Command lines, such as `mysqldump --no-data`, stay.
    """

    def __init__(self, words: Mapping[str, str]):
        self._words = words

    def __enter__(self) -> None:
        """Nothing is to be done."""

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, BinlogError) and error.hint:
            error.hint = self.hint_of(error.hint)

    def of(self, sentence: str) -> str:
        """Return a sentence with the caller's words for options."""
        for word, other in self._words.items():
            sentence = sentence.replace(word, other)
        return sentence

    def hint_of(self, hint: str) -> str | None:
        """Return the hint in the caller's words."""
        import re

        hint = self.of(hint)
        command = (
            r"\b(?:pybinlog|mysqldump|mysql|mariadb-binlog|zstd|gzip|xz|bzip2)(?: [a-z]+)*(?: --?[\w-]+(?:=\S+)?)+"
        )
        return None if re.search(r"(?<![\w-])--?[a-zA-Z]", re.sub(command, "", hint)) else hint


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


KEYRING_HINT = (
    "Give its server's keyring (--keyring FILE, docs/encryption.md), or read it from its server (pybinlog -R), which "
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


class UnsupportedStatement(BinlogError):
    """A statement that the simulator's model does not have; `missing` names what it lacks."""

    def __init__(self, message: str, *, missing: str, file: str | None = None, hint: str | None = None):
        super().__init__(message, file=file, hint=hint)
        self.missing = missing
