# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What CheckScan notes of an event, as bits; compiled, as both sides of the kernel have these names."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.check.check_note is not built: `pip install .` builds it, with a C compiler")
