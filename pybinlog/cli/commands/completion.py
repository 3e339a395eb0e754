"""`pybinlog completion`: the command, and its answers to the shells whose TAB key it completes. `pybinlog help`, too.

click has the scripts of the shells and finds the option or argument that a word belongs to. A script calls the program
with `COMPLETE` in its environment.
"""

import os
from collections.abc import Iterator
from glob import escape, glob

import click
from click.shell_completion import CompletionItem, get_completion_class

from pybinlog.cli.command import command, environment_of
from pybinlog.cli.program import COMMANDS, COMPLETE, DEFAULT, GROUPS, command_named, near, program
from pybinlog.cli.topics import TOPICS, help_of

ABOUT = """\
Write the script with which a shell (bash, zsh or fish) completes pybinlog's commands, options and their values.

The script asks the installed pybinlog, so it stays true after an update."""

EXAMPLES = """\
pybinlog completion bash > ~/.local/share/bash-completion/completions/pybinlog
pybinlog completion fish > ~/.config/fish/completions/pybinlog.fish
eval "$(pybinlog completion zsh)"     # in ~/.zshrc, after compinit"""

SHELLS = ("bash", "zsh", "fish")


@command({}, ABOUT, EXAMPLES, usage="completion SHELL", files="shells", words=SHELLS)
def completion(ctx: click.Context, /, shells: tuple[str, ...]) -> None:
    found = get_completion_class(shells[0]) if len(shells) == 1 and shells[0] in SHELLS else None
    if found is None:
        raise click.UsageError(f"name one shell: {', '.join(SHELLS)}.")
    environment_of(ctx).show(found(program, {}, "pybinlog", COMPLETE).source())


def answer(instruction: str) -> str:
    """Return the completions of the words in the environment, as the script of the shell reads them.

    `instruction` is the value of the variable COMPLETE. Return nothing for an unknown shell.
    """
    found = get_completion_class(instruction.removesuffix("_complete"))
    if found is None:
        return ""
    shell = found(program, {}, "pybinlog", COMPLETE)
    words, word = shell.get_completion_args()
    words = [other for other in words if other != "="]  # bash takes the = in --name=value for a word
    named = words[:1] if words[:1] and words[0] in COMMANDS else []
    of_command = found(command_named(named[0] if named else DEFAULT), {}, "pybinlog", COMPLETE)
    items = of_command.get_completions(words[len(named) :], word)
    name, equals, _ = word.partition("=")
    before = f"{name}=" if name.startswith("--") and equals else ""
    if not words or before:  # a script takes words or the names of files, and zsh and fish replace the whole word
        items = [found for item in items for found in listed(item)]
    if not words:
        items = [*commands(word), *items]
    items = [CompletionItem(before + item.value, item.type, item.help) for item in items]
    return "".join(f"{shell.format_completion(item)}\n" for item in items)


def listed(item: CompletionItem[str]) -> list[CompletionItem[str]]:
    """Return the files and folders that a shell would offer for an item, or the item itself if it is a word."""
    if item.type != "file":
        return [item]
    names = sorted(glob(f"{escape(item.value)}*"))
    return [CompletionItem(f"{name}/" if os.path.isdir(name) else name) for name in names]


def commands(word: str) -> Iterator[CompletionItem[str]]:
    """Yield the commands that begin with a word."""
    for group in GROUPS.values():
        for name, summary in group.items():
            if name.startswith(word):
                yield CompletionItem(name, help=summary)


# ---- help

HELP_ABOUT = """\
Show what the program can do, or what a command does, its options and examples. TOPIC is connection (how to reach a \
server), filters (which events, transactions or rows) or files (which logs): options that many commands share."""

HELP_EXAMPLES = """\
pybinlog help
pybinlog help check
pybinlog help connection"""


@command({}, HELP_ABOUT, HELP_EXAMPLES, usage="help [COMMAND | TOPIC]", files="names", words=(*COMMANDS, *TOPICS))
def help(ctx: click.Context, /, names: tuple[str, ...]) -> None:
    environment = environment_of(ctx)
    if not names:
        from pybinlog.cli.overview import overview

        environment.show(overview())
        return
    if len(names) > 1:
        raise click.UsageError("help shows one command at a time; name one.")
    if names[0] in TOPICS:
        environment.show(help_of(names[0]))
        return
    if names[0] not in COMMANDS:
        meant = near(names[0])
        way_out = f"did you mean {' or '.join(meant)}?" if meant else f"the commands are {', '.join(COMMANDS)}."
        raise click.UsageError(f"there is no command {names[0]}; {way_out}")
    described = command_named(names[0])
    environment.show(described.get_help(click.Context(described, info_name=names[0])) + "\n")
