"""Keyrings on a cluster: Spark itself ships their files to the executors, which read them there."""

from __future__ import annotations

import os

from pybinlog.errors import SourceError
from pybinlog.keyring import Keyring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class ShippedKeyring(Keyring):
    """A keyring that another process reads from the files that Spark has shipped to it, else from the same paths."""

    def __reduce__(self) -> Any:
        return arrived, (self.files, len(self.paths))


def arrived(files: Sequence[str], count: int) -> ShippedKeyring:
    """Read a keyring if it has arrived: the first `count` files are keyrings, one after them is their password."""
    from pyspark import SparkFiles

    copies = [SparkFiles.get(os.path.basename(path)) for path in files]
    paths = [copy if os.path.exists(copy) else path for path, copy in zip(files, copies, strict=True)]
    return ShippedKeyring(paths[:count], paths[count] if len(paths) > count else None)


def ship(context: Any, files: Sequence[str]) -> None:
    """Give keyring files to a SparkContext. Raise SourceError if two have the same base name, their name on Spark."""
    by_name: dict[str, str] = {}
    for path in files:
        if by_name.setdefault(os.path.basename(path), path) != path:
            raise SourceError(
                f"Spark ships files by their names, and {by_name[os.path.basename(path)]} has the same one",
                file=path,
                hint="Copy one of the keyrings under another name, and give that",
            )
    for path in by_name.values():
        context.addFile(path)
