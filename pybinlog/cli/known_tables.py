"""The tables that --schema defines, for logs that do not name their columns."""

from __future__ import annotations

from pybinlog.cli.options.option import conflict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import click

    from pybinlog.catalog import Catalog
    from pybinlog.cli.inputs import Inputs
    from pybinlog.views.definitions import CatalogsAlong
    from pybinlog.views.span import Span


def catalog_of(ctx: click.Context, values: dict[str, Any]) -> Catalog:
    """Return the tables that --schema defines, in files or on a server."""
    from pybinlog.catalog import Coordinates, read_catalog
    from pybinlog.source import SERVER

    names = values["schema"]
    servers = [name for name in names if name.startswith(SERVER)]
    if not servers:
        return read_catalog(names, values["schema_of"])
    if len(names) > 1:
        raise conflict(f"schema={servers[0]}", "other --schema", "one server has all tables")
    from pybinlog.cli.server.server_logs import tables_there

    catalog = read_catalog((), values["schema_of"])
    tables = tables_there(ctx, servers[0], values)
    catalog.read(servers[0], tables.text)
    if values["schema_of"] is None:
        catalog.coordinates = Coordinates(tables.log, tables.position)
    return catalog


def catalogs_along(catalog: Catalog, inputs: Inputs, spans: Sequence[Span]) -> CatalogsAlong:
    """Return the tables as each log begins; the statements of logs that can be read twice say where a dump holds."""
    from pybinlog.source.location import read_once
    from pybinlog.views.definitions import CatalogsAlong

    def warn(sentence: str) -> None:
        inputs.environment.warn(f"{sentence}.")

    if not any(map(read_once, inputs.names)):
        return CatalogsAlong(catalog, spans, warn=warn)
    if catalog.schema_of == "end":
        inputs.refuse_to_read_twice("schema-of=end", "write the log to a file first")
    return CatalogsAlong(catalog, warn=warn)
