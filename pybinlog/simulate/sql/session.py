"""Session: what a statement finds of its connection: variables, the time, its transaction."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pybinlog.layout import user_var_fields
from pybinlog.schema import Settings, default_collation
from pybinlog.schema.text import encode_text
from pybinlog.simulate.tables.database import Storage
from pybinlog.simulate.tables.transaction import Transaction
from pybinlog.values.value import Temporal, Text, Unsigned, Value, collation_of

_GROUP = 9


@dataclass(frozen=True)
class UserVariable:
    """A user variable: its value, collation, and for a DECIMAL the digits that it is stored with."""

    name: str
    value: Value
    collation: int
    precision: int | None = None

    @classmethod
    def of(cls, name: str, value: Value, connection: int, *, literal: bool) -> UserVariable:
        """The variable after an assignment; `literal`: of a number that stands in the statement."""
        precision = None
        if isinstance(value, Decimal):
            _, digits, exponent = value.as_tuple()
            decimals = max(0, -int(exponent))
            whole = max(len(digits) - decimals, 1 if literal else 0)
            # What was computed has whole groups of nine digits before the point.
            precision = decimals + (whole if literal else max(1, -(-whole // _GROUP)) * _GROUP)
        collation = collation_of(value, connection)
        if isinstance(value, Temporal):
            value = Text(value.text(), collation)
        return cls(name, bytes(value) if isinstance(value, bytes) else value, collation, precision)

    def body(self) -> dict[str, Any]:
        """The body of its User_var event."""
        value = encode_text(self.value, self.collation) if isinstance(self.value, str) else self.value
        unsigned = isinstance(value, Unsigned)
        return user_var_fields(self.name, value, charset=self.collation, unsigned=unsigned, precision=self.precision)


class Session:
    """One connection, as far as statements on tables see it. `simulate.variables` sets its attributes."""

    def __init__(self, storage: Storage, connection_id: int = 1) -> None:
        self.storage = storage
        self.connection_id = connection_id
        self.database: str | None = None
        self.sql_mode: frozenset[str] = frozenset()
        self.now: tuple[int, int] = (0, 0)
        self.time_zone = "SYSTEM"
        utf8mb4 = default_collation("utf8mb4", storage.version)
        self.character_set_client = utf8mb4
        self.collation_connection = utf8mb4
        self.collation_server = storage.default_collation
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
        self.transaction = Transaction(storage.active)

    @property
    def settings(self) -> Settings:
        """What definitions depend on."""
        return Settings(
            self.storage.version,
            self.sql_mode,
            self.default_collation_for_utf8mb4,
            self.explicit_defaults_for_timestamp,
        )
