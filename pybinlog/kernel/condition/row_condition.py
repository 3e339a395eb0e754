"""RowCondition: keeps the rows that meet a condition; compiled, as it is asked of every row.

The condition is bound to a table's columns when rows of a new definition come. Python is called for that, and for
nothing else.
"""

import cython
from cython.cimports.pybinlog.kernel.base import event
from cython.cimports.pybinlog.kernel.base.memory import is_interrupted, raise_interrupt, until_look
from cython.cimports.pybinlog.kernel.condition.program import ROW_DROPPED, ROW_INTERRUPTED, ROW_MATCHES, ROW_NOT_JUDGED
from cython.cimports.pybinlog.kernel.condition.row_program import RowProgram
from cython.cimports.pybinlog.kernel.condition.sure_misses import skip_misses
from cython.cimports.pybinlog.kernel.rows import table_map
from cython.cimports.pybinlog.kernel.rows.column import VALUES, table_map_prepare
from cython.cimports.pybinlog.kernel.rows.column_lists import Cursor, list_of
from cython.cimports.pybinlog.kernel.rows.table_description import next_bytes, next_members

MOST_PROGRAMS = 1000


def bytes_from(data: octets, size: cython.size_t) -> bytes:
    return cython.cast(cython.p_const_char, data)[:size] if size else b""


def key_of(map: p_const_TableMap) -> bytes:
    """Return a table's names, types and metadata as the Table_map has them."""
    f = cython.declare(cython.pointer(cython.const[table_map.TableMapFields]), cython.address(map.fields))
    return b"\0".join(
        (
            bytes_from(f.database, f.database_length),
            bytes_from(f.table, f.table_length),
            bytes_from(f.types, f.column_count),
            bytes_from(f.metadata, f.metadata_size),
            bytes_from(f.optional, f.optional_size),
        )
    )


def described(map: p_const_TableMap) -> list:
    """Return for each column: name (None if the log has none), type, metadata, scale, sign, collation, members
    and the bytes of a CHAR or BINARY."""
    i: cython.size_t
    names: Cursor = list_of(cython.address(map.fields), table_map.COLUMN_NAME)
    enums: Cursor = list_of(cython.address(map.fields), table_map.ENUM_STR_VALUE)
    sets: Cursor = list_of(cython.address(map.fields), table_map.SET_STR_VALUE)
    found: list = []
    for i in range(map.fields.column_count):
        column: p_const_Column = cython.address(map.columns[i])
        members = None
        length: uint32_t = 0
        if column.type == table_map.TYPE_ENUM:
            members = next_members(cython.address(enums), False)
        elif column.type == table_map.TYPE_SET:
            members = next_members(cython.address(sets), False)
        elif column.type == table_map.TYPE_STRING:
            length = table_map.string_length(column)
        found.append(
            (
                next_bytes(cython.address(names)),
                column.type,
                column.metadata,
                column.decimals,
                cython.cast(cython.int, column.signedness),
                column.collation,
                members,
                length,
            )
        )
    return found


def is_of(known: cython.pointer(cython.const[KnownTable]), map: p_const_TableMap) -> cython.bint:
    return known.map == map and known.first_number == map.first_number and known.lent_in == map.lent_in


@cython.final
@cython.cclass
class RowCondition:
    """`bind(database, table, columns, mariadb)` returns a Bound (`pybinlog.where.binding`); None if the table lacks a
    column. `drops_unknown`: rows that cannot be judged are not kept."""

    def __init__(self, bind: object, drops_unknown: cython.bint = False):
        self.bind = bind
        self.drops_unknown = drops_unknown
        self.programs = {}
        self.counted = ({}, {})

    def begin(self, fields: p_const_RowsFields, map: p_const_TableMap) -> Binding:
        known: cython.pointer(KnownTable) = cython.address(self.known[map.first_number % KNOWN_TABLES])
        if not is_of(known, map):
            if not self.begin_table(map, known):
                return BINDING_FAILED
        self.program = known.program
        if self.program == cython.NULL:
            return NOT_BOUND
        program_begin(self.program, fields, map)
        return BOUND

    def begin_table(self, map: p_const_TableMap, known: cython.pointer(KnownTable)) -> cython.bint:
        known.map = cython.NULL
        try:
            program: RowProgram = self.find(map)
        except BaseException as error:
            self.raised = error
            return False
        known.map = map
        known.first_number = map.first_number
        known.lent_in = map.lent_in
        known.program = cython.NULL if program is None else cython.address(program.program)
        return True

    def find(self, map: p_const_TableMap) -> object:
        """Return the RowProgram of the table; None if it lacks a column."""
        f = cython.declare(cython.pointer(cython.const[table_map.TableMapFields]), cython.address(map.fields))
        key: bytes = key_of(map)
        if key not in self.programs:
            if len(self.programs) >= MOST_PROGRAMS:
                self.forget()
            mariadb: cython.bint = map.mariadb
            columns: list = described(map)
            bound = self.bind(
                bytes_from(f.database, f.database_length),
                bytes_from(f.table, f.table_length),
                columns,
                True if mariadb else False,
            )
            self.programs[key] = (
                None if bound is None else RowProgram(bound.instructions, bound.columns, len(columns), mariadb)
            )
        return self.programs[key]

    def keep(self, fields: p_const_RowsFields, maps: p_TableMaps, kept: p_Text) -> int64_t:
        map: p_TableMap = table_map.table_maps_get(maps, fields.table_id)
        if map == cython.NULL:
            return fields.rows_size != 0 and self.keeps_unknown()
        if not table_map_prepare(maps, map, VALUES):
            with cython.gil:
                self.raised = MemoryError("no memory for the columns of a table")
            return KEPT_FAILED
        bound: Binding = self.begin(fields, map)
        if bound == BOUND:
            return self.keep_rows(fields, map, kept)
        return KEPT_FAILED if bound == BINDING_FAILED else 0

    def keep_event(
        self,
        e: p_const_Event,
        format: p_const_Format,
        text: cython.p_const_char,
        length: cython.size_t,
        maps: p_TableMaps,
    ) -> int64_t:
        fields: RowsFields
        if not event.is_rows(e.type) and not event.is_compressed_rows(e.type):
            return 0
        if rows_parse(cython.address(fields), format, e.data, e.body_end) != 0:
            return 0
        if text != cython.NULL:
            fields.rows = cython.cast(octets, text)
            fields.rows_size = length
        return self.keep(cython.address(fields), maps, cython.NULL)

    def keep_rows(self, fields: p_const_RowsFields, map: p_const_TableMap, kept: p_Text) -> int64_t:
        count: int64_t = 0
        skipped: uint64_t = 0
        at: octets = fields.rows
        end: octets = at + fields.rows_size
        after: octets = cython.NULL
        look: octets = until_look(at, end)
        if at == end and fields.kind == ROWS_WRITE:
            return 1 if self.keeps_unknown() else 0
        while True:
            at = self.skip(at, end, cython.address(skipped))
            if at == end:
                return count
            if at >= look:
                if is_interrupted():
                    return self.fail()
                look = until_look(at, end)
            found: cython.int = self.judge(fields, map, at, end, cython.address(after))
            if found == ROW_INTERRUPTED:
                return self.fail()
            if found == ROW_UNREADABLE:
                after = end
            if found != ROW_DROPPED and kept != cython.NULL:
                put_memory(kept, at, after - at)
            if found == ROW_UNREADABLE:
                return KEPT_UNREADABLE
            count += found == ROW_MATCHES
            at = after

    def fail(self) -> int64_t:
        """Let the error of a signal's handler be the reason that no rows are kept."""
        try:
            raise_interrupt()
        except BaseException as error:
            self.raised = error
        return KEPT_FAILED

    def drops(
        self, e: p_const_Event, format: p_const_Format, map: p_const_TableMap, rows: cython.pointer(uint64_t)
    ) -> cython.bint:
        known: cython.pointer(KnownTable) = cython.address(self.known[map.first_number % KNOWN_TABLES])
        skipped: uint64_t = 0
        if (
            not is_of(known, map)
            or known.program == cython.NULL
            or not program_drops(known.program, e, format, map, cython.address(skipped))
        ):
            return False
        self.dropped += skipped
        rows[0] += skipped
        return True

    def skip(self, at: octets, end: octets, rows: cython.pointer(uint64_t)) -> octets:
        skipped: uint64_t = 0
        at = skip_misses(cython.address(self.program.sure), at, end, cython.address(skipped))
        self.dropped += skipped
        rows[0] += skipped
        return at

    def judge(
        self, fields: p_const_RowsFields, map: p_const_TableMap, at: octets, end: octets, after: cython.pointer(octets)
    ) -> cython.int:
        found: cython.int = program_judge(self.program, fields, map, at, end, after)
        if found == ROW_NOT_JUDGED:
            self.unknown += 1
            found = ROW_DROPPED if self.drops_unknown else ROW_MATCHES
        if found == ROW_MATCHES:
            self.kept += 1
        elif found == ROW_DROPPED:
            self.dropped += 1
        return found

    def keeps_unknown(self) -> cython.bint:
        """Count a row that has no column at all, and so cannot be judged; whether it is kept."""
        self.unknown += 1
        if self.drops_unknown:
            self.dropped += 1
            return False
        self.kept += 1
        return True

    def pop_error(self) -> object:
        raised = self.raised
        self.raised = None
        return raised

    def forget(self) -> None:
        """Drop the programs; what they counted stays."""
        self.counted = self.reasons()
        for i in range(KNOWN_TABLES):
            self.known[i].map = cython.NULL
        self.programs.clear()

    def reasons(self) -> tuple:
        """Return the rows that could not be judged: by column, those whose images lack it, and those whose value has no
        order that is known."""
        lacking, unclear = (dict(each) for each in self.counted)
        for program in self.programs.values():
            if program is not None:
                for total, more in zip((lacking, unclear), program.reasons()):
                    for name, count in more.items():
                        total[name] = total.get(name, 0) + count
        return lacking, unclear

    def counts(self) -> tuple:
        """Return how many rows were kept, dropped, and among them could not be judged."""
        return self.kept, self.dropped, self.unknown
