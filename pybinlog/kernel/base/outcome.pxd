# What the text of one event came to. DONE and SKIPPED continue with the next event; the others leave the compiled loop.
cdef enum Outcome:
    DONE = 0
    SKIPPED = 1
    STOPPED = 2                    # the end of what was asked for
    FULL = 3                       # finished text must be passed on
    SPILL = 4                      # waiting text is to go to a file
    STATEMENT = 5                  # a statement is complete, part of its text is in a file
    HELP = 7                       # an event whose text is not made in the loop
    MORE_ROWS = 8                  # a row event with so much text that it is written in portions
    FILTERED = 9                   # left out, but for its position
    CORRUPT = -1
    NO_MEMORY = -2
    BASE64_REFUSED = -3
    NO_FORMAT_DESCRIPTION = -4
    LOG_IN_USE = -5
    BAD_CHECKSUM = -6
