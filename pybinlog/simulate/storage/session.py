"""What a statement finds of its connection: variables, the time, its transaction."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pybinlog.layout import user_var_fields

from .charset import LATIN1, UTF8MB4_BIN, default_collation, encode_text
from .database import Storage
from .table import Table
from .transaction import Transaction
from .value import Json, Temporal, Text, Unsigned, Value, to_text

__all__ = ["Session", "UserVariable"]

_GROUP = 9


@dataclass(frozen=True)
class UserVariable:
    """A user variable: its value, collation, and for a DECIMAL the digits that it is stored with."""

    name: str
    value: Value
    collation: int
    precision: int | None = None

    @classmethod
    def of(cls, name: str, value: Value, connection: int, *, literal: bool = False) -> UserVariable:
        """The variable after an assignment; `literal`: of a number that stands in the statement."""
        precision = None
        if isinstance(value, Decimal):
            _, digits, exponent = value.as_tuple()
            decimals = max(0, -int(exponent))
            whole = max(len(digits) - decimals, 1 if literal else 0)
            # What was computed or cast has whole groups of nine digits before the point.
            precision = decimals + (whole if literal else max(1, -(-whole // _GROUP)) * _GROUP)
        if isinstance(value, Temporal):
            return cls(name, Text(value.text(), LATIN1), LATIN1)
        if isinstance(value, Json):
            return cls(name, Text(to_text(value), UTF8MB4_BIN), UTF8MB4_BIN)
        if isinstance(value, bytes):
            return cls(name, bytes(value), 63)
        if isinstance(value, str):
            collation = value.collation if isinstance(value, Text) else connection
            return cls(name, Text(value, collation), collation)
        return cls(name, value, connection, precision)

    def body(self) -> dict[str, Any]:
        """The body of its User_var event."""
        value = self.value
        if isinstance(value, str):
            value = encode_text(value, self.collation)
        return user_var_fields(
            self.name,
            value,
            charset=self.collation,
            unsigned=isinstance(value, Unsigned),
            precision=self.precision,
        )


class Session:
    """One connection, as far as statements on tables see it. Its attributes are set by whoever runs SET statements."""

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
        self.default_storage_engine = "InnoDB"
        self.sql_auto_is_null = False
        self.auto_is_null_armed = False
        self.foreign_key_checks = True
        self.unique_checks = True
        self.lc_time_names = "en_US"
        self.explicit_defaults_for_timestamp = storage.version >= (8,)
        self.sql_generate_invisible_primary_key = False
        self.transaction_isolation = "REPEATABLE-READ"
        self.user = "root@localhost"
        self.user_variables: dict[str, UserVariable] = {}
        self.temporary_tables: dict[tuple[str, str], Table] = {}
        self.transaction = Transaction(storage)
        self.variables: dict[str, Value] = {}
        """Values of system variables that expressions may name (@@name), by name in lower case."""
        self.found_rows = 0
        self.row_count = -1
        self.warnings: list[Any] = []
