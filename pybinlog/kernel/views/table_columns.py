# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""TableColumns: the view `table`, the changed rows of one table with its own columns, typed.

The columns of the view `rows` are there, too, so this is a subclass: events, filters, portions of an event and what
stands beside a row's values are as there.
"""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.views.table_columns is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint64_t
from cython.cimports.libc.stdlib import calloc, free
from cython.cimports.libc.string import memcmp, memcpy
from cython.cimports.pybinlog.kernel.base.charset import Charset, charset_find, charset_put, charset_valid
from cython.cimports.pybinlog.kernel.base.clock import days_from_civil
from cython.cimports.pybinlog.kernel.base.lenenc import octets
from cython.cimports.pybinlog.kernel.base.text import (
    LARGE_VALUE,
    Text,
    put_bytes,
    put_char,
    put_padded,
    text_free,
    text_init,
    text_relieve,
)
from cython.cimports.pybinlog.kernel.rows.address import address_size, put_address
from cython.cimports.pybinlog.kernel.rows.column_value import (
    VALUE_BIT,
    VALUE_BYTES,
    VALUE_DATE,
    VALUE_DATETIME,
    VALUE_DECIMAL,
    VALUE_DOUBLE,
    VALUE_ENUM,
    VALUE_FLOAT,
    VALUE_INTEGER,
    VALUE_JSON,
    VALUE_JSON_DIFF,
    VALUE_NULL,
    VALUE_OPAQUE,
    VALUE_SET,
    VALUE_TIME,
    VALUE_TIMESTAMP,
    VALUE_TRUNCATED,
    VALUE_UNREADABLE,
    VALUE_VECTOR,
    VALUE_YEAR,
    ColumnValue,
    Moment,
)
from cython.cimports.pybinlog.kernel.rows.json_update import put_json_update
from cython.cimports.pybinlog.kernel.rows.json_value import JSON_WRITTEN, put_json_document
from cython.cimports.pybinlog.kernel.rows.number_value import put_decimal
from cython.cimports.pybinlog.kernel.rows.rows import (
    IMAGE_READ,
    ROWS_DELETE,
    ROWS_UPDATE,
    ImageWalk,
    image_begin,
    image_end,
    image_next,
    skip_image,
)
from cython.cimports.pybinlog.kernel.rows.table_description import describe_table
from cython.cimports.pybinlog.kernel.rows.table_map import TableMap, table_maps_get
from cython.cimports.pybinlog.kernel.views.arrow_column import (
    INT8,
    INT16,
    INT32,
    INT64,
    INT128,
    INT256,
    LISTS,
    STRINGS,
    ArrowColumn,
    ColumnKind,
    add_fixed,
    add_int32,
    add_int64,
    add_null,
    add_string,
    column_cut,
    end_list,
    end_string,
)
from cython.cimports.pybinlog.kernel.views.arrow_decimal import Limbs, limbs_of_integer, limbs_of_text
from cython.cimports.pybinlog.kernel.views.definition_columns import put_definition
from cython.cimports.pybinlog.kernel.views.row_columns import RowColumns
from cython.cimports.pybinlog.kernel.views.view_columns import (
    VIEW_DONE,
    VIEW_NO_MEMORY,
    VIEW_REFUSED,
    VIEW_UNREADABLE,
)

MICROSECONDS = cython.declare(int64_t, 1000000)
DAY = cython.declare(int64_t, 86400)
WIDTHS = {8: INT8, 16: INT16, 32: INT32, 64: INT64, 128: INT128, 256: INT256}
FORMS_OF_BYTES = (FORM_STRING, FORM_BYTES)
FORMS_OF_LISTS = (FORM_MEMBERS, FORM_VECTOR)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_date(moment: cython.pointer(cython.const[Moment])) -> cython.bint:
    """Whether the calendar has the date, from the year 1 on, as Python, Spark and pandas have it."""
    year: cython.uint = moment.year
    month: cython.uint = moment.month
    last: cython.uint = 31
    if year == 0 or year > 9999 or month == 0 or month > 12 or moment.day == 0:
        return False
    if month == 2:
        last = 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    elif month == 4 or month == 6 or month == 9 or month == 11:
        last = 30
    return moment.day <= last


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_time(moment: cython.pointer(cython.const[Moment])) -> cython.bint:
    return moment.hour < 24 and moment.minute < 60 and moment.second < 60 and moment.microsecond < 1000000


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fits(digits: cython.pointer(cython.const[Text]), whole: cython.int) -> cython.bint:
    """Whether a decimal has no more digits before the point: the reference lets one too many pass."""
    at: cython.size_t = 0
    count: cython.int = 0
    while at < digits.length and (digits.data[at] == 45 or digits.data[at] == 48):
        at += 1
    while at < digits.length and digits.data[at] != 46:
        at += 1
        count += 1
    return count <= whole


@cython.cclass
class TableColumns(RowColumns):
    """`targets` are the view's columns of the table, each as (form, bits of a value, scale, name, source).

    The source is the column's name here, with ".element" for that of a list's elements. Further columns are "sequence"
    and "missing". The planner is asked once for each definition of the table that a row event has, and
    says what becomes of its columns:

        planner.steps(description, file, position) -> for each column None, or
            (number of the target or -1, in the key, may be negative, collation, members or None, bytes of a BINARY)

    A member is (place in the dictionary, name in UTF-8); the first of an ENUM is what the number 0 stands for. What it
    raises comes out of the reader. `planner.refusal(number of the column, date)` makes the error for a value that has
    none in Arrow: a date that is not in the calendar (`date`), or bytes that are no characters.
    """

    def __init__(self, wanted, filter, targets=(), planner=None, zero_dates: bool = False, invalid_text: bool = False):
        i: cython.size_t
        RowColumns.__init__(self, wanted, filter)
        text_init(cython.address(self.planned))
        text_init(cython.address(self.definition))
        text_init(cython.address(self.digits))
        self.numbered = True
        self.planner = planner
        self.refuses_zero_dates = zero_dates
        self.refuses_text = invalid_text
        self.part = 49
        self.sequence = self.column("sequence", STRINGS)
        self.missing = self.column("missing", LISTS)
        self.missing_names = self.column("missing.element", STRINGS)
        self.targets = cython.cast(cython.pointer(Target), calloc(len(targets) + 1, cython.sizeof(Target)))
        if self.targets == cython.NULL:
            raise MemoryError("no memory for the columns of a table")
        self.target_names = []
        for i in range(len(targets)):
            form, bits, scale, name, source = targets[i]
            target: cython.pointer(Target) = cython.address(self.targets[i])
            target.form = form
            target.scale = scale
            if form in FORMS_OF_LISTS:
                target.column = self.column(source, LISTS)
                target.elements = self.column(f"{source}.element", STRINGS if form == FORM_MEMBERS else INT32)
            elif form in FORMS_OF_BYTES:
                target.column = self.column(source, STRINGS)
            else:
                kind: cython.int = WIDTHS[bits]
                target.column = self.column(source, cython.cast(ColumnKind, kind))
            encoded: bytes = name.encode("utf-8", "replace")
            self.target_names.append(encoded)
            target.name = encoded
            target.name_length = len(encoded)
            self.target_count += 1
        own = {source for *_, source in targets}
        self.want({*wanted, *own, *(f"{source}.element" for source in own)})

    def __dealloc__(self):
        free(self.targets)
        free(self.steps)
        free(self.members)
        text_free(cython.address(self.planned))
        text_free(cython.address(self.definition))
        text_free(cython.address(self.digits))

    # ---- definitions

    def begin_rows(self, e, format, data, length):
        map: cython.pointer(TableMap)
        status: cython.int = RowColumns.begin_rows(self, e, format, data, length)
        if status != VIEW_DONE or self.at == cython.NULL:
            return status
        map = table_maps_get(cython.address(self.maps), self.fields.table_id)
        self.definition.length = 0
        put_definition(cython.address(self.definition), map)
        if self.definition.failed:
            status = VIEW_NO_MEMORY
        elif (
            self.steps == cython.NULL
            or self.definition.length != self.planned.length
            or memcmp(self.definition.data, self.planned.data, self.planned.length) != 0
        ):
            status = self.plan(e, format, map)
        if status != VIEW_DONE:
            self.at = cython.NULL
        return status

    def plan(self, e, format, map):
        with cython.gil:
            try:
                place = self.payload_position if self.inside else e.position
                description = describe_table(map, format.mariadb)
                steps = self.planner.steps(description, cython.cast(bytes, self.file).decode(), place)
                self.take_plan(steps, format.mariadb)
            except Exception as error:
                self.refused = error
                return VIEW_REFUSED
        self.planned.length = 0
        put_bytes(cython.address(self.planned), self.definition.data, self.definition.length)
        return VIEW_NO_MEMORY if self.planned.failed else VIEW_DONE

    def take_plan(self, steps, mariadb):
        i: cython.size_t
        at: cython.size_t = 0
        target: cython.int
        step: cython.pointer(Step)
        for i in range(self.target_count):
            self.targets[i].planned = False
        free(self.steps)
        free(self.members)
        self.step_count = 0
        self.members = cython.NULL
        self.has_key = False
        self.kept = []
        self.steps = cython.cast(cython.pointer(Step), calloc(len(steps) + 1, cython.sizeof(Step)))
        if self.steps == cython.NULL:
            raise MemoryError("no memory for the columns of a table")
        total: cython.size_t = sum([len(entry[4] or ()) for entry in steps if entry is not None])
        self.members = cython.cast(cython.pointer(Member), calloc(total + 1, cython.sizeof(Member)))
        if self.members == cython.NULL:
            raise MemoryError("no memory for the columns of a table")
        for i in range(len(steps)):
            step = cython.address(self.steps[i])
            self.step_count += 1
            step.target = -1
            if steps[i] is None:
                continue
            target, key, negative, collation, members, padded_to = steps[i]
            if target >= cython.cast(cython.int, self.target_count):
                raise IndexError("there is no such column")
            step.target = target
            step.key = key
            step.negative = negative
            charset: cython.pointer(cython.const[Charset]) = cython.NULL
            if collation:
                charset_find(cython.address(charset), collation, mariadb)
            step.charset = charset
            step.padded_to = padded_to
            if target >= 0:
                self.targets[target].planned = True
            self.has_key = self.has_key or step.key
            step.first = at
            for place, name in members or ():
                self.members[at].place = place
                self.kept.append(name)
                self.members[at].name = cython.cast(bytes, name)
                self.members[at].length = len(name)
                at += 1
            step.members = at - step.first
        return 0

    # ---- rows

    def row(self, e, map):
        """Add the row at `at`; an UPDATE that changes the key gives two: the old one deleted, and the new one."""
        at: octets = self.at
        end: octets = self.fields.rows + self.fields.rows_size
        after: octets
        status: cython.int
        before_count: cython.size_t = self.count
        if map == cython.NULL:
            return VIEW_NO_MEMORY
        after = skip_image(cython.address(self.fields), map, at, end, False)
        if after == cython.NULL:
            return VIEW_UNREADABLE
        if self.fields.kind != ROWS_UPDATE:
            status = self.fill(map, at, end, False, False)
            return self.one(e, map) if status == VIEW_DONE else status
        if skip_image(cython.address(self.fields), map, after, end, True) == cython.NULL:
            return VIEW_UNREADABLE
        if self.has_key and self.key_changed(map, at, after, end):
            status = self.fill(map, at, end, False, False)
            if status != VIEW_DONE:
                return status
            self.fields.kind = ROWS_DELETE
            self.part = 48
            status = self.one(e, map)
            self.fields.kind = ROWS_UPDATE
            self.part = 49
            if status != VIEW_DONE:
                return status
            self.at = at
            self.group.rows -= 1
        status = self.fill(map, after, end, True, False)
        if status == VIEW_DONE:
            status = self.fill(map, at, end, False, True)
        if status == VIEW_DONE:
            status = self.one(e, map)
        if status != VIEW_DONE:
            self.count = before_count
            self.cut()
        return status

    def one(self, e, map):
        """The row whose values are there; what stands beside them."""
        status: cython.int = RowColumns.row(self, e, map)
        if status != VIEW_DONE:
            self.cut()
        return status

    def cut(self):
        """Forget what belongs to no whole row."""
        i: cython.size_t
        target: cython.pointer(Target)
        end: int32_t
        for i in range(self.column_count):
            if self.columns[i].wanted and not self.is_element(self.columns[i]):
                column_cut(self.columns[i], self.count)
        for i in range(self.target_count):
            target = cython.address(self.targets[i])
            if target.elements != cython.NULL:
                memcpy(cython.address(end), target.column.values.data + 4 * self.count, 4)
                column_cut(target.elements, cython.cast(cython.size_t, end))
        if self.missing.wanted:
            memcpy(cython.address(end), self.missing.values.data + 4 * self.count, 4)
            column_cut(self.missing_names, cython.cast(cython.size_t, end))

    def is_element(self, column):
        i: cython.size_t
        if column == self.missing_names:
            return True
        for i in range(self.target_count):
            if self.targets[i].elements == column:
                return True
        return False

    def key_changed(self, map, at, after, end):
        """Whether an update, whose images begin at `at` and `after`, changes a column of the key."""
        before_walk: ImageWalk
        after_walk: ImageWalk
        old: ColumnValue
        new: ColumnValue
        old_at: octets
        new_at: octets
        new.number = 0
        if image_begin(cython.address(before_walk), cython.address(self.fields), map, at, end, False) != IMAGE_READ:
            return False
        if image_begin(cython.address(after_walk), cython.address(self.fields), map, after, end, True) != IMAGE_READ:
            return False
        old_at = before_walk.at
        new_at = after_walk.at
        while image_next(cython.address(before_walk), cython.address(old)):
            if old.number <= self.step_count and self.steps[old.number - 1].key:
                while new.number < old.number:
                    new_at = after_walk.at
                    if not image_next(cython.address(after_walk), cython.address(new)):
                        return False
                if new.number == old.number:
                    if before_walk.at - old_at != after_walk.at - new_at:
                        return True
                    if memcmp(old_at, new_at, before_walk.at - old_at) != 0:
                        return True
            old_at = before_walk.at
        return False

    def fill(self, map, at, end, after, again):
        """Add the values of a row image; `again`: only those that the other image had not."""
        walk: ImageWalk
        value: ColumnValue
        step: cython.pointer(Step)
        target: cython.pointer(Target)
        status: cython.int
        i: cython.size_t
        if again:
            for i in range(self.target_count):
                if self.targets[i].planned and self.targets[i].column.count == self.count:
                    break
            else:
                return VIEW_DONE
        else:
            for i in range(self.target_count):
                self.targets[i].update = cython.NULL
        if image_begin(cython.address(walk), cython.address(self.fields), map, at, end, after) != IMAGE_READ:
            return VIEW_UNREADABLE
        while image_next(cython.address(walk), cython.address(value)):
            if value.number > self.step_count:
                continue
            step = cython.address(self.steps[value.number - 1])
            if step.target < 0:
                if value.kind == VALUE_TRUNCATED or value.kind == VALUE_UNREADABLE:
                    self.cut()
                    return VIEW_UNREADABLE
                continue
            target = cython.address(self.targets[step.target])
            if target.column.count != self.count:
                continue  # the other image had it (or another column has the same name)
            if again:
                if target.update != cython.NULL:
                    status = self.put_update(target, cython.address(value))
                    if status != VIEW_DONE:
                        self.cut()
                        return status
                    continue
            if value.kind == VALUE_NULL:
                if target.elements != cython.NULL:
                    end_list(target.column, target.elements.count, False)
                else:
                    add_null(target.column)
                continue
            if value.kind == VALUE_JSON_DIFF:
                target.update = value.data  # the other image has what it changes
                target.update_size = value.size
                continue
            status = self.put(step, target, cython.address(value))
            if status != VIEW_DONE:
                self.cut()
                return status
        return VIEW_DONE

    def put_update(self, target, value):
        """Add the document that a partial update makes of the one before it."""
        if value.kind != VALUE_JSON:
            return VIEW_DONE  # then nobody knows it
        if (
            put_json_update(
                cython.address(target.column.data),
                cython.address(self.maps.scratch),
                target.update,
                target.update_size,
                value,
            )
            != JSON_WRITTEN
        ):
            return VIEW_UNREADABLE
        end_string(target.column)
        return VIEW_DONE

    def refuse(self, step, date):
        """A value that has none in Arrow: null, or an error."""
        target: cython.pointer(Target) = cython.address(self.targets[step.target])
        if not (self.refuses_zero_dates if date else self.refuses_text):
            add_null(target.column)
            return VIEW_DONE
        with cython.gil:
            number = cython.cast(cython.size_t, step - self.steps)
            self.refused = self.planner.refusal(number, date)
        return VIEW_REFUSED

    def put(self, step, target, value):
        """Add the value, which is not null."""
        form: cython.int = target.form
        moment: cython.pointer(cython.const[Moment]) = cython.address(value.moment)
        time: int64_t
        single: cython.float
        bits: uint64_t = 0
        i: cython.size_t
        size: cython.size_t
        end: cython.size_t
        member: cython.pointer(Member)
        limbs: Limbs
        if form == FORM_INTEGER or (form == FORM_DECIMAL and value.kind != VALUE_DECIMAL):
            if value.kind == VALUE_INTEGER:
                if step.negative:
                    if value.signed < 0:
                        return self.put_number(target, 0 - cython.cast(uint64_t, value.signed), True)
                    return self.put_number(target, cython.cast(uint64_t, value.signed), False)
                return self.put_number(target, value.unsigned, False)
            if value.kind == VALUE_YEAR or value.kind == VALUE_ENUM:
                return self.put_number(target, value.unsigned, False)
            if value.size > 8 or (value.kind != VALUE_BIT and value.kind != VALUE_SET):
                return VIEW_UNREADABLE
            for i in range(value.size):
                bits = (bits << 8) | value.data[i if value.kind == VALUE_BIT else value.size - 1 - i]
            if value.kind == VALUE_BIT and value.unsigned < 64:
                bits &= (cython.cast(uint64_t, 1) << value.unsigned) - 1
            return self.put_number(target, bits, False)
        if form == FORM_STRING:
            return self.put_string(step, target, value)
        if form == FORM_DECIMAL:
            self.digits.length = 0
            if not put_decimal(
                cython.address(self.digits), value.data, value.column.metadata >> 8, value.column.decimals
            ):
                return VIEW_UNREADABLE
            if not fits(cython.address(self.digits), (value.column.metadata >> 8) - value.column.decimals):
                return VIEW_UNREADABLE
            limbs_of_text(cython.address(limbs), self.digits.data, self.digits.length, target.scale)
            add_fixed(target.column, cython.address(limbs))
            return VIEW_NO_MEMORY if self.digits.failed else VIEW_DONE
        if form == FORM_DATETIME or form == FORM_DATE:
            if (value.kind != VALUE_DATETIME and value.kind != VALUE_DATE) or not is_date(moment):
                return self.refuse(step, True)
            time = days_from_civil(moment.year, moment.month, moment.day)
            if form == FORM_DATE:
                add_int32(target.column, cython.cast(int32_t, time))
                return VIEW_DONE
            time *= DAY * MICROSECONDS
            if value.kind == VALUE_DATETIME:
                if not is_time(moment):
                    return self.refuse(step, True)
                time += (
                    (moment.hour * cython.cast(int64_t, 60) + moment.minute) * 60 + moment.second
                ) * MICROSECONDS + moment.microsecond
            add_int64(target.column, time)
            return VIEW_DONE
        if form == FORM_TIMESTAMP:
            if value.kind != VALUE_TIMESTAMP or (value.signed == 0 and moment.microsecond == 0):
                return self.refuse(step, True)
            add_int64(target.column, value.signed * MICROSECONDS + moment.microsecond)
            return VIEW_DONE
        if form == FORM_TIME:
            time = (
                (moment.hour * cython.cast(int64_t, 60) + moment.minute) * 60 + moment.second
            ) * MICROSECONDS + moment.microsecond
            add_int64(target.column, -time if moment.negative else time)
            return VIEW_DONE
        if form == FORM_FLOAT:
            single = cython.cast(cython.float, value.real)
            add_fixed(target.column, cython.address(single))
            return VIEW_DONE
        if form == FORM_DOUBLE:
            real: cython.double = value.real
            if value.kind == VALUE_INTEGER:
                real = value.signed if step.negative else value.unsigned
            add_fixed(target.column, cython.address(real))
            return VIEW_DONE
        if form == FORM_MEMBER:
            if value.kind != VALUE_ENUM or value.unsigned >= step.members:
                return VIEW_UNREADABLE
            add_int32(target.column, self.members[step.first + value.unsigned].place)
            return VIEW_DONE
        if form == FORM_MEMBERS:
            for i in range(8 * value.size):
                if (value.data[i >> 3] >> (i & 7)) & 1:
                    if i >= step.members:
                        return VIEW_UNREADABLE
                    member = cython.address(self.members[step.first + i])
                    add_string(target.elements, member.name, member.length)
            end_list(target.column, target.elements.count, True)
            return VIEW_DONE
        if form == FORM_VECTOR:
            for i in range(value.size // 4):
                add_fixed(target.elements, value.data + 4 * i)
            end_list(target.column, target.elements.count, True)
            return VIEW_DONE
        # bytes as they are
        i = 0
        while i < value.size:
            size = value.size - i if value.size - i < LARGE_VALUE else LARGE_VALUE
            put_bytes(cython.address(target.column.data), cython.cast(cython.p_const_char, value.data) + i, size)
            text_relieve(cython.address(target.column.data))
            i += size
        end = value.size
        while end < step.padded_to:
            put_char(cython.address(target.column.data), 0)
            end += 1
        end_string(target.column)
        return VIEW_DONE

    def put_number(self, target, magnitude, negative):
        limbs: Limbs
        bits: uint64_t = 0 - magnitude if negative else magnitude
        if target.form == FORM_DECIMAL:
            limbs_of_integer(cython.address(limbs), magnitude, negative, target.scale)
            add_fixed(target.column, cython.address(limbs))
        else:
            add_fixed(target.column, cython.address(bits))
        return VIEW_DONE

    def put_string(self, step, target, value):
        text: cython.pointer(Text) = cython.address(target.column.data)
        member: cython.pointer(Member)
        size: cython.size_t
        i: cython.size_t = 0
        if value.kind == VALUE_ENUM:
            if value.unsigned >= step.members:
                return VIEW_UNREADABLE
            member = cython.address(self.members[step.first + value.unsigned])
            put_bytes(text, member.name, member.length)
        elif value.kind == VALUE_DECIMAL:
            if not put_decimal(text, value.data, value.column.metadata >> 8, value.column.decimals):
                return VIEW_UNREADABLE
        elif value.kind == VALUE_JSON:
            if put_json_document(text, cython.address(self.maps.scratch), value.data, value.size) != JSON_WRITTEN:
                return VIEW_UNREADABLE
            text_relieve(text)
        elif value.kind == VALUE_BYTES:
            if step.charset == cython.NULL:
                if not address_size(value.column.collation):
                    return VIEW_UNREADABLE
                if not put_address(text, value.column.collation, value.data, value.size):
                    return self.refuse(step, False)
                i = value.size  # it is written
            elif charset_valid(step.charset, value.data, value.size) != value.size:
                return self.refuse(step, False)
            while i < value.size and not text.failed:
                size = value.size - i if value.size - i < LARGE_VALUE else LARGE_VALUE
                if step.charset.is_utf8:
                    put_bytes(text, cython.cast(cython.p_const_char, value.data) + i, size)
                    i += size
                else:
                    i += charset_put(text, step.charset, value.data + i, size)
                text_relieve(text)
        else:
            return VIEW_UNREADABLE
        end_string(target.column)
        return VIEW_DONE

    # ---- beside the values

    def put_row_head(self, e, map):
        i: cython.size_t
        target: cython.pointer(Target)
        for i in range(self.target_count):
            target = cython.address(self.targets[i])
            if target.column.count != self.count:
                continue
            if target.elements != cython.NULL:
                end_list(target.column, target.elements.count, False)
            else:
                add_null(target.column)
            if target.planned and self.missing.wanted:
                add_string(self.missing_names, target.name, target.name_length)
        if self.missing.wanted:
            self.end_missing()
        self.put_sequence(e)
        RowColumns.put_row_head(self, e, map)

    def end_missing(self):
        last: int32_t
        memcpy(cython.address(last), self.missing.values.data + 4 * self.missing.count, 4)
        end_list(self.missing, self.missing_names.count, self.missing_names.count != cython.cast(cython.size_t, last))

    def put_sequence(self, e):
        text: cython.pointer(Text) = cython.address(self.sequence.data)
        if not self.sequence.wanted:
            return
        position: uint64_t = self.payload_position if self.inside else e.position
        put_padded(text, self.log_number, 10, 48)
        put_char(text, 45)
        put_padded(text, self.group.position if self.belongs else position, 16, 48)
        put_char(text, 45)
        put_padded(text, self.group.rows, 12, 48)
        put_char(text, 45)
        put_char(text, self.part)
        end_string(self.sequence)

    def put_damage(self, start, end, text, length):
        i: cython.size_t
        for i in range(self.target_count):
            if self.targets[i].elements != cython.NULL:
                end_list(self.targets[i].column, self.targets[i].elements.count, False)
            else:
                add_null(self.targets[i].column)
        add_null(self.sequence)
        end_list(self.missing, self.missing_names.count, False)
        RowColumns.put_damage(self, start, end, text, length)
