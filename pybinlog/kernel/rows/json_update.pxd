from libc.stdint cimport uint8_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport OwnText, p_Text, put_bytes, put_char, put_text, text_relieve, text_take
from pybinlog.kernel.rows.column_value cimport ColumnValue, p_const_ColumnValue
from pybinlog.kernel.rows.json_diff cimport INSERT, JsonDiff, read_operation, REMOVE, REPLACE
from pybinlog.kernel.rows.json_value cimport JsonElement


# A value of a document that changes. An array or object that is expanded has children instead of an element.
cdef struct Node:
    JsonElement element
    bint expanded
    bint object
    octets key                         # of a member of an object
    size_t key_size
    Node* child                        # the first
    Node* next

cdef struct Block:
    Block* before

cdef struct Tree:
    Node root
    size_t size                        # bytes of the document and of the operations
    Block* blocks                      # the memory of nodes and keys
    size_t memory
    size_t most_memory
    size_t most_steps
    size_t steps                       # taken so far from node to node

# A leg of a path: a member, or a cell of an array.
cdef struct Leg:
    bint cell
    size_t index
    octets key
    size_t key_size

cdef struct Operations:
    octets data
    size_t size

# Append the document that the operations in `data` make of `before`; if that is NULL or they do not fit it, an object
# with the operations: {"partial":[{"op":"replace","path":"$.a","value":1}]}. Only JSON_WRITTEN leaves text.
cdef int put_json_update(
    p_Text text, p_Text scratch, octets data, size_t size, p_const_ColumnValue before
) noexcept nogil

# Used in this module only.
cdef void* allocate(Tree* tree, size_t size) noexcept nogil
cdef void tree_free(Tree* tree) noexcept nogil
cdef void put_document(Node* node, octets data, size_t size) noexcept nogil
cdef bint expand(Tree* tree, Node* node) noexcept nogil
cdef bint read_quoted(Tree* tree, octets* at, octets end, Leg* leg) noexcept nogil
cdef bint read_leg(Tree* tree, octets* at, octets end, Leg* leg) noexcept nogil
cdef Node** find_child(Tree* tree, Node* node, Leg* leg, bint* found) noexcept nogil
cdef bint apply_operation(Tree* tree, JsonDiff* diff) noexcept nogil
cdef bint apply_operations(Tree* tree, octets at, octets end) noexcept nogil
cdef int write_node(p_Text text, const Node* node, int depth, size_t limit) noexcept nogil
cdef int write_tree(p_Text text, const void* source) noexcept nogil
cdef int write_operations(p_Text text, const void* source) noexcept nogil
cdef int hex_digit(uint8_t c) noexcept nogil
