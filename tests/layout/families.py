"""Strategies for hypothesis: bodies of every family of events."""

from typing import Any

from hypothesis import strategies as st

from pybinlog.column_types import ColumnType
from pybinlog.event_types import EventType
from pybinlog.layout import MetadataType, StatusVar
from pybinlog.layout.control import HeartbeatField
from pybinlog.layout.gtid import GtidField, PayloadField
from pybinlog.layout.mariadb import MariaGtidExtraFlag, MariaGtidFlag
from tests.layout.compression import compress


def unsigned(size: int) -> st.SearchStrategy[int]:
    return st.integers(0, (1 << 8 * size) - 1)


u1, u2, u3, u4, u7, u8 = (unsigned(size) for size in (1, 2, 3, 4, 7, 8))
names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60).filter(
    lambda text: len(text.encode()) < 200
)
blobs = st.binary(max_size=300)
short = st.binary(max_size=100)
xid_part = st.binary(max_size=64)


def fields(**strategies: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(strategies)


def pairs(**values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(values)


def typed(choices: dict[Any, st.SearchStrategy[Any]], code: str = "type") -> st.SearchStrategy[dict[str, Any]]:
    return st.one_of([st.fixed_dictionaries({code: st.just(kind), "value": value}) for kind, value in choices.items()])


STATUS_VAR = typed(
    {
        StatusVar.FLAGS2: u4,
        StatusVar.SQL_MODE: u8,
        StatusVar.CATALOG: pairs(catalog=names),
        StatusVar.AUTO_INCREMENT: pairs(increment=u2, offset=u2),
        StatusVar.CHARSET: pairs(character_set_client=u2, collation_connection=u2, collation_server=u2),
        StatusVar.TIME_ZONE: names,
        StatusVar.CATALOG_NZ: names,
        StatusVar.LC_TIME_NAMES: u2,
        StatusVar.CHARSET_DATABASE: u2,
        StatusVar.TABLE_MAP_FOR_UPDATE: u8,
        StatusVar.MASTER_DATA_WRITTEN: u4,
        StatusVar.INVOKER: pairs(user=names, host=names),
        StatusVar.UPDATED_DB_NAMES: st.one_of(
            pairs(names=st.lists(names, min_size=1, max_size=16)), pairs(count=st.just(254), names=st.none())
        ),
        StatusVar.MICROSECONDS: u3,
        StatusVar.COMMIT_TS: u8,
        StatusVar.COMMIT_TS2: u8,
        StatusVar.EXPLICIT_DEFAULTS_FOR_TIMESTAMP: u1,
        StatusVar.DDL_LOGGED_WITH_XID: u8,
        StatusVar.DEFAULT_COLLATION_FOR_UTF8MB4: u2,
        StatusVar.SQL_REQUIRE_PRIMARY_KEY: u1,
        StatusVar.DEFAULT_TABLE_ENCRYPTION: u1,
        StatusVar.ENABLE_CASCADE_TRIGGERS: u1,
        StatusVar.MARIA_HRNOW: u3,
        StatusVar.MARIA_XID: u8,
        StatusVar.MARIA_GTID_FLAGS3: st.one_of(
            pairs(flags_extra=st.sampled_from([0, 1, 2, 16, 255 & ~12]), sa_seq_no=st.none()),
            pairs(flags_extra=st.sampled_from([4, 8, 12, 255]), sa_seq_no=u8),
        ),
        StatusVar.MARIA_CHARACTER_SET_COLLATIONS: st.lists(pairs(character_set=u2, collation=u2), max_size=4),
    },
    "code",
)
QUERY = {
    "thread_id": u4,
    "exec_time": u4,
    "error_code": u2,
    "status_vars": st.lists(STATUS_VAR, max_size=8),
    "db": names,
    "query": blobs,
}
sid = st.binary(min_size=16, max_size=16)
intervals = st.lists(pairs(start=u8, end=u8), max_size=4)
versions = st.tuples(unsigned(3), unsigned(3))
timestamps = st.tuples(st.integers(0, (1 << 55) - 1), st.integers(0, (1 << 55) - 1))
signed = st.integers(-(1 << 63), (1 << 63) - 1)
counter = st.integers(0, (1 << 62) - 1)
GTID_5_6 = {"gtid_flags": u1, "sid": sid, "gno": signed}
GTID_5_7 = {**GTID_5_6, "lt_type": st.just(2), "last_committed": signed, "sequence_number": signed}
GTID_8_0 = {
    **GTID_5_7,
    "commit_timestamps": timestamps,
    "transaction_length": u8,
    "server_versions": versions,
    "commit_group_ticket": st.none() | u8,
}
TAGGED = typed(
    {
        GtidField.GTID_FLAGS: u1,
        GtidField.SID: st.lists(u1, min_size=16, max_size=16),
        GtidField.GNO: signed,
        GtidField.TAG: st.text("abc_9", max_size=32),
        GtidField.LAST_COMMITTED: signed,
        GtidField.SEQUENCE_NUMBER: signed,
        GtidField.IMMEDIATE_COMMIT_TIMESTAMP: u8,
        GtidField.ORIGINAL_COMMIT_TIMESTAMP: u8,
        GtidField.TRANSACTION_LENGTH: u8,
        GtidField.IMMEDIATE_SERVER_VERSION: u4,
        GtidField.ORIGINAL_SERVER_VERSION: u4,
        GtidField.COMMIT_GROUP_TICKET: u8,
    },
    "id",
)
LOAD = {
    "thread_id": u4,
    "exec_time": u4,
    "skip_lines": u4,
    "field_names": st.lists(names, max_size=4),
    "table_name": names,
    "db": names,
}
OLD_SEPARATORS = {
    key: st.binary(min_size=1, max_size=1) for key in ("field_term", "enclosed", "line_term", "line_start", "escaped")
}
SEPARATORS = dict.fromkeys(OLD_SEPARATORS, short)
NEW_OPTIONS = pairs(**SEPARATORS, opt_flags=u1)
MARIA_GTID = {"seq_no": u8, "domain_id": u4}
MARIA_XID = pairs(format_id=st.integers(0, (1 << 32) - 1), gtrid=xid_part, bqual=xid_part)
bits = st.lists(st.lists(st.booleans(), min_size=8, max_size=8), max_size=3).map(
    lambda parts: [bit for part in parts for bit in part]
)
lenenc = st.integers(0, (1 << 64) - 1)
lenenc_list = st.lists(lenenc, max_size=6)
charsets = pairs(default_charset=lenenc, exceptions=st.lists(pairs(column=lenenc, charset=lenenc), max_size=3))
texts = st.lists(st.lists(names, max_size=3), max_size=3)
METADATA = typed(
    {
        MetadataType.SIGNEDNESS: bits,
        MetadataType.DEFAULT_CHARSET: charsets,
        MetadataType.COLUMN_CHARSET: lenenc_list,
        MetadataType.COLUMN_NAME: st.lists(names, max_size=4),
        MetadataType.SET_STR_VALUE: texts,
        MetadataType.ENUM_STR_VALUE: texts,
        MetadataType.GEOMETRY_TYPE: lenenc_list,
        MetadataType.SIMPLE_PRIMARY_KEY: lenenc_list,
        MetadataType.PRIMARY_KEY_WITH_PREFIX: st.lists(pairs(column=lenenc, prefix=lenenc), max_size=3),
        MetadataType.ENUM_AND_SET_DEFAULT_CHARSET: charsets,
        MetadataType.ENUM_AND_SET_COLUMN_CHARSET: lenenc_list,
        MetadataType.COLUMN_VISIBILITY: bits,
        MetadataType.VECTOR_DIMENSIONALITY: lenenc_list,
        200: blobs,
    }
)
COLUMN_METADATA: dict[int, st.SearchStrategy[Any]] = {
    ColumnType.LONG: st.none(),
    ColumnType.VARCHAR: pairs(max_length=u2),
    ColumnType.STRING: pairs(real_type=u1, length=u1),
    ColumnType.NEWDECIMAL: pairs(precision=u1, decimals=u1),
    ColumnType.BIT: pairs(bits=u1, bytes=u1),
    ColumnType.JSON: pairs(length_bytes=u1),
    ColumnType.DATETIME2: pairs(decimals=u1),
    ColumnType.DOUBLE: pairs(pack_length=u1),
    ColumnType.TYPED_ARRAY: pairs(element_type=st.just(ColumnType.VARCHAR), element_metadata=pairs(max_length=u3)),
}


@st.composite
def table_maps(draw: st.DrawFn) -> dict[str, Any]:
    types = draw(st.lists(st.sampled_from(sorted(COLUMN_METADATA)), min_size=1, max_size=20))
    return {
        "table_id": draw(unsigned(6)),
        "flags": draw(u2),
        "db": draw(names),
        "table": draw(names),
        "column_types": types,
        "column_metadata": [draw(COLUMN_METADATA[kind]) for kind in types],
        "null_bits": draw(st.binary(min_size=(len(types) + 7) // 8, max_size=(len(types) + 7) // 8)),
        "optional_metadata": draw(st.lists(METADATA, max_size=4)),
    }


def rows(update: bool, version: int, data: st.SearchStrategy[Any] = blobs) -> st.SearchStrategy[dict[str, Any]]:
    part = pairs(partition_id=u2, source_partition_id=u2 if update else st.none())
    ndb = pairs(format=u1, data=short)

    def build(count: int) -> st.SearchStrategy[dict[str, Any]]:
        bitmap = st.binary(min_size=(count + 7) // 8, max_size=(count + 7) // 8)
        return fields(
            table_id=unsigned(6),
            flags=u2,
            extra_row_info=st.lists(typed({0: ndb, 1: part}), max_size=2) if version == 2 else st.none(),
            column_count=st.just(count),
            columns_before_image=bitmap,
            columns_after_image=bitmap if update else st.none(),
            rows=data,
        )

    return st.integers(0, 300).flatmap(build)


def format_descriptions(version: str, checksum: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return fields(
        binlog_version=u2,
        server_version=st.just(version),
        create_timestamp=u4,
        header_length=u1,
        post_header_lengths=short,
        checksum_algorithm=checksum,
    )


def heartbeat_end(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*items, {"type": 0, "value": None}]


compressed = blobs.map(compress)
FAMILIES: list[tuple[EventType, st.SearchStrategy[dict[str, Any]]]] = [
    (EventType.START_V3, fields(binlog_version=u2, server_version=st.just("4.1.22"), create_timestamp=u4)),
    (EventType.QUERY, fields(**QUERY)),
    (EventType.STOP, fields()),
    (EventType.ROTATE, fields(position=u8, new_log_ident=names)),
    (EventType.INTVAR, fields(type=u1, value=u8)),
    (
        EventType.LOAD,
        fields(**LOAD, sql_ex_info=pairs(**OLD_SEPARATORS, opt_flags=u1, empty_flags=u1), file_name=names),
    ),
    (EventType.SLAVE, fields(master_pos=u8, master_port=u2, master_host=names, master_log=names)),
    (EventType.CREATE_FILE, fields(**LOAD, file_id=u4, sql_ex_info=NEW_OPTIONS, file_name=names, block_data=blobs)),
    (EventType.APPEND_BLOCK, fields(file_id=u4, block_data=blobs)),
    (EventType.EXECUTE_LOAD, fields(file_id=u4)),
    (EventType.DELETE_FILE, fields(file_id=u4)),
    (EventType.NEW_LOAD, fields(**LOAD, sql_ex_info=NEW_OPTIONS, file_name=names)),
    (EventType.RAND, fields(seed1=u8, seed2=u8)),
    (
        EventType.USER_VAR,
        st.one_of(
            fields(name=names, is_null=st.just(1)),
            fields(name=names, is_null=st.just(0), type=u1, charset=u4, value=blobs, flags=st.none() | u1),
        ),
    ),
    (EventType.FORMAT_DESCRIPTION, format_descriptions("9.7.4-2", u1)),
    (EventType.FORMAT_DESCRIPTION, format_descriptions("10.11.19-MariaDB-log", u1)),
    (EventType.FORMAT_DESCRIPTION, format_descriptions("5.5.62-log", st.none())),
    (EventType.XID, fields(xid=u8)),
    (EventType.BEGIN_LOAD_QUERY, fields(file_id=u4, block_data=blobs)),
    (EventType.EXECUTE_LOAD_QUERY, fields(**QUERY, file_id=u4, fn_pos_start=u4, fn_pos_end=u4, dup_handling=u1)),
    (EventType.TABLE_MAP, table_maps()),
    (EventType.WRITE_ROWS_V0, rows(False, 0)),
    (EventType.WRITE_ROWS_V1, rows(False, 1)),
    (EventType.UPDATE_ROWS_V1, rows(True, 1)),
    (EventType.INCIDENT, fields(incident=u2, message=names)),
    (EventType.HEARTBEAT, fields(log_ident=names)),
    (EventType.IGNORABLE, fields(data=blobs)),
    (EventType.ROWS_QUERY, fields(query=blobs)),
    (EventType.WRITE_ROWS, rows(False, 2)),
    (EventType.UPDATE_ROWS, rows(True, 2)),
    (EventType.DELETE_ROWS, rows(False, 2)),
    (EventType.GTID, fields(**GTID_5_6)),
    (EventType.GTID, fields(**GTID_5_7)),
    (EventType.GTID, fields(**GTID_8_0)),
    (EventType.ANONYMOUS_GTID, fields(**GTID_8_0)),
    (EventType.PREVIOUS_GTIDS, fields(sources=st.lists(pairs(sid=sid, intervals=intervals), max_size=4))),
    (
        EventType.PREVIOUS_GTIDS,
        fields(
            sources=st.lists(pairs(sid=sid, tag=st.text("ab_1", max_size=32), intervals=intervals)),
            tagged=st.just(True),
        ),
    ),
    (
        EventType.TRANSACTION_CONTEXT,
        fields(
            server_uuid=names,
            thread_id=u4,
            gtid_specified=u1,
            snapshot_version=blobs,
            write_set=st.lists(short, max_size=3),
            read_set=st.lists(short, max_size=3),
        ),
    ),
    (
        EventType.VIEW_CHANGE,
        fields(
            view_id=st.text("0123456789:", max_size=39),
            sequence_number=u8,
            certification_info=st.lists(pairs(key=names, value=short), max_size=3),
        ),
    ),
    (
        EventType.XA_PREPARE,
        fields(one_phase=u1, format_id=st.integers(0, (1 << 32) - 1), gtrid=xid_part, bqual=xid_part),
    ),
    (EventType.PARTIAL_UPDATE_ROWS, rows(True, 2)),
    (
        EventType.TRANSACTION_PAYLOAD,
        fields(
            fields=st.lists(
                typed(
                    {
                        PayloadField.PAYLOAD_SIZE: lenenc,
                        PayloadField.COMPRESSION_TYPE: lenenc,
                        PayloadField.UNCOMPRESSED_SIZE: lenenc,
                        9: short,
                    }
                ),
                max_size=4,
            ).map(heartbeat_end),
            payload=blobs,
        ),
    ),
    (
        EventType.HEARTBEAT_V2,
        fields(
            fields=st.lists(
                typed({HeartbeatField.LOG_FILENAME: names, HeartbeatField.LOG_POSITION: lenenc, 7: short}), max_size=4
            ).map(heartbeat_end)
        ),
    ),
    (EventType.GTID_TAGGED, fields(fields=st.lists(TAGGED, max_size=12))),
    (EventType.MARIA_ANNOTATE_ROWS, fields(query=blobs)),
    (EventType.MARIA_BINLOG_CHECKPOINT, fields(filename=names)),
    (EventType.MARIA_GTID, fields(**MARIA_GTID, flags2=st.just(0), flags_extra=st.just(0))),
    (EventType.MARIA_GTID, fields(**MARIA_GTID, flags2=st.just(MariaGtidFlag.GROUP_COMMIT_ID), commit_id=u8)),
    (
        EventType.MARIA_GTID,
        fields(
            **MARIA_GTID,
            flags2=st.just(MariaGtidFlag.GROUP_COMMIT_ID | MariaGtidFlag.PREPARED_XA),
            commit_id=u8,
            xid=MARIA_XID,
            flags_extra=st.just(
                MariaGtidExtraFlag.MULTI_ENGINE | MariaGtidExtraFlag.COMMIT_ALTER | MariaGtidExtraFlag.THREAD_ID
            ),
            extra_engines=u1,
            sa_seq_no=u8,
            thread_id=u4,
        ),
    ),
    (
        EventType.MARIA_GTID_LIST,
        fields(list=st.lists(pairs(domain_id=u4, server_id=u4, seq_no=u8), max_size=4), gl_flags=st.integers(0, 15)),
    ),
    (
        EventType.MARIA_START_ENCRYPTION,
        fields(crypto_scheme=u1, key_version=u4, nonce=st.binary(min_size=12, max_size=12)),
    ),
    (EventType.MARIA_QUERY_COMPRESSED, fields(**{**QUERY, "query": compressed})),
    (EventType.MARIA_WRITE_ROWS_COMPRESSED_V1, rows(False, 1, compressed)),
    (EventType.MARIA_UPDATE_ROWS_COMPRESSED, rows(True, 1, compressed)),
    (EventType.MARIA_DELETE_ROWS_COMPRESSED, rows(False, 1, compressed)),
    (EventType.MARIA_PARTIAL_ROWS, fields(total=u4, number=u4, size=st.none() | u8, data=blobs)),
    (EventType(0), fields(data=blobs)),
]
