"""Dialect: the server that reads a statement, and the comments that it runs.

Source: the manuals of MySQL ("Comments") and of MariaDB ("Comment Syntax"), and what MySQL 9.7 and MariaDB 11.8 log.
"""

from typing import NamedTuple

_NEVER = (99_999, 999_999)
"""Versions that no server has: they make a comment of code."""


class Dialect(NamedTuple):
    """`mariadb` is None if the flavour is unknown. `version` is the server's, 90704 for 9.7.4; 0 if it is unknown."""

    mariadb: bool | None = None
    version: int = 0

    def runs(self, version: int, *, for_mariadb: bool) -> bool:
        """Return True if the server runs a comment `/*!`, or `/*M!` for MariaDB alone; `version`: the comment's, or 0.

        MariaDB ignores what is for MySQL 5.7 and later.
        """
        if for_mariadb and self.mariadb is False:
            return False
        if not version:
            return True
        if self.mariadb and not for_mariadb and 50_700 <= version <= 99_999:
            return False
        return version <= self.version if self.version else version not in _NEVER


ANY_SERVER = Dialect()
MYSQL = Dialect(mariadb=False)
