"""KeyedLog: a log and the keyring that opens it, by a name that can stand wherever the name of a log stands."""

from __future__ import annotations

from pybinlog.source.base import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Self

    from pybinlog.keyring import Keyring


class KeyedLog(str):
    """As text it is the log's name. `log` is that name, as `open_source` takes it without a keyring."""

    log: str
    keyring: Keyring

    def __new__(cls, log: str, keyring: Keyring) -> Self:
        keyed = super().__new__(cls, log)
        keyed.log = log
        keyed.keyring = keyring
        return keyed

    def __reduce__(self) -> Any:
        return KeyedLog, (self.log, self.keyring)


def keyed_as(name: str, other: str) -> str:
    """Return the name of another log with the keyring of `name`, if that has one."""
    return KeyedLog(other, name.keyring) if isinstance(name, KeyedLog) else other


def opened_with(name: str, source: Source) -> Source:
    """Return the source of the log of that name, decrypted if it is encrypted and the name has a keyring.

    Raise EncryptedError if the keyring lacks the key; the source is closed then.
    """
    if not isinstance(name, KeyedLog):
        return source
    try:
        if begins_encrypted(source):
            from pybinlog.source.encrypted import decrypted_log

            return decrypted_log(source, name.keyring)
        if name.keyring.mariadb_keys:
            from pybinlog.source.encrypted_events import EncryptedEvents

            return EncryptedEvents(source, name.keyring.mariadb_keys)
        return source
    except BaseException:
        source.close()
        raise


def begins_encrypted(source: Source) -> bool:
    """Return True if the source begins with the magic of MySQL's encrypted logs, which stays to be read."""
    from pybinlog.kernel.base.event import ENCRYPTED_MAGIC, MAGIC_LENGTH  # setup.py imports this before that is built

    head = source.read(1)
    while head and len(head) < MAGIC_LENGTH and ENCRYPTED_MAGIC.startswith(head):
        more = source.read(MAGIC_LENGTH - len(head))
        if not more:
            break
        head += more
    if source.seekable:
        source.skip_to(0)
    else:
        source.unread(head)
    return head == ENCRYPTED_MAGIC
