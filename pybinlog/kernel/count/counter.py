"""Counter: adds up transactions, events, rows and bytes of logs in groups. It looks at every event once.

Each event is counted in one group, with all its bytes:

- a Table_map, a row event and a statement in its own, that of the first table that it changes: they are the subjects;
- what comes before a statement and belongs to it (Rows_query, Annotate_rows, Intvar ...) in that of its first subject;
- the frame of a transaction (Gtid, BEGIN, COMMIT, Xid ...) in that of its first subject;
- the log's own events (Format_description, Rotate ...) in one without a table.

A group's type is each event's own nevertheless. The events inside a payload share the bytes that their compressed form
takes, in proportion to their sizes.

The end of a transaction says whether its rows hold; of a prepared XA transaction, its decision does.
"""

import cython
from cython.cimports.pybinlog.kernel.base import event, facts
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize, memcpy, memset
from cython.cimports.pybinlog.kernel.scan.event_fields import rows_query_parse
from cython.cimports.pybinlog.kernel.scan.operation import DELETES, UPDATES, rows_operation
from cython.cimports.pybinlog.kernel.scan.payload import PayloadFields, payload_parse
from cython.cimports.pybinlog.kernel.scan.query_fields import query_is_transaction_keyword
from cython.cimports.pybinlog.kernel.views import event_group
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_COMPRESSED, VIEW_DONE, VIEW_NO_MEMORY, VIEW_PAYLOAD
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_UNREADABLE

SECOND_PHASE = cython.declare(uint64_t, 2)  # events of an XA COMMIT or ROLLBACK of what was prepared before


def is_prelude(kind: uint8_t) -> cython.bint:
    return facts.KIND_OF_TYPE[kind] == facts.KIND_PREPARATION or (facts.KIND_OF_TYPE[kind] == facts.KIND_ROWS_QUERY)


@cython.final
@cython.cclass
class Counter(View):
    """Gives no rows; `groups` has what was counted. `by` is a sum of BY_TABLE and so on, `unit` the seconds that a time
    is cut to. BY_STATEMENT needs the events' digests. With a condition on the values of rows only row events count, and
    of their rows those that meet it."""

    def __init__(self, events: object, columns: object, by: int, unit: int, condition: RowCondition = None):
        self.groups = Groups()
        self.by = by
        self.unit = unit
        self.condition = condition
        self.events.thread_wanted = by & BY_THREAD != 0
        self.xa_prepared = {}

    def __dealloc__(self):
        text_free(cython.address(self.touched))

    def trouble(self) -> cython.int:
        return VIEW_NO_MEMORY if self.no_memory else VIEW_DONE

    def memory_wanted(self) -> int:
        return self.groups.wanted

    def event(self, e: p_Event, format: p_const_Format, text: cython.p_const_char, length: cython.size_t) -> cython.int:
        key: FullKey
        kind: uint8_t = e.type
        changes: cython.bint = event.is_rows(kind) or event.is_compressed_rows(kind)
        if text == cython.NULL and (kind == event.MARIA_QUERY_COMPRESSED or event.is_compressed_rows(kind)):
            return VIEW_COMPRESSED
        if self.events.cuts_group(e):
            self.end_of_group()
        status: cython.int = self.events.follow(e, format, text, length)
        if status != VIEW_DONE:
            return status
        if self.by & BY_STATEMENT:
            self.note_statement(e, format)
        cost: uint64_t = self.cost_of(e, format)
        if e.refused_from != event.NOT_REFUSED:
            self.refused += 1
        if self.events.belongs and not self.in_group:
            self.in_group = True
            self.transaction += 1
            self.make_key(cython.address(self.own), e)
        if e.bits & event.MARKS == 0 and not self.events.left_out() and self.match(e, format, text, length):
            self.bytes += cost
            if not self.in_group:
                self.make_key(cython.address(key), e)
                self.add(cython.address(key), 1, cost, e.timestamp, e.timestamp)
            elif changes or kind == event.TABLE_MAP or self.is_statement(kind):
                self.make_key(cython.address(key), e)
                if not self.has_subject:
                    self.has_subject = True
                    memcpy(cython.address(self.subject), cython.address(key), cython.sizeof(FullKey))
                if self.prelude.count:
                    self.pay(cython.address(self.prelude), cython.address(key))
                number: int64_t = self.add(cython.address(key), 1, cost, e.timestamp, e.timestamp)
                if self.events.changes_rows:
                    self.count_statement(cython.address(key))
                if changes and number >= 0:
                    group: cython.pointer(Group) = self.groups.all + number
                    rows: uint64_t = self.events.group.rows
                    if self.unreadable:
                        status = VIEW_UNREADABLE
                    elif self.condition is not None:
                        self.events.group.rows += self.matched
                    else:
                        status = self.events.count_rows_of(e, format, text, length)
                    if not self.events.group.rows_known:
                        self.events.group.rows_known = True
                        self.uncounted += status == VIEW_DONE
                    kind = rows_operation(kind)
                    place: cython.int = 2 if kind == DELETES else 1 if kind == UPDATES else 0
                    group.open[place] += self.events.group.rows - rows
                    if status != VIEW_DONE:
                        return status
            elif is_prelude(kind):
                self.wait(cython.address(self.prelude), kind, 1, cost, e.timestamp)
            else:
                self.wait(cython.address(self.frame), kind, 1, cost, e.timestamp)
        if e.type == event.TRANSACTION_PAYLOAD and not self.events.inside:
            return VIEW_PAYLOAD
        if self.in_group and self.events.group_over and not self.events.inside:
            self.end_of_group()
        return VIEW_NO_MEMORY if self.no_memory else VIEW_DONE

    def match(
        self, e: p_const_Event, format: p_const_Format, text: cython.p_const_char, length: cython.size_t
    ) -> cython.bint:
        """Return True if the event counts: there is no condition, or one of its rows meets it."""
        if self.condition is None:
            return True
        self.matched = self.condition.keep_event(e, format, text, length, cython.address(self.events.maps))
        if self.matched == KEPT_FAILED:
            with cython.gil:
                raise self.condition.pop_error()
        self.unreadable = self.matched == KEPT_UNREADABLE
        return self.matched != 0

    def note_statement(self, e: p_const_Event, format: p_const_Format) -> cython.int:
        """Note the statement of the current event: its own, or the one that its rows come from."""
        statement: cython.p_const_char = cython.NULL
        length: cython.size_t = 0
        kind: uint8_t = e.type
        if self.statement_over or self.events.has_query or not self.events.belongs or self.events.group.events == 1:
            self.statement = 0
            self.statement_over = False
        if event.is_rows(kind) or event.is_compressed_rows(kind):
            self.statement_over = self.events.rows_flags & event.STMT_END_F != 0
            return 0
        if self.events.has_query:
            if not self.is_statement(kind):
                return 0
            statement = self.events.query.text
            length = self.events.query.length
            self.statement_over = True
        elif kind == event.ROWS_QUERY:
            self.statement = 0
            if rows_query_parse(cython.address(statement), cython.address(length), e, format) < 0:
                return 0
        elif kind == event.MARIA_ANNOTATE_ROWS and e.body_end >= format.header_length:
            statement = cython.cast(cython.p_const_char, e.data) + format.header_length
            length = e.body_end - format.header_length
        else:
            return 0
        self.statement = self.events.digest_of(statement, length)
        return 0

    def is_statement(self, kind: uint8_t) -> cython.bint:
        """Return True for a statement, False for a word of the frame."""
        if self.events.has_query:
            return kind != event.QUERY or not query_is_transaction_keyword(cython.address(self.events.query))
        return (
            kind == event.EXECUTE_LOAD_QUERY
            or kind == event.LOAD
            or kind == event.NEW_LOAD
            or kind == event.EXECUTE_LOAD
        )

    def cost_of(self, e: p_const_Event, format: p_const_Format) -> uint64_t:
        """Return the bytes of the log that the event takes."""
        fields: PayloadFields
        header: cython.size_t = format.header_length
        if self.events.inside:
            self.payload_seen += e.body_end  # without the checksum that it has got
            if self.payload_seen >= self.payload_full:
                due: uint64_t = self.payload_size
            else:
                due = cython.cast(
                    uint64_t,
                    cython.cast(cython.double, self.payload_size)
                    * (cython.cast(cython.double, self.payload_seen) / cython.cast(cython.double, self.payload_full)),
                )
            if due < self.payload_paid:
                due = self.payload_paid
            due -= self.payload_paid
            self.payload_paid += due
            return due
        if e.type != event.TRANSACTION_PAYLOAD:
            return event.stored_size(e)
        self.payload_size = self.payload_full = self.payload_seen = self.payload_paid = 0
        if e.body_end > header and payload_parse(cython.address(fields), e.data + header, e.body_end - header):
            self.payload_size = fields.size
            self.payload_full = fields.uncompressed_size
        return e.event_size - self.payload_size

    def make_key(self, key: cython.pointer(FullKey), e: p_const_Event):
        """Fill the key of the event's own group."""
        by: cython.int = self.by
        memset(cython.address(key.head), 0, cython.sizeof(key.head))
        if by & BY_TYPE:
            key.head.type = e.type
        if by & BY_TIME:
            key.head.time = e.timestamp - e.timestamp % self.unit
        if by & BY_SERVER:
            key.head.server = e.server_id
        if by & BY_STATEMENT:
            key.head.statement = self.statement
        if by & BY_THREAD:
            key.head.thread = self.events.thread_of()
        if self.names_table():
            table = self.events.statements.tables
            self.name_key(key, table.database, table.database_length, table.table, table.length)
        else:
            self.name_key(
                key,
                self.events.database.data,
                self.events.database.length,
                self.events.table.data,
                self.events.table.length,
            )

    def names_table(self) -> cython.bint:
        """Return True for a statement that changes rows of tables that are known."""
        return (
            self.events.changes_rows
            and self.events.has_query
            and self.events.statements.changed_known
            and self.events.statements.changed != 0
        )

    def name_key(
        self,
        key: cython.pointer(FullKey),
        database: cython.p_const_char,
        length: cython.size_t,
        table: cython.p_const_char,
        table_length: cython.size_t,
    ):
        """Put the names of a table into a key that has none."""
        named: cython.bint = self.by & BY_TABLE and table != cython.NULL
        if (named or self.by & BY_DATABASE) and database != cython.NULL:
            key.head.has_database = True
            key.head.database_length = length
            memcpy(key.names, database, length)
        if named:
            key.head.has_table = True
            key.head.table_length = table_length
            memcpy(key.names + key.head.database_length, table, table_length)

    def count_statement(self, key: cython.pointer(FullKey)):
        """Count a statement that changes rows, or may: once for each table, `key` being that of the first."""
        i: cython.size_t = 0
        last: cython.size_t = self.events.statements.changed if self.names_table() else 1
        self.statements += 1
        while True:
            number: int64_t = self.groups.number_of(key)
            if number < 0:
                self.no_memory = True
                return
            group: cython.pointer(Group) = self.groups.all + number
            if group.statement != self.statements:
                group.statement = self.statements
                group.statements += 1
                self.touch(number)
            i += 1
            if i == last:
                return
            table = self.events.statements.tables + i
            key.head.has_database = key.head.has_table = False
            key.head.database_length = key.head.table_length = 0
            self.name_key(key, table.database, table.database_length, table.table, table.length)

    def add(
        self,
        key: cython.pointer(cython.const[FullKey]),
        events: uint64_t,
        bytes: uint64_t,
        first: uint32_t,
        last: uint32_t,
    ) -> int64_t:
        """Count events in the key's group, and return its number; -1 without memory."""
        number: int64_t = self.groups.number_of(key)
        if number < 0:
            self.no_memory = True
            return -1
        group: cython.pointer(Group) = self.groups.all + number
        group.events += events
        group.bytes += bytes
        if first and (first < group.first_time or not group.first_time):
            group.first_time = first
        if last > group.last_time:
            group.last_time = last
        self.touch(number)
        return number

    def touch(self, number: int64_t):
        """Count the current transaction in a group."""
        group: cython.pointer(Group) = self.groups.all + number
        if self.in_group and group.transaction != self.transaction:
            group.transaction = self.transaction
            group.transactions += 1
            put_memory(cython.address(self.touched), cython.address(number), cython.sizeof(int64_t))
            if self.touched.failed:
                self.no_memory = True

    def wait(self, waiting: cython.pointer(Waiting), type: uint8_t, events: uint64_t, bytes: uint64_t, time: uint32_t):
        place: uint8_t = type if self.by & BY_TYPE else 0
        if not waiting.count:
            waiting.first_time = waiting.last_time = 0
        if not waiting.events[place]:
            waiting.types[waiting.count] = place
            waiting.count += 1
        waiting.events[place] += events
        waiting.bytes[place] += bytes
        if time and (time < waiting.first_time or not waiting.first_time):
            waiting.first_time = time
        if time > waiting.last_time:
            waiting.last_time = time

    def pay(self, waiting: cython.pointer(Waiting), key: cython.pointer(cython.const[FullKey])):
        """Count what waits in groups of that key, each with its own type."""
        own: FullKey
        i: cython.int
        place: uint8_t
        memcpy(cython.address(own), key, cython.sizeof(FullKey))
        for i in range(waiting.count):
            place = own.head.type = waiting.types[i]
            self.add(
                cython.address(own), waiting.events[place], waiting.bytes[place], waiting.first_time, waiting.last_time
            )
            waiting.events[place] = 0
            waiting.bytes[place] = 0
        waiting.count = 0

    def end_of_group(self) -> cython.int:
        """End the current transaction: count its frame, and its rows by its end."""
        ended: cython.int = self.events.group.ended
        key: cython.pointer(FullKey) = cython.address(self.own)
        if self.has_subject:
            key = cython.address(self.subject)
        if not self.in_group:
            return 0
        if self.payload_paid < self.payload_size:  # a payload that holds less than it tells
            self.bytes += self.payload_size - self.payload_paid
            self.wait(
                cython.address(self.frame), event.TRANSACTION_PAYLOAD, 0, self.payload_size - self.payload_paid, 0
            )
        self.payload_size = self.payload_paid = 0
        if self.prelude.count:
            self.pay(cython.address(self.prelude), key)
        if self.frame.count:
            self.pay(cython.address(self.frame), key)
        if ended == event_group.END_XA_PREPARE:
            self.keep_prepared()
        elif (
            ended == event_group.END_XA_COMMIT or ended == event_group.END_XA_ROLLBACK
        ) and self.events.group.events <= SECOND_PHASE:
            self.decide(ended == event_group.END_XA_COMMIT)
        self.settle()
        self.touched.length = 0
        self.in_group = False
        self.has_subject = False
        return 0

    def settle(self):
        """Count the rows of the current transaction."""
        ended: cython.int = self.events.group.ended
        holds: cython.bint = (
            ended == event_group.END_COMMIT
            or ended == event_group.END_STATEMENT
            or ended == event_group.END_XA_COMMIT
            or ended == event_group.END_INCIDENT
        )
        touched: cython.pointer(int64_t) = cython.cast(cython.pointer(int64_t), self.touched.data)
        i: cython.size_t
        k: cython.int
        for i in range(self.touched.length // cython.sizeof(int64_t)):
            group: cython.pointer(Group) = self.groups.all + touched[i]
            for k in range(CHANGES):
                if holds:
                    group.rows[k] += group.open[k]
                elif ended == event_group.END_XA_PREPARE:
                    group.prepared += group.open[k]
                else:
                    group.rolled_back += group.open[k]
                group.open[k] = 0

    # ---- XA transactions

    def keep_prepared(self):
        """Keep what the current transaction changed, for its second phase."""
        touched: cython.pointer(int64_t) = cython.cast(cython.pointer(int64_t), self.touched.data)
        i: cython.size_t
        with cython.gil:
            changed: list = []
            for i in range(self.touched.length // cython.sizeof(int64_t)):
                group: cython.pointer(Group) = self.groups.all + touched[i]
                changed.append((touched[i], group.open[0], group.open[1], group.open[2]))
            xid: bytes = PyBytes_FromStringAndSize(self.events.group.xid, self.events.group.xid_length)
            self.xa_prepared[xid] = changed

    def decide(self, commits: cython.bint):
        """Decide about the rows of an XA transaction by its second phase."""
        number: int64_t
        with cython.gil:
            xid: bytes = PyBytes_FromStringAndSize(self.events.group.xid, self.events.group.xid_length)
            for number, inserts, updates, deletes in self.xa_prepared.pop(xid, ()):
                group: cython.pointer(Group) = self.groups.all + number
                group.prepared -= inserts + updates + deletes
                if commits:
                    group.rows[0] += inserts
                    group.rows[1] += updates
                    group.rows[2] += deletes
                else:
                    group.rolled_back += inserts + updates + deletes
