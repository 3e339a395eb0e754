# distutils: extra_compile_args = -O1
"""TableValues: values of a table's columns as typed values in Arrow's layout."""

import cython
from cython.cimports.pybinlog.kernel.base.address import address_size, put_address
from cython.cimports.pybinlog.kernel.base.clock import days_from_civil
from cython.cimports.pybinlog.kernel.base.memory import calloc, free
from cython.cimports.pybinlog.kernel.rows import column_value
from cython.cimports.pybinlog.kernel.rows.json_update import put_json_update
from cython.cimports.pybinlog.kernel.rows.json_value import JSON_WRITTEN, put_json_document
from cython.cimports.pybinlog.kernel.rows.number_value import put_decimal
from cython.cimports.pybinlog.kernel.views import arrow_column
from cython.cimports.pybinlog.kernel.views.arrow_decimal import Limbs, limbs_of_integer, limbs_of_text
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_DONE, VIEW_NO_MEMORY, VIEW_REFUSED, VIEW_UNREADABLE

MICROSECONDS = cython.declare(int64_t, 1000000)
DAY = cython.declare(int64_t, 86400)


def is_date(moment: p_const_Moment) -> cython.bint:
    """Return True if the calendar has the date, from the year 1 on, as in Python, Spark and pandas."""
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


def is_time(moment: p_const_Moment) -> cython.bint:
    return moment.hour < 24 and moment.minute < 60 and moment.second < 60 and moment.microsecond < 1000000


def fits(digits: cython.pointer(cython.const[Text]), whole: cython.int) -> cython.bint:
    """Return True if a decimal has no more digits before the point: the reference lets one too many pass."""
    at: cython.size_t = 0
    count: cython.int = 0
    while at < digits.length and (digits.data[at] == b"-" or digits.data[at] == b"0"):
        at += 1
    while at < digits.length and digits.data[at] != b".":
        at += 1
        count += 1
    return count <= whole


@cython.final
@cython.cclass
class TableValues:
    """The columns that a table's own are put into, and what becomes of a value of each.

    `targets` are the view's columns of the table, each as (form, digits after the point, name, name in `columns`).

    The planner is asked once for each definition of the table that a row event has, and says what becomes of its
    columns:

        planner.steps(description, file, position) -> for each column None, or
            (number of the target or -1, in the key, may be negative, collation, members or None, bytes of a BINARY)

    A member is (place in the dictionary, name in UTF-8); the first of an ENUM is what the number 0 stands for. And
    `planner.refusal(number of the column, date)` makes the error for a value that has none in Arrow: a date that is not
    in the calendar (`date`), or bytes that are no characters. What the planner raises comes out of the reader.
    """

    def __init__(
        self,
        columns: arrow_column.ArrowColumns,
        targets: object,
        planner: object,
        zero_dates: cython.bint,
        invalid_text: cython.bint,
    ):
        i: cython.size_t
        self.planner = planner
        self.refuses_zero_dates = zero_dates
        self.refuses_text = invalid_text
        self.targets = cython.cast(cython.pointer(Target), calloc(len(targets) + 1, cython.sizeof(Target)))
        if self.targets == cython.NULL:
            raise MemoryError("no memory for the columns of a table")
        self.names = [[one[2].encode("utf-8", "replace") for one in targets], []]
        for i in range(len(targets)):
            target: cython.pointer(Target) = cython.address(self.targets[i])
            target.form = targets[i][0]
            target.scale = targets[i][1]
            target.column = columns.find(targets[i][3])
            target.name = cython.cast(bytes, self.names[0][i])
            target.name_length = len(self.names[0][i])
        self.target_count = len(targets)

    def __dealloc__(self):
        free(self.targets)
        free(self.steps)
        free(self.members)
        text_free(cython.address(self.digits))
        text_free(cython.address(self.scratch))

    def plan(self, description: object, file: str, position: uint64_t, mariadb: cython.bint) -> cython.int:
        """Ask the planner what becomes of the columns of a definition."""
        i: cython.size_t
        at: cython.size_t = 0
        target: cython.int
        steps: tuple = self.planner.steps(description, file, position)
        for i in range(self.target_count):
            self.targets[i].planned = False
        free(self.steps)
        free(self.members)
        self.step_count = 0
        self.members = cython.NULL
        self.has_key = False
        self.names[1:] = [[]]
        self.steps = cython.cast(cython.pointer(Step), calloc(len(steps) + 1, cython.sizeof(Step)))
        if self.steps == cython.NULL:
            raise MemoryError("no memory for the columns of a table")
        total: cython.size_t = sum([len(entry[4] or ()) for entry in steps if entry is not None])
        self.members = cython.cast(cython.pointer(Member), calloc(total + 1, cython.sizeof(Member)))
        if self.members == cython.NULL:
            raise MemoryError("no memory for the columns of a table")
        for i in range(len(steps)):
            step: cython.pointer(Step) = cython.address(self.steps[i])
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
            charset: p_const_Charset = cython.NULL
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
                self.names[1].append(name)
                self.members[at].name = cython.cast(bytes, name)
                self.members[at].length = len(name)
                at += 1
            step.members = at - step.first
        return 0

    def put_update(self, target: cython.pointer(Target), value: p_const_ColumnValue) -> cython.int:
        """Add the document that a partial update makes of the one before it."""
        if value.kind != column_value.VALUE_JSON:
            return VIEW_DONE  # then it is unknown
        if (
            put_json_update(
                cython.address(target.column.data),
                cython.address(self.scratch),
                target.update,
                target.update_size,
                value,
            )
            != JSON_WRITTEN
        ):
            return VIEW_UNREADABLE
        arrow_column.end_string(target.column)
        return VIEW_DONE

    def refuse(self, step: cython.pointer(cython.const[Step]), date: cython.bint) -> cython.int:
        """Refuse a value that Arrow cannot represent: add null, or fail."""
        target: cython.pointer(Target) = cython.address(self.targets[step.target])
        if not (self.refuses_zero_dates if date else self.refuses_text):
            arrow_column.add_null(target.column)
            return VIEW_DONE
        with cython.gil:
            number = cython.cast(cython.size_t, step - self.steps)
            self.refused = self.planner.refusal(number, date)
        return VIEW_REFUSED

    def put(
        self, step: cython.pointer(cython.const[Step]), target: cython.pointer(Target), value: p_const_ColumnValue
    ) -> cython.int:
        """Add the value, which is not null."""
        form: cython.int = target.form
        moment: p_const_Moment = cython.address(value.moment)
        time: int64_t
        i: cython.size_t
        limbs: Limbs
        if (
            form == arrow_column.FORM_SIGNED
            or form == arrow_column.FORM_UNSIGNED
            or (form == arrow_column.FORM_DECIMAL and value.kind != column_value.VALUE_DECIMAL)
        ):
            if value.kind == column_value.VALUE_INTEGER:
                if step.negative:
                    if value.signed < 0:
                        return self.put_number(target, 0 - cython.cast(uint64_t, value.signed), True)
                    return self.put_number(target, cython.cast(uint64_t, value.signed), False)
                return self.put_number(target, value.unsigned, False)
            if value.kind == column_value.VALUE_YEAR or value.kind == column_value.VALUE_ENUM:
                return self.put_number(target, value.unsigned, False)
            if value.size > 8 or (value.kind != column_value.VALUE_BIT and value.kind != column_value.VALUE_SET):
                return VIEW_UNREADABLE
            return self.put_number(target, column_value.bits_of(value), False)
        if form == arrow_column.FORM_STRING or form == arrow_column.FORM_JSON:
            return self.put_string(step, target, value)
        if form == arrow_column.FORM_DECIMAL:
            self.digits.length = 0
            if not put_decimal(
                cython.address(self.digits), value.data, value.column.metadata >> 8, value.column.decimals
            ):
                return VIEW_UNREADABLE
            if not fits(cython.address(self.digits), (value.column.metadata >> 8) - value.column.decimals):
                return VIEW_UNREADABLE
            limbs_of_text(cython.address(limbs), self.digits.data, self.digits.length, target.scale)
            arrow_column.add_fixed(target.column, cython.address(limbs))
            return VIEW_NO_MEMORY if self.digits.failed else VIEW_DONE
        if form == arrow_column.FORM_DATETIME or form == arrow_column.FORM_DATE:
            if (value.kind != column_value.VALUE_DATETIME and value.kind != column_value.VALUE_DATE) or not is_date(
                moment
            ):
                return self.refuse(step, True)
            time = days_from_civil(moment.year, moment.month, moment.day)
            if form == arrow_column.FORM_DATE:
                arrow_column.add_int32(target.column, cython.cast(int32_t, time))
                return VIEW_DONE
            time *= DAY * MICROSECONDS
            if value.kind == column_value.VALUE_DATETIME:
                if not is_time(moment):
                    return self.refuse(step, True)
                time += (
                    (moment.hour * cython.cast(int64_t, 60) + moment.minute) * 60 + moment.second
                ) * MICROSECONDS + moment.microsecond
            arrow_column.add_int64(target.column, time)
            return VIEW_DONE
        if form == arrow_column.FORM_TIMESTAMP:
            if value.kind != column_value.VALUE_TIMESTAMP or (value.signed == 0 and moment.microsecond == 0):
                return self.refuse(step, True)
            arrow_column.add_int64(target.column, value.signed * MICROSECONDS + moment.microsecond)
            return VIEW_DONE
        if form == arrow_column.FORM_DURATION:
            time = (
                (moment.hour * cython.cast(int64_t, 60) + moment.minute) * 60 + moment.second
            ) * MICROSECONDS + moment.microsecond
            arrow_column.add_int64(target.column, -time if moment.negative else time)
            return VIEW_DONE
        if form == arrow_column.FORM_FLOAT:
            single: cython.float = cython.cast(cython.float, value.real)
            arrow_column.add_fixed(target.column, cython.address(single))
            return VIEW_DONE
        if form == arrow_column.FORM_DOUBLE:
            real: cython.double = value.real
            if value.kind == column_value.VALUE_INTEGER and step.negative:
                real = cython.cast(cython.double, value.signed)
            elif value.kind == column_value.VALUE_INTEGER:
                real = cython.cast(cython.double, value.unsigned)
            arrow_column.add_fixed(target.column, cython.address(real))
            return VIEW_DONE
        if form == arrow_column.FORM_MEMBER:
            if value.kind != column_value.VALUE_ENUM or value.unsigned >= step.members:
                return VIEW_UNREADABLE
            arrow_column.add_int32(target.column, self.members[step.first + value.unsigned].place)
            return VIEW_DONE
        if form == arrow_column.FORM_STRINGS:
            for i in range(8 * value.size):
                if (value.data[i >> 3] >> (i & 7)) & 1:
                    if i >= step.members:
                        return VIEW_UNREADABLE
                    member: cython.pointer(Member) = cython.address(self.members[step.first + i])
                    arrow_column.add_string(target.column.elements, member.name, member.length)
            arrow_column.end_list(target.column)
            return VIEW_DONE
        if form == arrow_column.FORM_FLOATS:
            for i in range(value.size // 4):
                arrow_column.add_fixed(target.column.elements, value.data + 4 * i)
            arrow_column.end_list(target.column)
            return VIEW_DONE
        # bytes as they are
        i = 0
        while i < value.size:
            size: cython.size_t = value.size - i if value.size - i < LARGE_VALUE else LARGE_VALUE
            put_bytes(cython.address(target.column.data), cython.cast(cython.p_const_char, value.data) + i, size)
            text_relieve(cython.address(target.column.data))
            i += size
        end: cython.size_t = value.size
        while end < step.padded_to:
            put_char(cython.address(target.column.data), b"\x00")
            end += 1
        arrow_column.end_string(target.column)
        return VIEW_DONE

    def put_number(self, target: cython.pointer(Target), magnitude: uint64_t, negative: cython.bint) -> cython.int:
        limbs: Limbs
        bits: uint64_t = 0 - magnitude if negative else magnitude
        if target.form == arrow_column.FORM_DECIMAL:
            limbs_of_integer(cython.address(limbs), magnitude, negative, target.scale)
            arrow_column.add_fixed(target.column, cython.address(limbs))
        else:
            arrow_column.add_fixed(target.column, cython.address(bits))
        return VIEW_DONE

    def put_string(
        self, step: cython.pointer(cython.const[Step]), target: cython.pointer(Target), value: p_const_ColumnValue
    ) -> cython.int:
        text: p_Text = cython.address(target.column.data)
        i: cython.size_t = 0
        if value.kind == column_value.VALUE_ENUM:
            if value.unsigned >= step.members:
                return VIEW_UNREADABLE
            member: cython.pointer(Member) = cython.address(self.members[step.first + value.unsigned])
            put_bytes(text, member.name, member.length)
        elif value.kind == column_value.VALUE_DECIMAL:
            if not put_decimal(text, value.data, value.column.metadata >> 8, value.column.decimals):
                return VIEW_UNREADABLE
        elif value.kind == column_value.VALUE_JSON:
            if put_json_document(text, cython.address(self.scratch), value.data, value.size) != JSON_WRITTEN:
                return VIEW_UNREADABLE
            text_relieve(text)
        elif value.kind == column_value.VALUE_BYTES:
            if step.charset == cython.NULL:
                if not address_size(value.column.collation):
                    return VIEW_UNREADABLE
                if not put_address(text, value.column.collation, value.data, value.size):
                    return self.refuse(step, False)
                i = value.size  # it is written
            elif charset_valid(step.charset, value.data, value.size) != value.size:
                return self.refuse(step, False)
            while i < value.size and not text.failed:
                size: cython.size_t = value.size - i if value.size - i < LARGE_VALUE else LARGE_VALUE
                if step.charset.is_utf8:
                    put_bytes(text, cython.cast(cython.p_const_char, value.data) + i, size)
                    i += size
                else:
                    i += charset_put(text, step.charset, value.data + i, size)
                text_relieve(text)
        else:
            return VIEW_UNREADABLE
        arrow_column.end_string(target.column)
        return VIEW_DONE
