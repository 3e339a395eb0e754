# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Row events as lists of JSON, for Python: what rows_json makes of their images."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.rows.image_json is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.pybinlog.kernel.base.event import COMMON_HEADER_LENGTH, TABLE_MAP, Format, format_default
from cython.cimports.pybinlog.kernel.base.lenenc import octets
from cython.cimports.pybinlog.kernel.base.text import OwnText, text_take
from cython.cimports.pybinlog.kernel.rows.column import table_map_prepare
from cython.cimports.pybinlog.kernel.rows.column_label import table_map_label
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_UPDATE, RowsFields, rows_parse
from cython.cimports.pybinlog.kernel.rows.rows_json import put_json_image
from cython.cimports.pybinlog.kernel.rows.table_map import (
    TableMap,
    TableMaps,
    table_maps_free,
    table_maps_get,
    table_maps_init,
    table_maps_put,
)


@cython.cfunc
def add_image(
    images: list,
    maps: cython.pointer(TableMaps),
    map: cython.pointer(TableMap),
    fields: cython.pointer(RowsFields),
    at: octets,
    before: octets,
) -> octets:
    text: OwnText = OwnText()
    at = put_json_image(cython.address(text.text), maps, map, fields, at, fields.rows + fields.rows_size, before)
    images.append(None if at == cython.NULL else text_take(cython.address(text.text)))
    return at


def images_as_json(events: list[bytes], mariadb: cython.bint = False) -> list[list[bytes | None]]:
    """The row images of each row event whose table is known; the last is None where it cannot be read.

    The events are whole, with header and without checksum, in the formats that MySQL 5.1.6 and later write, and what
    is no Table_map is passed over where it is no row event. MemoryError where there is no memory.
    """
    maps: TableMaps
    format: Format
    fields: RowsFields
    map: cython.pointer(TableMap)
    at: octets
    row: octets
    found: list = []
    images: list
    event: bytes
    format_default(cython.address(format))
    table_maps_init(cython.address(maps))
    try:
        for event in events:
            if len(event) >= COMMON_HEADER_LENGTH and event[4] == TABLE_MAP:
                table_maps_put(cython.address(maps), cython.address(format), event, len(event))
                continue
            if rows_parse(cython.address(fields), cython.address(format), event, len(event)) != 0:
                continue
            map = table_maps_get(cython.address(maps), fields.table_id)
            if map == cython.NULL:
                continue
            if not table_map_prepare(cython.address(maps), map, 1):
                raise MemoryError
            if not table_map_label(cython.address(maps), map, mariadb):
                raise MemoryError
            images = []
            found.append(images)
            at = fields.rows
            while at != cython.NULL and at != fields.rows + fields.rows_size:
                row = at
                at = add_image(images, cython.address(maps), map, cython.address(fields), at, cython.NULL)
                if at != cython.NULL and fields.kind == ROWS_UPDATE:
                    at = add_image(images, cython.address(maps), map, cython.address(fields), at, row)
    finally:
        table_maps_free(cython.address(maps))
    return found
