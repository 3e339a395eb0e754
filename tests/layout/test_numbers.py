"""The numbers of the format that its declarations name, as the servers' sources have them."""

from enum import IntEnum, IntFlag

import pytest

from pybinlog.event_types import RowsFlag
from pybinlog.layout.control import HeartbeatField, Incident
from pybinlog.layout.gtid import CompressionType, GtidField, PayloadField
from pybinlog.layout.mariadb import MariaGtidExtraFlag, MariaGtidFlag
from pybinlog.layout.query import StatusVar
from pybinlog.layout.rows import ExtraRowInfoType, TableMapFlag
from pybinlog.layout.statement import DuplicateHandling, IntvarType, UserVarFlag, UserVarType

STATUS_VARS = (
    "FLAGS2 SQL_MODE CATALOG AUTO_INCREMENT CHARSET TIME_ZONE CATALOG_NZ LC_TIME_NAMES CHARSET_DATABASE "
    "TABLE_MAP_FOR_UPDATE MASTER_DATA_WRITTEN INVOKER UPDATED_DB_NAMES MICROSECONDS COMMIT_TS COMMIT_TS2 "
    "EXPLICIT_DEFAULTS_FOR_TIMESTAMP DDL_LOGGED_WITH_XID DEFAULT_COLLATION_FOR_UTF8MB4 "
    "SQL_REQUIRE_PRIMARY_KEY DEFAULT_TABLE_ENCRYPTION ENABLE_CASCADE_TRIGGERS MARIA_HRNOW MARIA_XID "
    "MARIA_GTID_FLAGS3 MARIA_CHARACTER_SET_COLLATIONS"
)


@pytest.mark.parametrize(
    ("names", "numbers"),
    [
        (Incident, {"NONE": 0, "LOST_EVENTS": 1}),
        (HeartbeatField, {"END_MARK": 0, "LOG_FILENAME": 1, "LOG_POSITION": 2}),
        (
            GtidField,
            {
                "GTID_FLAGS": 0,
                "SID": 1,
                "GNO": 2,
                "TAG": 3,
                "LAST_COMMITTED": 4,
                "SEQUENCE_NUMBER": 5,
                "IMMEDIATE_COMMIT_TIMESTAMP": 6,
                "ORIGINAL_COMMIT_TIMESTAMP": 7,
                "TRANSACTION_LENGTH": 8,
                "IMMEDIATE_SERVER_VERSION": 9,
                "ORIGINAL_SERVER_VERSION": 10,
                "COMMIT_GROUP_TICKET": 11,
            },
        ),
        (PayloadField, {"END_MARK": 0, "PAYLOAD_SIZE": 1, "COMPRESSION_TYPE": 2, "UNCOMPRESSED_SIZE": 3}),
        (CompressionType, {"ZSTD": 0, "NONE": 255}),
        (
            MariaGtidFlag,
            {
                "STANDALONE": 1,
                "GROUP_COMMIT_ID": 2,
                "TRANSACTIONAL": 4,
                "ALLOW_PARALLEL": 8,
                "WAITED": 16,
                "DDL": 32,
                "PREPARED_XA": 64,
                "COMPLETED_XA": 128,
            },
        ),
        (
            MariaGtidExtraFlag,
            {"MULTI_ENGINE": 1, "START_ALTER": 2, "COMMIT_ALTER": 4, "ROLLBACK_ALTER": 8, "THREAD_ID": 16},
        ),
        (StatusVar, dict(zip(STATUS_VARS.split(), [*range(22), *range(128, 132)], strict=True))),
        (TableMapFlag, {"BIT_LEN_EXACT": 1, "REFERRED_FK_DB": 2, "GENERATED_INVISIBLE_PRIMARY_KEY": 4}),
        (
            RowsFlag,
            {
                "STMT_END": 1,
                "NO_FOREIGN_KEY_CHECKS": 2,
                "RELAXED_UNIQUE_CHECKS": 4,
                "COMPLETE_ROWS": 8,
                "USE_SQL_FOREIGN_KEY": 16,
            },
        ),
        (ExtraRowInfoType, {"NDB": 0, "PARTITION": 1}),
        (DuplicateHandling, {"ERROR": 0, "IGNORE": 1, "REPLACE": 2}),
        (IntvarType, {"INVALID_INT": 0, "LAST_INSERT_ID": 1, "INSERT_ID": 2}),
        (UserVarType, {"STRING": 0, "REAL": 1, "INT": 2, "ROW": 3, "DECIMAL": 4}),
        (UserVarFlag, {"UNSIGNED": 1, "TYPE_NAME": 2}),
    ],
)
def test_a_name_has_the_number_of_the_format(names: type[IntEnum | IntFlag], numbers: dict[str, int]) -> None:
    assert {one.name: int(one) for one in names} == numbers
