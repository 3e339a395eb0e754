from libc.stdint cimport int64_t, uint32_t, uint64_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport p_Text, put_char, put_memory, text_grow
from pybinlog.kernel.condition.text_order cimport compare_text, find_first_bytes, find_text_rule, TextRule
from pybinlog.kernel.rows.column_value cimport VALUE_INTEGER, p_const_ColumnValue
from pybinlog.kernel.rows.table_map cimport SIGN_UNKNOWN, UNSIGNED


# The truths that are possible for a condition, as a sum. More than one means that it cannot be judged.
cpdef enum:
    TRUE = 1
    FALSE = 2
    NULL_TRUTH = 4
    ANY_TRUTH = 7

# The instructions of a program. Each puts a truth on the stack; those of the first row take some off first.
cpdef enum:
    OP_AND = 0
    OP_OR = 1
    OP_NOT = 2
    OP_IS_TRUE = 3
    OP_IS_FALSE = 4
    OP_IS_UNKNOWN = 5
    OP_TRUTH = 6               # `number`
    OP_NULL = 7                # whether a value is NULL
    OP_COMPARE = 8
    OP_LIKE = 9
    OP_CHANGED = 10

cpdef enum:
    BEFORE_IMAGE = 0
    AFTER_IMAGE = 1
    EACH = 2                   # the one that the condition is asked of

# How values are compared.
cpdef enum:
    AS_NOTHING = 0             # in an unknown way: true or false
    AS_INTEGER = 1
    AS_REAL = 2
    AS_DECIMAL = 3             # by the bytes, which are in order
    AS_MOMENT = 4              # microseconds, or what is in their order
    AS_TEXT = 5
    AS_JSON = 6                # the text at a path
    AS_JSON_REAL = 7           # that text as a number

# A relation is a sum of the orders for which it holds.
cpdef enum:
    LESS = 1
    EQUAL = 2
    GREATER = 4
    NULL_SAFE = 8

cdef struct Instruction:
    int operation
    int form
    int image
    int other_image
    int relation
    int slot
    int other_slot             # -1: a constant
    bint fraction              # the constant is a bit more than it says
    int extreme                # -1 or 1: the constant is less, or more, than any value
    bint unsigned              # `number` has no sign
    bint plain                 # an integer is compared with `number`
    int64_t number
    double real
    octets data
    size_t size
    octets path                # of JSON
    size_t path_size
    TextRule rule
    uint64_t first_bytes[4]    # of a LIKE: which bytes a text may begin with
ctypedef const Instruction* p_const_Instruction

# A column that the condition asks for.
cdef struct Slot:
    size_t column
    size_t fixed               # bytes of a BINARY, up to which the log leaves zeros out
    octets members             # of an ENUM or a SET: their bytes
    const uint32_t* ends       # where each ends
    size_t member_count
    bint has_members
    uint64_t lacking           # rows that could not be judged: the image lacks the column
    uint64_t unclear           # the value cannot be compared here

# Make a slot of a `pybinlog.where.column.BoundColumn`, and an instruction of a `pybinlog.where.binding.Instruction`; both
# refer to bytes of these.
cdef object fill_slot(Slot* slot, object column)
cdef object fill_instruction(Instruction* at, object given, bint mariadb)
# Put in `order` how a value stands to the instruction's constant, or to the `second` value, unless that is NULL: -1, 0 or
# 1. False if it is unknown. The columns are those of the values; `texts` are two to work with, `steps` as
# of compare_text.
cdef bint order_of_values(
    p_const_Instruction i,
    p_const_ColumnValue value,
    const Slot* column,
    p_const_ColumnValue second,
    const Slot* other_column,
    p_Text texts,
    int* order,
    size_t* steps,
) noexcept nogil


cdef inline int order_of_integers(uint64_t a, bint a_unsigned, uint64_t b, bint b_unsigned) noexcept nogil:
    """Of two integers of 64 bits, each with or without a sign."""
    if not a_unsigned and <int64_t>a < 0:
        if not b_unsigned and <int64_t>b < 0:
            return (a > b) - (a < b)
        return -1
    if not b_unsigned and <int64_t>b < 0:
        return 1
    return (a > b) - (a < b)


cdef inline int integer_truth(p_const_Instruction i, p_const_ColumnValue value) noexcept nogil:
    """The truth of a plain instruction; 0 if it takes more than a comparison of integers."""
    cdef bint unsigned = value.column.signedness == UNSIGNED
    cdef int order
    if value.kind != VALUE_INTEGER or (value.column.signedness == SIGN_UNKNOWN and value.signed < 0):
        return 0
    order = order_of_integers(
        value.unsigned if unsigned else <uint64_t>value.signed, unsigned, <uint64_t>i.number, i.unsigned
    )
    if i.fraction and order == 0:
        order = -1
    return TRUE if i.relation >> (order + 1) & 1 else FALSE


# The text of a value, perhaps made in `text`; False if it is unknown. `steps`: as compare_text.
cdef bint text_of_value(
    p_const_Instruction i,
    p_const_ColumnValue value,
    const Slot* column,
    p_Text text,
    octets* data,
    size_t* size,
    size_t* steps,
) noexcept nogil
cdef bint same_value(p_const_ColumnValue a, p_const_ColumnValue b) noexcept nogil

# Used in this module only.
cdef int64_t moment_of(p_const_ColumnValue value) noexcept nogil
cdef uint64_t integer_of(p_const_ColumnValue value, bint* unsigned) noexcept nogil
cdef double real_of(p_const_ColumnValue value) noexcept nogil
cdef bint same_for(p_const_Instruction i, int order, uint64_t number) noexcept nogil
cdef int order_of_numbers(int64_t a, int64_t b) noexcept nogil
