"""Scripts with which shells complete commands, options and their values, made of the options' declarations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import click

from pybinlog.cli.options.filter_options import OPERATIONS
from pybinlog.cli.options.option import Kind, Option
from pybinlog.cli.program import COMMANDS, GROUPS, command_named

SHELLS = ("bash", "zsh", "fish")
FILES = {"FILE", "FOLDER", "DIR"}
"""Placeholders of values that are names of files."""
WORDS = {"help": tuple(COMMANDS), "completion": SHELLS}
"""The arguments of these commands; all others take files."""
SUMMARIES = {name: text for group in GROUPS.values() for name, text in group.items()}


@dataclass(frozen=True)
class Spelling:
    """One way to write an option: `--name`, or its letter with it; and what may follow."""

    name: str
    letter: str
    help: str
    takes_value: bool
    may_take_value: bool
    values: tuple[str, ...]
    files: bool


def spellings(command: str) -> Iterator[Spelling]:
    """All options of a command, those that switch something off too."""
    for option in command_named(command).options:
        help = option.help.partition(". ")[0].removesuffix(".")
        yield Spelling(
            option.name,
            option.letter,
            help,
            option.takes_value,
            option.may_take_value,
            values_of(option),
            option.value_name in FILES,
        )
        if option.kind is Kind.FLAG and (option.default or option.name == "progress"):
            yield Spelling(option.off, "", f"The opposite of --{option.name}", False, False, (), False)


def values_of(option: Option) -> tuple[str, ...]:
    """Return the values that an option knows by name."""
    if isinstance(option.type, click.Choice):
        return tuple(str(choice) for choice in option.type.choices)
    if option.name == "operation":
        return OPERATIONS
    if option.name == "event-type":
        from pybinlog.event_types import PRINTED_NAMES

        return tuple(sorted({name for name in PRINTED_NAMES.values() if " " not in name}))
    if option.name == "base64-output":
        from pybinlog.dump.options import Base64Output

        return tuple(mode.value for mode in Base64Output)
    return ()


def script(shell: str) -> str:
    """Return the script for one of SHELLS."""
    return {"bash": bash, "zsh": zsh, "fish": fish}[shell]()


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
            {commands_case}) command=${{COMP_WORDS[1]}} ;;
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
    values: list[str] = []
    options: list[str] = []
    for command in COMMANDS:
        names: list[str] = []
        for one in spellings(command):
            names.append(f"--{one.name}{'=' if one.takes_value else ''}")
            patterns = "|".join(
                f'"{command} {flag}"' for flag in (f"--{one.name}", *([f"-{one.letter}"] if one.letter else []))
            )
            if one.values:
                values.append(
                    f'        {patterns}) COMPREPLY=($(compgen -W "{" ".join(one.values)}" -- "$current")); return ;;'
                )
            elif one.takes_value and one.files:
                values.append(
                    f'        {patterns}) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;'
                )
            elif one.takes_value:
                values.append(f"        {patterns}) return ;;")
        options.append(f'        {command}) options="{" ".join(names)}" ;;')
    words = [
        f'        {command}) COMPREPLY=($(compgen -W "{" ".join(of)}" -- "$current")) ;;'
        for command, of in WORDS.items()
        if command in COMMANDS
    ]
    return BASH.format(
        commands="\n".join(COMMANDS).replace("\n", " "),
        commands_case="|".join(COMMANDS),
        values="\n".join(values),
        options="\n".join(options),
        words="\n".join(words),
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
        ({commands_case}) command=$words[2]; shift words; (( CURRENT-- )) ;;
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
    options: list[str] = []
    for command in COMMANDS:
        specs: list[str] = []
        for one in spellings(command):
            explained = one.help
            for character in "\\[]:":
                explained = explained.replace(character, f"\\{character}")
            value = ""
            if one.takes_value or one.may_take_value:
                action = f"({' '.join(one.values)})" if one.values else "_files" if one.files else " "
                value = f"{'::' if one.may_take_value else ':'}value:{action}"
            sign = "=-" if one.may_take_value else "=" if one.takes_value else ""
            specs.append(f"*--{one.name}{sign}[{explained}]{value}")
            if one.letter:
                specs.append(f"*-{one.letter}{'+' if one.takes_value else ''}[{explained}]{value}")
        words = WORDS.get(command)
        specs.append(f"*:word:({' '.join(words)})" if words else "*:log:_files")
        lines = " \\\n".join(f"            {quoted(spec)}" for spec in specs)
        options.append(f"        ({command}) _arguments -s -S : \\\n{lines} ;;")
    return ZSH.format(
        commands="\n".join(f"        {quoted(f'{name}:{SUMMARIES[name]}')}" for name in COMMANDS),
        commands_case="|".join(COMMANDS),
        options="\n".join(options),
    )


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
    for command in COMMANDS:
        if command in WORDS:
            words = " ".join(WORDS[command])
            lines.append(f"complete -c pybinlog -n '__pybinlog_in {command}' -f -a '{words}'\n")
        for one in spellings(command):
            line = f"complete -c pybinlog -n '__pybinlog_in {command}' -l {one.name}"
            if one.letter:
                line += f" -s {one.letter}"
            if one.values:
                line += f" -x -a '{' '.join(one.values)}'"
            elif one.takes_value:
                line += " -r -F" if one.files else " -x"
            lines.append(f"{line} -d {fish_quoted(one.help)}\n")
    return "".join(lines)


def quoted(text: str) -> str:
    """In single quotes, for bash and zsh."""
    return "'" + text.replace("'", "'\\''") + "'"


def fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
