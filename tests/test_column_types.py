"""The types of columns have the numbers, the metadata and the names of the servers' sources."""

from pybinlog.column_types import (
    CHARACTER_TYPES,
    INTEGER_BYTES,
    LOGGED_AS,
    NUMERIC_TYPES,
    ColumnType,
    Group,
    MetadataType,
    Stored,
)

TYPES = """
    0 DECIMAL NOTHING
    1 TINY NOTHING NUMBERS 1 INT8 TINYINT TINYINT
    2 SHORT NOTHING NUMBERS 2 INT16 SHORTINT SMALLINT
    3 LONG NOTHING NUMBERS 4 INT32 INT INT
    4 FLOAT PACK_LENGTH NUMBERS 4 FLOAT FLOAT FLOAT
    5 DOUBLE PACK_LENGTH NUMBERS 8 DOUBLE DOUBLE DOUBLE
    6 NULL NOTHING
    7 TIMESTAMP NOTHING - 4 TIMESTAMP TIMESTAMP
    8 LONGLONG NOTHING NUMBERS 8 INT64 LONGINT BIGINT
    9 INT24 NOTHING NUMBERS 3 INT24 MEDIUMINT MEDIUMINT
    10 DATE NOTHING - 3 DATE DATE DATE
    11 TIME NOTHING - 3 TIME TIME
    12 DATETIME NOTHING - 8 DATETIME DATETIME
    13 YEAR NOTHING NUMBERS 1 YEAR YEAR YEAR
    14 NEWDATE NOTHING - 3 DATE DATE DATE
    15 VARCHAR MAX_LENGTH CHARACTERS
    16 BIT BITS
    17 TIMESTAMP2 DECIMALS
    18 DATETIME2 DECIMALS
    19 TIME2 DECIMALS
    20 TYPED_ARRAY ELEMENT
    140 MARIA_BLOB_COMPRESSED LENGTH_BYTES
    141 MARIA_VARCHAR_COMPRESSED MAX_LENGTH
    242 VECTOR LENGTH_BYTES CHARACTERS 0 - VECTOR VECTOR FLOATS dimensions
    245 JSON LENGTH_BYTES - 0 - JSON JSON JSON
    246 NEWDECIMAL PRECISION NUMBERS
    247 ENUM REAL_TYPE
    248 SET REAL_TYPE
    249 TINY_BLOB LENGTH_BYTES
    250 MEDIUM_BLOB LENGTH_BYTES
    251 LONG_BLOB LENGTH_BYTES
    252 BLOB LENGTH_BYTES CHARACTERS
    253 VAR_STRING MAX_LENGTH CHARACTERS
    254 STRING REAL_TYPE CHARACTERS
    255 GEOMETRY LENGTH_BYTES
"""
"""Number, name and metadata; the list of optional metadata; size and reading; names; content; dimensions."""

METADATA = """
    NOTHING nothing
    LENGTH_BYTES byte length_bytes
    PACK_LENGTH byte pack_length
    DECIMALS byte decimals
    MAX_LENGTH word max_length
    BITS word bits bytes
    PRECISION pair precision decimals
    REAL_TYPE pair real_type length
    ELEMENT element element_type element_metadata
"""


def lines(table: str) -> list[str]:
    return [line.strip() for line in table.strip().splitlines()]


def line_of(kind: ColumnType) -> str:
    words = [
        "-" if kind.group is None else kind.group.name,
        str(kind.size),
        kind.reading or "-",
        kind.title or "-",
        kind.sql or "-",
        kind.content or "-",
        "dimensions" if kind.dimensions else "-",
    ]
    while words and words[-1] in ("-", "0"):
        del words[-1]
    return " ".join([str(kind.value), kind.name, kind.stored.name, *words])


def test_every_type_is_as_servers_have_it() -> None:
    assert [line_of(kind) for kind in ColumnType] == lines(TYPES)
    assert [int(kind) for kind in ColumnType] == [kind.value for kind in ColumnType]


def test_the_metadata_of_a_column_is_stored_in_one_of_five_forms() -> None:
    assert [" ".join([stored.name, stored.number, *stored.fields]) for stored in Stored] == lines(METADATA)


def test_lists_of_optional_metadata_are_about_these_types() -> None:
    assert sorted(NUMERIC_TYPES) == [1, 2, 3, 4, 5, 8, 9, 13, 246]
    assert sorted(CHARACTER_TYPES) == [15, 242, 252, 253, 254]
    assert (Group.NUMBERS.value, Group.CHARACTERS.value) == ("sign", "collation")


def test_integers_have_one_to_eight_bytes() -> None:
    assert INTEGER_BYTES == {1: 1, 2: 2, 3: 4, 8: 8, 9: 3}


def test_older_servers_and_mariadb_log_other_types() -> None:
    assert LOGGED_AS == {
        10: (14,),
        19: (11,),
        18: (12,),
        17: (7,),
        246: (0,),
        15: (253, 141),
        252: (140,),
        245: (252,),
        242: (15,),
    }


def test_fields_of_optional_metadata_have_their_numbers() -> None:
    assert [(kind.value, kind.name) for kind in MetadataType] == [
        (1, "SIGNEDNESS"),
        (2, "DEFAULT_CHARSET"),
        (3, "COLUMN_CHARSET"),
        (4, "COLUMN_NAME"),
        (5, "SET_STR_VALUE"),
        (6, "ENUM_STR_VALUE"),
        (7, "GEOMETRY_TYPE"),
        (8, "SIMPLE_PRIMARY_KEY"),
        (9, "PRIMARY_KEY_WITH_PREFIX"),
        (10, "ENUM_AND_SET_DEFAULT_CHARSET"),
        (11, "ENUM_AND_SET_COLUMN_CHARSET"),
        (12, "COLUMN_VISIBILITY"),
        (13, "VECTOR_DIMENSIONALITY"),
    ]
