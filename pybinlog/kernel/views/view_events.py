"""ViewEvents: what each event means for its transaction and its table, whatever a view makes of it."""

import cython
from cython.cimports.pybinlog.kernel.base import event, fields
from cython.cimports.pybinlog.kernel.base.little_endian import read_u32
from cython.cimports.pybinlog.kernel.base.memory import LOOK_AFTER, PyBytes_FromStringAndSize, raise_interrupt
from cython.cimports.pybinlog.kernel.rows import table_map
from cython.cimports.pybinlog.kernel.rows.column import VALUES, table_map_prepare
from cython.cimports.pybinlog.kernel.rows.row_image import add_changed_columns
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_WRITE, RowsFields, StatementHead, rows_parse, statement_head
from cython.cimports.pybinlog.kernel.scan import classify, gtid_fields
from cython.cimports.pybinlog.kernel.scan.operation import DEFINES, DELETES, INSERTS, UPDATES, is_ddl, rows_operation
from cython.cimports.pybinlog.kernel.scan.query_fields import query_parse_like, query_starts_group
from cython.cimports.pybinlog.kernel.scan.event_fields import SMALL_CORRUPT, SMALL_RARE, small_event
from cython.cimports.pybinlog.kernel.views import event_group

MICROSECONDS = cython.declare(int64_t, 1000000)
MOST_CASCADING_TABLES = cython.declare(cython.Py_ssize_t, 4096)
NO_FOREIGN_KEY_CHECKS = cython.declare(cython.uint, 1 << 26)  # in the flags of a Query


@cython.final
@cython.cclass
class ViewEvents:
    """Follows events, in their order: a transaction's, and those of its payload.

    Call `file_name` when a file begins. Transactions and table maps continue from file to file.
    """

    def __cinit__(self):
        table_map.table_maps_init(cython.address(self.maps))
        event_group.group_begin(cython.address(self.group))
        self.definitions = 1
        self.cascade_plans = {}
        self.group_thread = self.first_thread = -1
        self.file_name("")

    def __dealloc__(self):
        table_map.table_maps_free(cython.address(self.maps))

    def file_name(self, name: str) -> None:
        """Begin the events of this file."""
        self.file = name.encode("utf-8", "replace")
        self.file_data = self.file
        self.file_length = len(self.file)
        self.group.placed = False

    def watch_cascades(self) -> None:
        """Watch for changes that foreign keys carry on, if the catalog knows such a key."""
        self.keys_only = self.catalog is not None and self.catalog.keys_only
        self.watches_cascades = self.cascades is not None and self.catalog is not None and self.catalog.may_reach_others

    def enter_payload(self, position: cython.ulonglong, end: cython.ulonglong) -> None:
        """Begin the events inside the payload at that place."""
        self.inside = True
        self.payload_position = position
        self.payload_end = end

    def leave_payload(self) -> None:
        """Return to the events of the log; the payload was the last of its transaction."""
        self.inside = False
        if self.group.open:
            self.group.open = False
            self.group_over = False

    def finish(self) -> None:
        """No more events come; a transaction that is still open stays so."""
        self.group.open = False
        self.group_over = False

    def cuts_group(self, e: p_const_Event) -> cython.bint:
        """Return True if a transaction without an end is open: the event, which is to be followed, begins another."""
        return (
            self.group.open
            and not self.group_over
            and not self.inside
            and (
                e.boundary == classify.START_TRANSACTION
                or (e.boundary == classify.SELF_CONTAINED and classify.is_of_group(e))
            )
        )

    def names_of(self, e: p_Event, format: p_const_Format) -> cython.int:
        """Database and table of the current event; a Table_map is kept."""
        map: p_TableMap
        head: StatementHead
        self.map = cython.NULL
        self.database = Name(cython.NULL, 0)
        self.table = Name(cython.NULL, 0)
        if self.has_query:
            if self.query.database_length:
                self.database = Name(self.query.database, self.query.database_length)
            return VIEW_DONE
        if e.type == event.TABLE_MAP:
            status: cython.int = table_map.table_maps_put(cython.address(self.maps), format, e.data, e.body_end)
            if status != 0:
                return VIEW_CORRUPT if status == -1 else VIEW_NO_MEMORY
        elif not event.is_rows(e.type) and not event.is_compressed_rows(e.type):
            return VIEW_DONE
        if not statement_head(cython.address(head), e, format):
            return VIEW_CORRUPT
        self.rows_flags = head.flags
        self.map = map = table_map.table_maps_get(cython.address(self.maps), head.table_id)
        if map != cython.NULL:
            self.database = Name(cython.cast(cython.p_const_char, map.fields.database), map.fields.database_length)
            self.table = Name(cython.cast(cython.p_const_char, map.fields.table), map.fields.table_length)
            if self.catalog is None or self.keys_only:
                return VIEW_DONE
            if e.type == event.TABLE_MAP and e.bits & event.MARKS == 0:
                return self.describe(e, map, head.after - event.COMMON_HEADER_LENGTH)
        return VIEW_DONE

    def follow(
        self, e: p_Event, format: p_const_Format, text: cython.p_const_char, length: cython.size_t
    ) -> cython.int:
        """Follow the event's transaction; note its query, database and table. `text`: a compressed query's."""
        group = cython.declare(p_EventGroup, cython.address(self.group))
        gtid: gtid_fields.Gtid
        maria: gtid_fields.MariaGtid
        boundary: cython.uchar = e.boundary
        changes: cython.bint = e.type == event.TABLE_MAP or event.is_rows(e.type) or event.is_compressed_rows(e.type)
        status: cython.int = VIEW_DONE
        if self.group_over and not self.inside:
            self.group_over = False
            group.open = False
        self.has_query = False
        self.defines = False
        self.changes_rows = False
        self.rare = False
        self.belongs = self.inside or classify.is_of_group(e)
        if self.belongs and not self.inside:
            if boundary == classify.START_TRANSACTION or boundary == classify.SELF_CONTAINED:
                group.open = False
            if not group.open:
                event_group.group_begin(group)
                group.open = True
                group.known_start = boundary == classify.START_TRANSACTION or boundary == classify.SELF_CONTAINED
                group.start = e.position
                group.file_number = self.file_number
                self.group_thread = self.first_thread = -1
                self.sql_mode = 0
            if not group.placed:
                group.placed = True
                group.position = e.position
            group.end = event.stored_end(e)
            group.bytes += event.stored_size(e)
            self.group_over = boundary == classify.END_TRANSACTION or boundary == classify.SELF_CONTAINED
        if self.belongs:
            group.events += 1
        if changes:
            pass
        elif event.is_statement(e.type):
            if query_parse_like(cython.address(self.query), self.last_status, e, format) < 0:
                status = VIEW_CORRUPT
            else:
                self.has_query = True
                if self.query.has_sql_mode:
                    self.sql_mode = self.query.sql_mode
                if self.first_thread < 0:
                    self.first_thread = self.query.thread_id
                if query_starts_group(cython.address(self.query)):
                    self.group_thread = self.query.thread_id
                if text != cython.NULL:
                    self.query.text = text
                    self.query.length = length
                if text != cython.NULL or e.type != event.MARIA_QUERY_COMPRESSED:
                    if self.statements is None or query_is_transaction_keyword(cython.address(self.query)):
                        self.defines = not self.query.alter_may_be_skipped and is_ddl(cython.address(self.query))
                        if self.query.length > LOOK_AFTER:
                            with cython.gil:
                                raise_interrupt()
                    else:
                        self.statements.judge(cython.address(self.query), True)
                        self.defines = self.statements.operation == DEFINES
                        self.changes_rows = self.statements.changes_rows
                if self.defines and self.catalog is not None:
                    status = self.define(e)
        elif e.type == event.GTID or e.type == event.GTID_TAGGED or e.type == event.ANONYMOUS_GTID:
            if gtid_fields.gtid_parse(cython.address(gtid), e, format) < 0:
                status = VIEW_CORRUPT
            else:
                event_group.group_gtid(group, cython.address(gtid), e.timestamp)
        elif e.type == event.MARIA_GTID:
            if event_group.group_maria_gtid(group, e, format) < 0:
                status = VIEW_CORRUPT
            elif self.thread_wanted and gtid_fields.maria_gtid_parse(cython.address(maria), e, format) == 0:
                if maria.has_extra and maria.extra & fields.FL_EXTRA_THREAD_ID:
                    self.group_thread = maria.thread_id
        else:
            status = self.read_small(e, format)
            self.changes_rows = e.type == event.EXECUTE_LOAD or e.type == event.LOAD or e.type == event.NEW_LOAD
        if self.changes_rows and self.unlogged is not None and not self.note_unlogged(e):
            return VIEW_NO_MEMORY
        if self.watches_cascades:
            if changes:
                return self.note_cascades(e, format, text, length)
            self.cascading_map = 0
        if not self.belongs:
            return self.names_of(e, format) if status == VIEW_DONE else status
        if (
            group.begin_time == event_group.NO_TIME
            and e.timestamp
            and not event.is_gtid(e.type)
            and e.type != event.TRANSACTION_PAYLOAD
        ):
            group.begin_time = e.timestamp * MICROSECONDS
        if changes and not self.group_over:
            pass
        elif e.type == event.XID:
            group.ended = event_group.END_COMMIT
        elif e.type == event.XA_PREPARE:
            if event_group.group_xa_prepare(group, e, format) < 0:
                status = VIEW_CORRUPT
        elif self.has_query:
            if self.group_over or self.inside:
                group.ended = event_group.group_statement(group, self.query.text, self.query.length)
            else:
                event_group.group_statement(group, self.query.text, self.query.length)
        elif self.group_over and e.type == event.INCIDENT:
            group.ended = event_group.END_INCIDENT
        elif self.group_over and e.type != event.TRANSACTION_PAYLOAD:
            group.ended = event_group.END_STATEMENT
        if self.group_over and group.commit_time == event_group.NO_TIME and e.timestamp:
            group.commit_time = e.timestamp * MICROSECONDS
        if status != VIEW_DONE:
            return status
        return self.names_of(e, format)

    def read_small(self, e: p_const_Event, format: p_const_Format) -> cython.int:
        """Return VIEW_CORRUPT if a small event does not hold all its fields."""
        if e.type == event.FORMAT_DESCRIPTION:
            self.note_start(e)
        if e.type == event.PREVIOUS_GTIDS or e.type == event.MARIA_GTID_LIST:
            return VIEW_DONE if gtid_fields.gtid_set_is_whole(e, format) else VIEW_CORRUPT
        status: cython.int = small_event(e, format)
        self.rare = status == SMALL_RARE
        return VIEW_CORRUPT if status == SMALL_CORRUPT else VIEW_DONE

    def note_start(self, e: p_const_Event):
        """Note when the server was started, if the log is its first one since then."""
        if e.body_end >= event.CREATED_AT + 4 and not e.flags & (event.RELAY_LOG | event.ARTIFICIAL):
            created: uint32_t = read_u32(e.data + event.CREATED_AT)
            if created:
                self.server_start = created

    def count_rows_of(
        self, e: p_const_Event, format: p_const_Format, data: cython.p_const_char, length: cython.size_t
    ) -> cython.int:
        """Add to the group's rows those of a row event; where they cannot be counted, their number is not known.

        `data` are the inflated images of a compressed one.
        """
        fields: RowsFields
        count: int64_t = -1
        status: cython.int = VIEW_CORRUPT
        if rows_parse(cython.address(fields), format, e.data, e.body_end) == 0:
            status = VIEW_DONE  # without a Table_map
            if data != cython.NULL:
                fields.rows = cython.cast(octets, data)
                fields.rows_size = length
            if fields.rows_size == 0:  # an INSERT into a table without logged columns
                count = 1 if fields.kind == ROWS_WRITE and self.map != cython.NULL else 0
            elif self.map != cython.NULL:
                if not table_map_prepare(cython.address(self.maps), self.map, VALUES):
                    return VIEW_NO_MEMORY
                count = count_rows(
                    self.routes + self.map.first_number % ROUTED_TABLES * 4, cython.address(fields), self.map, True
                )
                if count < 0:
                    status = VIEW_INTERRUPTED if count == COUNT_INTERRUPTED else VIEW_UNREADABLE
        if count < 0:
            self.group.rows_known = False
        else:
            self.group.rows += count
        return status

    def count_others(
        self, e: p_const_Event, format: p_const_Format, data: cython.p_const_char, length: cython.size_t
    ) -> cython.int:
        """Count the rows of an event that gives none: nothing is said if they cannot be read."""
        status: cython.int = self.count_rows_of(e, format, data, length)
        return status if status == VIEW_NO_MEMORY or status == VIEW_INTERRUPTED else VIEW_DONE

    def note_unlogged(self, e: p_const_Event) -> cython.int:
        """Note a statement whose rows the log does not contain, unless the filter drops it; False without memory."""
        mark: cython.uchar = e.bits & event.MARKS
        if self.hidden(e) or self.left_out():
            return True
        noted: cython.bint = mark == 0 or mark == event.UNCERTAIN or mark == event.RESPELLED
        if noted and not self.unlogged.note(self.statements, self.has_query, e.type, mark == event.RESPELLED):
            return False
        if self.watches_cascades and self.has_query and self.statements.changed_known:
            if noted or mark == event.OTHER_NAMES:
                self.note_statement_cascades(e.type, noted)
        if not self.by_group:
            self.unlogged.keep()
        return True

    def note_cascades(
        self, e: p_const_Event, format: p_const_Format, data: cython.p_const_char, length: cython.size_t
    ) -> cython.int:
        """Read the names of a Table_map or row event, and note what foreign keys may do with its changes.

        The server says if it did not check foreign keys, and if their changes have row events of their own.
        """
        fields: RowsFields
        changed: uint64_t = 0
        mark: cython.uchar = e.bits & event.MARKS
        status: cython.int = self.names_of(e, format)
        if status != VIEW_DONE or e.type == event.TABLE_MAP:
            return status
        operation: cython.int = rows_operation(e.type)
        if (
            self.map != cython.NULL
            and operation != INSERTS
            and (mark == 0 or mark == event.OTHER_NAMES)
            and not self.rows_flags & (event.NO_FOREIGN_KEY_CHECKS_F | event.USE_SQL_FOREIGN_KEY_F)
            and self.cascading_map != self.map.first_number
            and not self.hidden(e)
            and not self.left_out()
        ):
            if self.map.cascades_in != self.definitions:
                self.ask_cascades(e)
            if operation == UPDATES and self.map.cascades_columns:
                if rows_parse(cython.address(fields), format, e.data, e.body_end) != 0:
                    return VIEW_CORRUPT
                if data != cython.NULL:
                    fields.rows = cython.cast(octets, data)
                    fields.rows_size = length
                if not table_map_prepare(cython.address(self.maps), self.map, VALUES):
                    return VIEW_NO_MEMORY
                if not add_changed_columns(
                    cython.address(fields), self.map, self.map.cascades_columns, cython.address(changed)
                ):
                    return VIEW_INTERRUPTED
            if changed or (operation == DELETES and self.map.cascades_deletes):
                self.note_plan(operation, changed)
        if self.rows_flags & event.STMT_END_F:
            self.cascading_map = 0
        return VIEW_DONE

    def ask_cascades(self, e: p_const_Event) -> cython.int:
        """Ask what foreign keys do with changes of the current table, by the definitions so far."""
        map: p_TableMap = self.map
        if len(self.cascade_plans) >= MOST_CASCADING_TABLES:
            self.cascade_plans.clear()
        plan = self.cascades.of_table(
            self.catalog,
            PyBytes_FromStringAndSize(map.fields.database, map.fields.database_length),
            PyBytes_FromStringAndSize(map.fields.table, map.fields.table_length),
            PyBytes_FromStringAndSize(
                map.fields.database - 1,
                cython.cast(octets, map.body) + map.body_size - (map.fields.database - 1),
            ),
            self.file,
            self.payload_position if self.inside else e.position,
            True if map.mariadb else False,
        )
        map.cascades_in = self.definitions
        map.cascades_deletes = len(plan.deletes) > 0
        map.cascades_columns = plan.columns
        self.cascade_plans.pop(map.first_number, None)
        if map.cascades_deletes or map.cascades_columns:
            self.cascade_plans[map.first_number] = plan
        return 0

    def note_plan(self, operation: cython.int, changed: uint64_t) -> cython.int:
        """Note the foreign keys that a change of the current table runs."""
        plan = self.cascade_plans.get(self.map.first_number)
        if plan is None:
            self.map.cascades_in = 0  # it is asked again
            return 0
        found = plan.deletes if operation == DELETES else plan.of_columns(changed)
        self.unlogged.note_cascades(found, self.cascading_map == 0)
        self.cascading_map = self.map.first_number
        if not self.by_group:
            self.unlogged.keep()
        return 0

    def note_statement_cascades(self, type: uint8_t, noted: cython.bint) -> cython.int:
        """Note what the current statement may do to other tables; `noted`: it is counted for its own."""
        checks: cython.bint = not self.query.has_flags2 or not self.query.flags2 & NO_FOREIGN_KEY_CHECKS
        i: cython.size_t
        begins: cython.bint = True
        unclear: cython.bint = False
        for i in range(self.statements.changed):
            table = self.statements.tables + i
            found = self.cascades.of_statement(
                self.catalog,
                PyBytes_FromStringAndSize(table.database, table.database_length),
                PyBytes_FromStringAndSize(table.table, table.length),
                self.statements.operation,
                PyBytes_FromStringAndSize(self.query.text, self.query.length),
                True if checks else False,
            )
            if found is None:
                unclear = True
            elif found:
                self.unlogged.note_cascades(found, begins)
                begins = False
        if unclear:
            self.unlogged.note_unclear(type, noted)
        return 0

    def thread_of(self) -> int64_t:
        """Return the connection of the current event, or -1 if it is not known."""
        if self.has_query:
            return self.query.thread_id
        return self.group_thread if self.belongs else -1

    def digest_of(self, statement: cython.p_const_char, length: cython.size_t) -> int32_t:
        return self.digests.find(statement, length, self.sql_mode)

    def define(self, e: p_Event) -> cython.int:
        """Let the catalog take the statement, which may define tables.

        The parts of MariaDB's ALTER in two phases do not define, but for COMMIT ALTER.
        """
        self.catalog.run(*self.logged(e))
        self.definitions += 1
        self.watch_cascades()
        return VIEW_DONE

    def logged(self, e: p_const_Event) -> tuple:
        """Return the statement with its session, as the values of a LoggedStatement."""
        query = cython.declare(p_Query, cython.address(self.query))
        return (
            PyBytes_FromStringAndSize(query.text, query.length),
            PyBytes_FromStringAndSize(query.database, query.database_length),
            PyBytes_FromStringAndSize(query.charset, 6) if query.has_charset else None,
            query.collation_database,
            query.sql_mode if query.has_sql_mode else 0,
            query.explicit_defaults_for_timestamp,
            query.default_collation_for_utf8mb4,
            query.thread_id | cython.cast(uint64_t, e.server_id) << 32,  # servers give the same numbers
            self.file,
            self.payload_position if self.inside else e.position,
            True if query.mariadb else False,
            query.server_version,
            self.server_start,
        )

    def describe(self, e: p_Event, map: p_TableMap, names: cython.size_t) -> cython.int:
        """Ask the catalog for what a Table_map does not say; once, until a definition changes.

        `names` is where its names begin, from the event's body on.
        """
        at: octets = cython.NULL
        end: octets = cython.NULL
        if map.lent_in == self.definitions or map.fields.null_bits == cython.NULL:
            return VIEW_DONE
        if map.lent == cython.NULL:
            table_map.find_optional(
                cython.address(map.fields), table_map.COLUMN_NAME, cython.address(at), cython.address(end)
            )
            if at != end:
                return VIEW_DONE
        return self.lend(e, map, names)

    def lend(self, e: p_Event, map: p_TableMap, names: cython.size_t) -> cython.int:
        """Give the map what the catalog says of its table."""
        lent: bytes = self.catalog.metadata(
            PyBytes_FromStringAndSize(map.body + names, map.body_size - names),
            self.file,
            self.payload_position if self.inside else e.position,
            True if map.mariadb else False,
        )
        data: octets = lent
        if not table_map.table_maps_lend(cython.address(self.maps), map, data, len(lent)):
            return VIEW_NO_MEMORY
        map.lent_in = self.definitions
        return VIEW_DONE

    def left_out(self) -> cython.bint:
        """Return True if the current event is of a transaction that was rolled back."""
        return self.rolled_back is not None and self.belongs and self.is_rolled_back()

    def is_rolled_back(self) -> cython.bint:
        return (self.group.file_number, self.group.start) in self.rolled_back

    def hidden(self, e: p_const_Event) -> cython.bint:
        return (self.payload_position if self.inside else e.position) < self.hide_before

    def chosen(self, e: p_const_Event) -> cython.bint:
        """Return True if the current event gives rows: the filter kept it."""
        return not self.hidden(e) and e.bits & event.MARKS == 0
