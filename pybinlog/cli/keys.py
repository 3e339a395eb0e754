"""The keyring of a run (--keyring), and what keeps its keys from the disk."""

from __future__ import annotations

import resource
from collections.abc import Sequence

from pybinlog.keyring import Keyring
from pybinlog.source import KeyedLog

NO_CORE = 1
"""Bytes of a core file that no core file fits into; with 0 a core would still go to a program that takes cores."""


def with_keyring(
    names: Sequence[str], paths: Sequence[str], password_path: str | None, on_spark: bool = False
) -> list[str]:
    """Return the logs with the keyring of these files, which no core file of this process shows from now on.

    `on_spark`: Spark ships the files, and executors read the logs. Raise SourceError if a file is not a keyring.
    """
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    most = NO_CORE if most == resource.RLIM_INFINITY else min(NO_CORE, most)
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))
    kind: type[Keyring] = Keyring
    if on_spark:
        from pybinlog.spark.worker import ShippedKeyring as kind
    keyring = kind(paths, password_path)
    return [KeyedLog(name, keyring) for name in names]
