# What a check notes of an event: the C side of kernel/check_note.py.

# Bits of CheckScan.notes; names of the module for Python code, too.
cpdef enum:
    # Types to look into.
    NOTE_FORMAT_DESCRIPTION = 0x1
    NOTE_ROTATE = 0x2
    NOTE_PREVIOUS_GTIDS = 0x4
    NOTE_XA_PREPARE = 0x8
    NOTE_XA_END = 0x10              # XA COMMIT or XA ROLLBACK
    NOTE_PAYLOAD = 0x20
    NOTE_STREAM = 0x40              # a fake Rotate: another stream begins
    NOTE_ENCRYPTED = 0x80           # MariaDB's: the events after this one are encrypted
    # Rules that are broken.
    NOTE_REFUSED = 0x100            # the first of a run of refusals
    NOTE_STARTS_INSIDE = 0x200      # ... before any transaction began
    NOTE_GTID_ALONE = 0x400         # the GTID before this event has no statement
    NOTE_IN_STEP = 0x800            # the run of refusals is over
    NOTE_CONTRADICTION = 0x1000
    NOTE_RESERVED = 0x2000
    NOTE_UNKNOWN_TYPE = 0x4000
    NOTE_END_LOG_POS = 0x8000
    NOTE_CORRUPT = 0x10000
    NOTE_NO_TABLE_MAP = 0x20000
    NOTE_NO_STATEMENT_END = 0x40000
    NOTE_CLOCK = 0x80000            # last_committed is not below sequence_number
    NOTE_GTID = 0x100000            # `finished_gtid` must be added to the set
    NOTE_ROLLBACK = 0x200000
    NOTE_RARE = 0x400000            # of a type whose body is not read here
    NOTE_NAME = 0x800000            # a name that could do harm in the text
    NOTE_NO_FORMAT = 0x1000000      # rows before any Format_description of the server that wrote them
