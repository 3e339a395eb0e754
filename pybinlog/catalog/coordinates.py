"""Coordinates: the place in the logs that a dump or a backup is of, as the programs that make them write it."""

from pybinlog.record import Record


class Coordinates(Record):
    """A log's base name and a position in it; or GTIDs: those of all transactions before. Empty where not said."""

    log: str = ""
    position: int = 0
    gtids: str = ""

    def __bool__(self) -> bool:
        return bool(self.log or self.gtids)

    def __str__(self) -> str:
        return f"{self.log}, position {self.position}" if self.log else f"the GTIDs {self.gtids}"
