"""Session: what a statement finds of its connection: variables, the time, its transaction."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pybinlog.errors import UnsupportedStatement
from pybinlog.layout import user_var_fields
from pybinlog.schema import Settings, default_collation
from pybinlog.schema.cursor import Path
from pybinlog.schema.text import encode_text
from pybinlog.simulate.tables.database import Storage
from pybinlog.simulate.tables.table import Table
from pybinlog.simulate.tables.transaction import Transaction
from pybinlog.values.value import Temporal, Unsigned, Value


@dataclass(frozen=True)
class UserVariable:
    """A user variable: its value and collation. Raise UnsupportedStatement for a DECIMAL, a date and a time."""

    name: str
    value: Value
    collation: int

    def __post_init__(self) -> None:
        if isinstance(self.value, (Decimal, Temporal)):
            raise UnsupportedStatement(
                f"@{self.name}: a DECIMAL, a date or a time in a user variable is not in the model", missing="SET"
            )

    def body(self) -> dict[str, Any]:
        """Return the body of its User_var event."""
        value = encode_text(self.value, self.collation) if isinstance(self.value, str) else self.value
        return user_var_fields(self.name, value, charset=self.collation, unsigned=isinstance(value, Unsigned))


class Session:
    """One connection, as far as statements on tables see it. `simulate.variables` sets its attributes."""

    def __init__(self, storage: Storage, connection_id: int = 1) -> None:
        self.storage = storage
        self.connection_id = connection_id
        self.database: str | None = None
        self.sql_mode: frozenset[str] = frozenset()
        self.now: tuple[int, int] = (0, 0)
        self.one_group = False
        """True if the running statement must be logged as one group, as it has one GTID."""
        self.time_zone = "SYSTEM"
        utf8mb4 = default_collation("utf8mb4", storage.version)
        self.character_set_client = utf8mb4
        self.collation_connection = utf8mb4
        self.default_collation_for_utf8mb4 = utf8mb4
        self.auto_increment_increment = 1
        self.auto_increment_offset = 1
        self.insert_id: int | None = None
        self.last_insert_id = 0
        self.rand_seed1: int | None = None
        self.rand_seed2: int | None = None
        self.foreign_key_checks = True
        self.unique_checks = True
        self.explicit_defaults_for_timestamp = storage.modern
        self.transaction_isolation = "REPEATABLE-READ"
        self.user_variables: dict[str, UserVariable] = {}
        self.transaction = Transaction()
        self.temporary: dict[tuple[str, str], Table] = {}
        """The temporary tables by database and name, in the order in which they were made."""

    def find(self, path: Path) -> Table | None:
        """Return a table by path, a temporary one first, or None if there is none."""
        database = path[0] or self.database or ""
        return self.temporary.get((database, path[1])) or self.storage.find(database, path[1])

    @property
    def settings(self) -> Settings:
        """Return the settings that definitions depend on."""
        return Settings(
            self.storage.version,
            self.sql_mode,
            self.default_collation_for_utf8mb4,
            self.explicit_defaults_for_timestamp,
        )
