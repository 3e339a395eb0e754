"""The keyring of a run (--keyring), and what keeps its keys from the disk."""

from __future__ import annotations

import resource

from pybinlog.keyring import open_keyring
from pybinlog.source import KeyedLog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

NO_CORE = 1
"""Bytes of a core file that no core file fits into; with 0 a core would still go to a program that takes cores."""


def with_keyring(names: Sequence[str], paths: Sequence[str], password_path: str | None) -> list[str]:
    """Return the logs with the keyring of these files, which no core file of this process shows from now on.

    SourceError if a file is not a keyring.
    """
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    most = NO_CORE if most == resource.RLIM_INFINITY else min(NO_CORE, most)
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))
    keyring = open_keyring(paths, password_path)
    return [KeyedLog(name, keyring) for name in names]
