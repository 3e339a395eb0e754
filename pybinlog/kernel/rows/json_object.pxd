# The value of a document, or its bytes if it cannot be read.
cdef object read_json(bytes data)
# The operations of a partial update, or its bytes.
cdef object read_json_diff(bytes data)
