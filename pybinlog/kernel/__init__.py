"""Compiled hot loops: scanning, boundaries, text. Nothing here knows files, options or consoles.

All modules of its rooms lie in one shared library: a dump uses forty of them, and a tenth of a millisecond goes into
each file that is opened. Python loads such modules, but does not find them (PEP 489, "Multiple modules in one
library"); LibraryFinder does. The sources themselves never run: a second, slow way through a log has no use.
"""

import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec

LIBRARY = os.path.join(os.path.dirname(__file__), "library" + EXTENSION_SUFFIXES[0])
IS_BUILT = os.path.exists(LIBRARY)


class LibraryFinder:
    """Finds `pybinlog.kernel.ROOM.MODULE` in the library."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Find a module of the library, as importlib.abc.MetaPathFinder does; return None for all others.

        Raise ImportError if there is no library.
        """
        if not name.startswith(__name__ + ".") or name.count(".") != 3:
            return None
        if not IS_BUILT:
            raise ImportError("pybinlog's kernel is not built: `pip install .` builds it, with a C compiler", name=name)
        spec = ModuleSpec(name, ExtensionFileLoader(name, LIBRARY), origin=LIBRARY)
        spec.has_location = True
        return spec


sys.meta_path.insert(0, LibraryFinder)
