"""Checkpoint: where a reader of rows stopped, as a file that a later run continues from."""

from __future__ import annotations

import hashlib
import json
import os
from base64 import b64decode, b64encode
from dataclasses import dataclass, fields
from typing import Any

from pybinlog.catalog.definitions import Definitions
from pybinlog.catalog.saved import MOST, restored
from pybinlog.errors import BinlogError, DataLossError
from pybinlog.kernel.base.event import MAGIC
from pybinlog.log.executed import Executed
from pybinlog.output.replacement import Replacement
from pybinlog.side_file import side_file

LARGEST = MOST + (16 << 20)
"""Bytes of a checkpoint: those of its tables, and of all else."""
VERSION = 3
TABLES = "tables"
"""The member that has the definitions of tables."""
BEGINNING = 1 << 16
"""Bytes of an output's beginning by which it is known again."""
KEPT = 1024
"""Bytes of a log's beginning by which it is known again: its Format_description, with the time, and its GTIDs."""


@dataclass(frozen=True)
class Checkpoint:
    """`server` wrote the logs, `asked` are the filters and columns; the rows up to `position` in `log` are written.

    `opening` are the first bytes of the log. `executed` are the GTIDs there, as ReadGtids has them in its text.
    `length` are the bytes of the output, `beginning` the digest of the first of them.
    """

    server: str
    asked: dict[str, Any]
    log: str
    position: int
    opening: bytes
    executed: str | None
    length: int = 0
    beginning: str = ""
    closed_by: str | None = None
    """As in GrowingLog: how the log ends, if all of it is read."""
    definitions: Definitions | None = None
    """Those of tables at the position, in a checkpoint that was read."""

    @classmethod
    def read(cls, path: str) -> Checkpoint | None:
        """Return the checkpoint of a file, None if it is not there.

        Raise BinlogError if it is not a checkpoint, or one of another version.
        """
        try:
            content = json.loads(side_file(path, LARGEST))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise BinlogError(f"the checkpoint cannot be read: {error.strerror}", file=path) from error
        except (ValueError, RecursionError):
            content = None
        version = content.pop("version", None) if isinstance(content, dict) else None
        if not isinstance(version, int):
            raise BinlogError("this is not a checkpoint of pybinlog rows", file=path, hint="Name another file")
        if version != VERSION:
            raise BinlogError(
                f"the checkpoint has the form {version} of another release of pybinlog; this one has form {VERSION}",
                file=path,
                hint="Continue with that release, or name another checkpoint and output to begin anew",
            )
        try:
            definitions = restored(content.pop(TABLES))
            content["opening"] = b64decode(content["opening"], validate=True)
            found = cls(**content, definitions=definitions)
            found._check_values()
            return found
        except (KeyError, TypeError, ValueError, RecursionError):
            raise BinlogError("the checkpoint is damaged", file=path, hint="Name another file") from None

    def _check_values(self) -> None:
        """Raise TypeError or ValueError if a value is not one that a run writes."""
        numbers, texts = (self.position, self.length), (self.server, self.log, self.beginning)
        if any(type(number) is not int or number < 0 for number in numbers) or not self.opening.startswith(MAGIC):
            raise ValueError("a position or length, or the beginning of the log")
        if any(type(text) is not str for text in texts) or type(self.asked) is not dict:
            raise TypeError("a text, or the filters")
        if any(type(text) is not str for text in (self.executed, self.closed_by) if text is not None):
            raise TypeError("a text")
        if self.executed is not None:
            Executed.of_text(self.executed)

    def write(self, path: str, tables: str) -> None:
        """Replace the file as a whole; the disk has it then. Raise BinlogError if that cannot be done.

        `tables` is the text of SavedDefinitions.
        """
        content = {field.name: getattr(self, field.name) for field in fields(self)}
        del content["definitions"]
        content.update(version=VERSION, opening=b64encode(self.opening).decode())
        text = json.dumps(content, indent=1, ensure_ascii=False).removesuffix("\n}")
        with Replacement(path) as file:
            file.write(f'{text},\n "{TABLES}": {tables}\n}}\n'.encode())
            file.commit()

    def check(self, path: str, server: str, asked: dict[str, Any]) -> None:
        """Raise DataLossError if this run reads another server, or selects other rows."""
        hint = "Name another checkpoint, or delete this one to begin anew"
        if server != self.server:
            raise DataLossError(f"the checkpoint is of {self.server}, and this is {server}", file=path, hint=hint)
        for name in sorted({*asked, *self.asked}):
            before, now = self.asked.get(name), asked.get(name)
            if before != now:
                raise DataLossError(
                    f"the checkpoint is of a run with {option_text(name, before)}, and "
                    f"this one has {option_text(name, now)}",
                    file=path,
                    hint=hint,
                )


def option_text(name: str, value: Any) -> str:
    return f"no --{name}" if value in (None, [], False) else f"--{name}={value}"


def digest(descriptor: int, length: int) -> str:
    """Return the digest of a file's first bytes, up to `length` of them."""
    data = os.pread(descriptor, min(length, BEGINNING), 0)
    return hashlib.sha256(data).hexdigest()
