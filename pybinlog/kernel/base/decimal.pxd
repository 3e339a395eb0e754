# How many bytes a DECIMAL takes in a row image. Inline functions only: there is no decimal.py.

cdef enum:
    MOST_GROUPS = 9              # of nine digits


cdef inline int decimal_size(int precision, int scale) noexcept nogil:
    """Bytes of a DECIMAL(precision, scale): nine digits in four, fewer in fewer; -1 where no server makes such a one."""
    cdef unsigned int whole = precision - scale
    cdef unsigned int part = scale
    # a server's number has at most 65 digits in at most nine groups
    if precision <= 0 or scale < 0 or precision < scale or (whole + 8) // 9 + (part + 8) // 9 > MOST_GROUPS:
        return -1
    return whole // 9 * 4 + (whole % 9 + 1) // 2 + part // 9 * 4 + (part % 9 + 1) // 2
