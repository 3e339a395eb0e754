"""`pybinlog completion`: the command, and the scripts with which shells complete commands, options and their values."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from pybinlog.cli.command import command, environment_of
from pybinlog.cli.options.filter_options import OPERATIONS
from pybinlog.cli.options.option import Kind, Option, flag
from pybinlog.cli.program import COMMANDS, GROUPS, command_named

ABOUT = """\
Write the script with which a shell (bash, zsh or fish) completes pybinlog's commands, options and their values.

It is made of the options that this version has: make it again after an update."""

EXAMPLES = """\
pybinlog completion bash > ~/.local/share/bash-completion/completions/pybinlog
pybinlog completion fish > ~/.config/fish/completions/pybinlog.fish
eval "$(pybinlog completion zsh)"     # in ~/.zshrc, after compinit"""

SHELLS = ("bash", "zsh", "fish")
FILES = {"FILE", "FOLDER", "DIR"}
"""Placeholders of values that are names of files."""
WORDS = {"help": tuple(COMMANDS), "completion": SHELLS}
"""The arguments of these commands; all others take files."""
SUMMARIES = {name: text for group in GROUPS.values() for name, text in group.items()}


@command({}, ABOUT, EXAMPLES, usage="completion SHELL", files="shells")
def completion(ctx: click.Context, /, shells: tuple[str, ...]) -> None:
    if len(shells) != 1 or shells[0] not in SHELLS:
        raise click.UsageError(f"name one shell: {', '.join(SHELLS)}.")
    environment_of(ctx).show(script(shells[0]))


def script(shell: str) -> str:
    """Return the script for one of SHELLS."""
    return {"bash": bash, "zsh": zsh, "fish": fish}[shell]()


def spellings(name: str) -> Iterator[Option]:
    """Yield all options of a command, also those that switch something off."""
    for option in command_named(name).options:
        yield option
        if option.kind is Kind.FLAG and (option.default or option.name == "progress"):
            yield flag(option.off, f"The opposite of --{option.name}")


def explained(option: Option) -> str:
    return option.help.partition(". ")[0].removesuffix(".")


def values_of(option: Option) -> tuple[str, ...]:
    """Return the values that an option knows by name."""
    if isinstance(option.type, click.Choice):
        return tuple(map(str, option.type.choices))
    if option.name == "operation":
        return OPERATIONS
    if option.name == "event-type":
        from pybinlog.event_types import PRINTED_NAMES

        return tuple(sorted({name for name in PRINTED_NAMES.values() if " " not in name}))
    if option.name == "base64-output":
        from pybinlog.dump.options import Base64Output

        return tuple(mode.value for mode in Base64Output)
    return ()


# ---- bash

BASH = """\
# Completion of pybinlog for bash: put it into ~/.local/share/bash-completion/completions/pybinlog
_pybinlog() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=dump options= words=
    COMPREPLY=()
    # bash takes the = in --name=value for a word
    if [[ $current == = ]]; then
        current=
    elif [[ $before == = ]]; then
        before=${{COMP_WORDS[COMP_CWORD-2]}}
    fi
    if (( COMP_CWORD > 1 )); then
        case ${{COMP_WORDS[1]}} in
            {patterns}) command=${{COMP_WORDS[1]}} ;;
        esac
    fi
    case "$command $before" in
{values}
    esac
    case $command in
{options}
    esac
    if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
        [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace
        return
    fi
    case $command in
{words}
        *)
            compopt -o filenames
            COMPREPLY=($(compgen -f -- "$current"))
            ;;
    esac
    if (( COMP_CWORD == 1 )); then
        COMPREPLY+=($(compgen -W "{commands}" -- "$current"))
    fi
}}
complete -F _pybinlog pybinlog
"""


def bash() -> str:
    values, options = [], []
    for name in COMMANDS:
        names = []
        for one in spellings(name):
            names.append(f"--{one.name}{'=' if one.takes_value else ''}")
            if not one.takes_value:
                continue
            flags = [f"--{one.name}", *([f"-{one.letter}"] if one.letter else [])]
            action = ""
            if words := values_of(one):
                action = f'COMPREPLY=($(compgen -W "{" ".join(words)}" -- "$current")); '
            elif one.value_name in FILES:
                action = 'compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); '
            patterns = "|".join(f'"{name} {flag}"' for flag in flags)
            values.append(f"        {patterns}) {action}return ;;")
        options.append(f'        {name}) options="{" ".join(names)}" ;;')
    words_of = [
        f'        {name}) COMPREPLY=($(compgen -W "{" ".join(words)}" -- "$current")) ;;'
        for name, words in WORDS.items()
    ]
    return BASH.format(
        commands=" ".join(COMMANDS),
        patterns="|".join(COMMANDS),
        values="\n".join(values),
        options="\n".join(options),
        words="\n".join(words_of),
    )


# ---- zsh

ZSH = """\
#compdef pybinlog
# Completion of pybinlog for zsh: put it into a folder of $fpath under the name _pybinlog, or
# eval "$(pybinlog completion zsh)" after compinit.
_pybinlog() {{
    local -a commands
    commands=(
{commands}
    )
    local command=dump
    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
        _describe command commands
        _files
        return
    fi
    case $words[2] in
        ({patterns}) command=$words[2]; shift words; (( CURRENT-- )) ;;
    esac
    case $command in
{options}
    esac
}}
if [[ $funcstack[1] == _pybinlog ]]; then
    _pybinlog "$@"
else
    compdef _pybinlog pybinlog
fi
"""


def zsh() -> str:
    options = []
    for name in COMMANDS:
        specs = []
        for one in spellings(name):
            help = re.sub(r"[\\\[\]:]", r"\\\g<0>", explained(one))
            value = ""
            if one.takes_value or one.may_take_value:
                words = values_of(one)
                action = f"({' '.join(words)})" if words else "_files" if one.value_name in FILES else " "
                value = f"{'::' if one.may_take_value else ':'}value:{action}"
            sign = "=-" if one.may_take_value else "=" if one.takes_value else ""
            specs.append(f"*--{one.name}{sign}[{help}]{value}")
            if one.letter:
                specs.append(f"*-{one.letter}{'+' if one.takes_value else ''}[{help}]{value}")
        specs.append(f"*:word:({' '.join(WORDS[name])})" if name in WORDS else "*:log:_files")
        lines = " \\\n".join(f"            {quoted(spec)}" for spec in specs)
        options.append(f"        ({name}) _arguments -s -S : \\\n{lines} ;;")
    return ZSH.format(
        commands="\n".join(f"        {quoted(f'{name}:{SUMMARIES[name]}')}" for name in COMMANDS),
        patterns="|".join(COMMANDS),
        options="\n".join(options),
    )


def quoted(text: str) -> str:
    """Return a word in single quotes."""
    return "'" + text.replace("'", "'\\''") + "'"


# ---- fish

FISH = """\
# Completion of pybinlog for fish: put it into ~/.config/fish/completions/pybinlog.fish
function __pybinlog_command
    set -l words (commandline -opc)
    if test (count $words) -gt 1; and contains -- $words[2] {commands}
        echo $words[2]
    else
        echo dump
    end
end
function __pybinlog_in
    test (__pybinlog_command) = $argv[1]
end
function __pybinlog_first
    test (count (commandline -opc)) -eq 1
end
"""


def fish() -> str:
    lines = [FISH.format(commands=" ".join(COMMANDS))]
    for name in COMMANDS:
        lines.append(f"complete -c pybinlog -n __pybinlog_first -a {name} -d {fish_quoted(SUMMARIES[name])}\n")
    for name in COMMANDS:
        start = f"complete -c pybinlog -n '__pybinlog_in {name}'"
        if name in WORDS:
            lines.append(f"{start} -f -a '{' '.join(WORDS[name])}'\n")
        for one in spellings(name):
            line = f"{start} -l {one.name}"
            if one.letter:
                line += f" -s {one.letter}"
            if words := values_of(one):
                line += f" -x -a '{' '.join(words)}'"
            elif one.takes_value:
                line += " -r -F" if one.value_name in FILES else " -x"
            lines.append(f"{line} -d {fish_quoted(explained(one))}\n")
    return "".join(lines)


def fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
