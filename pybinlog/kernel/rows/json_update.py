"""Partial updates of JSON columns (WL#2955), as JSON: the document that they make, or their operations.

The operations are applied to the document in its binary form. Only the arrays and objects on the way to a change become
nodes; all other values remain in the row image or in the operations.
"""

import cython
from cython.cimports.pybinlog.kernel.base.memory import calloc, free, memcmp, memset
from cython.cimports.pybinlog.kernel.rows import json_value

# Bytes of nodes, and steps from one to another: beyond these the operations are shown.
MOST_TREE = cython.declare(cython.size_t, 1 << 26)
MOST_STEPS = cython.declare(cython.size_t, 1 << 26)
NAMES = cython.declare(cython.p_const_char[3], [b'"replace"', b'"insert"', b'"remove"'])
MOST_INDEX = cython.declare(cython.size_t, 1 << 32)
NO_BYTES = cython.declare(uint8_t[4])  # a literal null


def allocate(tree: cython.pointer(Tree), size: cython.size_t) -> cython.p_void:
    """Return zeroed memory that is freed with the tree; NULL if memory or the tree's bound is exhausted."""
    if size > tree.most_memory - tree.memory:
        return cython.NULL
    block: cython.pointer(Block) = cython.cast(cython.pointer(Block), calloc(1, cython.sizeof(Block) + size))
    if block == cython.NULL:
        return cython.NULL
    tree.memory += size
    block.before = tree.blocks
    tree.blocks = block
    return block + 1


def tree_free(tree: cython.pointer(Tree)):
    while tree.blocks != cython.NULL:
        block: cython.pointer(Block) = tree.blocks
        tree.blocks = block.before
        free(block)


def put_document(node: cython.pointer(Node), data: octets, size: cython.size_t):
    """Make the node that of a whole document; one without bytes is null."""
    node.expanded = False
    node.child = cython.NULL
    node.element.type = data[0] if size else json_value.LITERAL
    node.element.data = data + 1 if size else cython.cast(octets, cython.address(NO_BYTES[0]))
    node.element.size = size - 1 if size else 1


def expand(tree: cython.pointer(Tree), node: cython.pointer(Node)) -> cython.bint:
    """Give an array or object its children; return False if it is not one, or cannot be read."""
    container: json_value.JsonContainer
    link: cython.pointer(cython.pointer(Node)) = cython.address(node.child)
    i: cython.size_t
    if node.expanded:
        return True
    if node.element.type > json_value.LARGE_ARRAY or not json_value.container_begin(
        cython.address(container), cython.address(node.element)
    ):
        return False
    children: cython.pointer(Node) = cython.cast(
        cython.pointer(Node), allocate(tree, container.count * cython.sizeof(Node))
    )
    if children == cython.NULL:
        return False
    for i in range(container.count):
        if not json_value.container_element(cython.address(container), i, cython.address(children[i].element)):
            return False
        if container.object:
            children[i].key = json_value.container_key(
                cython.address(container), i, cython.address(children[i].key_size)
            )
        link[0] = children + i
        link = cython.address(children[i].next)
    node.expanded = True
    node.object = container.object
    return True


def hex_digit(c: uint8_t) -> cython.int:
    if b"0" <= c <= b"9":
        return c - 48
    c |= 32
    return c - 87 if b"a" <= c <= b"f" else -1


def read_quoted(
    tree: cython.pointer(Tree), at: cython.pointer(octets), end: octets, leg: cython.pointer(Leg)
) -> cython.bint:
    """Read a key between double quotes, after the first of them. The server uses \\u only for control characters."""
    key: cython.pointer(uint8_t) = cython.cast(cython.pointer(uint8_t), allocate(tree, end - at[0]))
    size: cython.size_t = 0
    i: cython.int
    if key == cython.NULL:
        return False
    while at[0] != end:
        c: uint8_t = at[0][0]
        at[0] += 1
        if c == b'"':
            leg.key = key
            leg.key_size = size
            return True
        if c == b"\\":
            if at[0] == end:
                return False
            c = at[0][0]
            at[0] += 1
            if c == b"u":
                code: cython.int = 0
                if end - at[0] < 4:
                    return False
                for i in range(4):
                    if hex_digit(at[0][i]) < 0:
                        return False
                    code = 16 * code + hex_digit(at[0][i])
                at[0] += 4
                if code > 127:
                    return False
                c = cython.cast(uint8_t, code)
            elif c == b"b":
                c = 8
            elif c == b"t":
                c = 9
            elif c == b"n":
                c = 10
            elif c == b"f":
                c = 12
            elif c == b"r":
                c = 13
            elif c != b'"' and c != b"\\" and c != b"/":
                return False
        key[size] = c
        size += 1
    return False


def read_leg(
    tree: cython.pointer(Tree), at: cython.pointer(octets), end: octets, leg: cython.pointer(Leg)
) -> cython.bint:
    """Read the leg at at[0], before the end; return False for a form that the server does not log (wildcards, places
    from the last).
    """
    c: uint8_t = at[0][0]
    leg.cell = c == b"["
    at[0] += 1
    if at[0] == end:
        return False
    if leg.cell:
        leg.index = 0
        if at[0][0] == b"]":
            return False
        while at[0] != end:
            c = at[0][0]
            at[0] += 1
            if c == b"]":
                return True
            if c < b"0" or c > b"9" or leg.index > MOST_INDEX:
                return False
            leg.index = 10 * leg.index + (c - 48)
        return False
    if c != b".":
        return False
    if at[0][0] == b'"':
        at[0] += 1
        return read_quoted(tree, at, end, leg)
    leg.key = at[0]
    while at[0] != end and at[0][0] != b"." and at[0][0] != b"[":
        at[0] += 1
    leg.key_size = at[0] - leg.key
    return leg.key_size != 0 and leg.key[0] != b"*"


def find_child(
    tree: cython.pointer(Tree), node: cython.pointer(Node), leg: cython.pointer(Leg), found: cython.pointer(cython.bint)
) -> cython.pointer(cython.pointer(Node)):
    """Return the link to the leg's child, or to its place if it is missing; NULL if the leg does not fit the node.

    The members of an object stand in the order of their keys' lengths, and of their bytes.
    """
    link: cython.pointer(cython.pointer(Node)) = cython.address(node.child)
    place: cython.size_t = 0
    found[0] = False
    if not expand(tree, node) or node.object == leg.cell:
        return cython.NULL
    while link[0] != cython.NULL:
        if leg.cell:
            if place == leg.index:
                found[0] = True
                break
        elif link[0].key_size >= leg.key_size:
            order: cython.int = 1 if link[0].key_size > leg.key_size else memcmp(link[0].key, leg.key, leg.key_size)
            if order >= 0:
                found[0] = order == 0
                break
        link = cython.address(link[0].next)
        place += 1
        tree.steps += 1
    return link if tree.steps <= tree.most_steps else cython.NULL


def apply_operation(tree: cython.pointer(Tree), diff: cython.pointer(JsonDiff)) -> cython.bint:
    """Change the tree; False if the operation does not fit it."""
    node: cython.pointer(Node) = cython.address(tree.root)
    leg: Leg
    found: cython.bint = False
    at: octets = diff.path
    end: octets = diff.path + diff.path_size
    if at == end or at[0] != b"$":
        return False
    at += 1
    if at == end and diff.operation != REPLACE:
        return False
    while at != end:
        if not read_leg(tree, cython.address(at), end, cython.address(leg)):
            return False
        link: cython.pointer(cython.pointer(Node)) = find_child(tree, node, cython.address(leg), cython.address(found))
        if link == cython.NULL:
            return False
        if at == end and diff.operation == INSERT:
            if found and not leg.cell:
                return False
            added: cython.pointer(Node) = cython.cast(cython.pointer(Node), allocate(tree, cython.sizeof(Node)))
            if added == cython.NULL:
                return False
            put_document(added, diff.value, diff.value_size)
            added.key = cython.NULL if leg.cell else leg.key
            added.key_size = 0 if leg.cell else leg.key_size
            added.next = link[0]
            link[0] = added
            return True
        if not found:
            return False
        if at == end and diff.operation == REMOVE:
            link[0] = link[0].next
            return True
        node = link[0]
    put_document(node, diff.value, diff.value_size)
    return True


def apply_operations(tree: cython.pointer(Tree), at: octets, end: octets) -> cython.bint:
    diff: JsonDiff
    while at != end:
        if read_operation(cython.address(diff), cython.address(at), end) != cython.NULL:
            return False
        if not apply_operation(tree, cython.address(diff)):
            return False
    return True


def write_node(
    text: p_Text, node: cython.pointer(cython.const[Node]), depth: cython.int, limit: cython.size_t
) -> cython.int:
    child: cython.pointer(cython.const[Node]) = node.child
    if not node.expanded:
        return json_value.put_json_element(text, cython.address(node.element), depth, limit)
    if depth > json_value.MOST_DEPTH:
        return json_value.JSON_UNWRITABLE
    put_char(text, 123 if node.object else 91)
    while child != cython.NULL:
        if child != node.child:
            put_bytes(text, b", ", 2)
        if node.object:
            json_value.put_json_string(text, child.key, child.key_size)
            put_bytes(text, b": ", 2)
        result: cython.int = write_node(text, child, depth + 1, limit)
        if result != json_value.JSON_WRITTEN or text.drained + text.length > limit:
            return json_value.JSON_UNWRITABLE
        text_relieve(text)
        child = child.next
    put_char(text, 125 if node.object else 93)
    return json_value.JSON_WRITTEN


def write_tree(text: p_Text, source: cython.p_const_void) -> cython.int:
    tree: cython.pointer(cython.const[Tree]) = cython.cast(cython.pointer(cython.const[Tree]), source)
    limit: cython.size_t = text.drained + text.length + json_value.most_of(tree.size, json_value.MOST_TEXT_OF_A_BYTE)
    return write_node(text, cython.address(tree.root), 1, limit)


def write_operations(text: p_Text, source: cython.p_const_void) -> cython.int:
    operations: cython.pointer(cython.const[Operations]) = cython.cast(cython.pointer(cython.const[Operations]), source)
    at: octets = operations.data
    end: octets = at + operations.size
    diff: JsonDiff
    put_text(text, b'{"partial":[')
    while at != end:
        if at != operations.data:
            put_char(text, b",")
        if read_operation(cython.address(diff), cython.address(at), end) != cython.NULL:
            return json_value.JSON_INVALID
        put_text(text, b'{"op":')
        put_text(text, NAMES[diff.operation])
        put_text(text, b',"path":')
        json_value.put_json_string(text, diff.path, diff.path_size)
        if diff.operation != REMOVE:
            put_text(text, b',"value":')
            result: cython.int = json_value.put_json(text, diff.value, diff.value_size, True)
            if result != json_value.JSON_WRITTEN:
                return result
        put_char(text, b"}")
    put_text(text, b"]}")
    return json_value.JSON_WRITTEN


def put_json_update(
    text: p_Text, scratch: p_Text, data: octets, size: cython.size_t, before: p_const_ColumnValue
) -> cython.int:
    tree: Tree
    operations: Operations
    result: cython.int = json_value.JSON_UNWRITABLE
    if before != cython.NULL:
        memset(cython.address(tree), 0, cython.sizeof(Tree))
        put_document(cython.address(tree.root), before.data, before.size)
        tree.size = before.size + size
        tree.most_memory = min(MOST_TREE, json_value.most_of(tree.size, json_value.MOST_MEMORY_OF_A_BYTE))
        tree.most_steps = min(MOST_STEPS, json_value.most_of(tree.size, json_value.MOST_STEPS_OF_A_BYTE))
        if apply_operations(cython.address(tree), data, data + size):
            result = json_value.put_written(text, scratch, write_tree, cython.address(tree), tree.size)
        tree_free(cython.address(tree))
    if result != json_value.JSON_WRITTEN:
        operations.data = data
        operations.size = size
        result = json_value.put_written(text, scratch, write_operations, cython.address(operations), size)
    return result


def updated_json(before: bytes | None, operations: bytes) -> bytes | None:
    """Return the JSON text of a partial update of that document, both in the server's form; or None if it cannot be
    read.
    """
    text: OwnText = OwnText()
    scratch: OwnText = OwnText()
    document: ColumnValue
    if before is not None:
        document.data = before
        document.size = len(before)
    if json_value.JSON_WRITTEN != put_json_update(
        cython.address(text.text),
        cython.address(scratch.text),
        operations,
        len(operations),
        cython.address(document) if before is not None else cython.NULL,
    ):
        return None
    return text_take(cython.address(text.text))
