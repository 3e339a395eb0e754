"""Which tables there are: definitions that dumps and statements of logs give to logs that do not name columns."""

from pybinlog.catalog.catalog import Catalog
from pybinlog.catalog.coordinates import Coordinates

__all__ = ["Catalog", "Coordinates"]
