"""Settings: what a definition depends on beside its text: the server's version and session variables."""

from __future__ import annotations

from dataclasses import dataclass

from pybinlog.schema.charset import collation_like, default_collation, named_character_set, named_collation


@dataclass(frozen=True)
class Settings:
    """The version, such as (9, 7), and the session variables of the same names.

    `default_collation_for_utf8mb4` is a collation's number, 0 for the version's own default. `lenient`: a collation
    that is not known stands for any of its character set.
    """

    version: tuple[int, ...] = (9, 7)
    sql_mode: frozenset[str] = frozenset()
    default_collation_for_utf8mb4: int = 0
    explicit_defaults_for_timestamp: bool = True
    default_storage_engine: str = "InnoDB"
    lenient: bool = False

    @property
    def modern(self) -> bool:
        """Return True if the server is of 8.0 or later."""
        return self.version >= (8,)

    def charset(self, name: str) -> int:
        """Return the collation that a character set's name stands for. Raise error 1115."""
        if name.lower() == "utf8mb4" and self.modern:
            return self.default_collation_for_utf8mb4 or default_collation("utf8mb4", self.version)
        return named_character_set(name, self.version)

    def collation(self, name: str, default: int) -> int:
        """Return the number of a collation; `default` is the one that holds without it. Raise error 1273."""
        return collation_like(name, default) if self.lenient else named_collation(name)
