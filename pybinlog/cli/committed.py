"""The option --committed: logs without what was rolled back."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.cli.inputs import Inputs
    from pybinlog.views.options import ViewOptions
    from pybinlog.views.span import Span


def committed(inputs: Inputs, spans: list[Span], options: ViewOptions) -> list[Span]:
    """Return the spans without rolled-back transactions; warn of XA transactions whose outcome is unknown.

    Raise click.UsageError if one of the logs can be read only once.
    """
    from pybinlog.views.outcomes import without_rolled_back

    inputs.refuse_to_read_twice("committed", "write the log to a file first")
    with inputs.progress() as progress:
        found, unknown = without_rolled_back(spans, options.mode, progress.advance)
    if unknown:
        what = "1 XA transaction" if unknown == 1 else f"{unknown} XA transactions"
        inputs.environment.warn(f"the logs do not say what became of {what}: rows of such transactions are kept.")
    return found
