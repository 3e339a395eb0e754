# The view `rows` as lines of text: the C side of kernel/views/row_lines.py.
from libc.stdint cimport int64_t

from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.views.row_columns cimport RowColumns
from pybinlog.kernel.views.row_text cimport Stamp
from pybinlog.kernel.views.view_filter cimport Name

cdef enum:
    MOST_CELLS = 21           # of a view with all its columns

# A cell of the line in the making.
cdef struct Cell:
    size_t start              # where its text is in `line`, and how long that is
    size_t length
    int64_t number            # what the text is of: INT64_MIN is null
    Text bytes                # the same of a string
    bint there                # it is not null

cdef class Lines:
    cdef Text text

cdef class RowLines(RowColumns):
    cdef int form
    cdef list kept            # the texts that stand between the cells
    cdef Text text            # whole lines
    cdef size_t line_count
    cdef bint columnar        # the rows after these lines are in columns
    cdef Text line            # the line of the last row without its images
    cdef size_t cell_count
    cdef Cell cells[MOST_CELLS]          # in the order of the line
    cdef Cell* by_column[MOST_CELLS]     # by the number of the column; NULL: nobody wants it
    cdef bint has_image[2]    # before, after
    cdef Text image_text[2]
    cdef Text scratch[2]
    cdef Stamp stamp

    cdef void put(self, Cell* cell, const char* text, size_t length) noexcept nogil
    cdef void put_number(self, int column, int64_t number) noexcept nogil
    cdef void put_time(self, int column, int64_t time) noexcept nogil
    cdef void put_name(self, int column, const Name* name) noexcept nogil
    cdef size_t put_image(self, int image, size_t done) noexcept nogil
