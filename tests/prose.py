"""`python -m tests.prose`: sentences that make a reader stop. `make lint` runs it; CONTRIBUTING.md says how to write.

It reads docstrings, comments and messages of the package, and the pages. `--list ROOM ...` shows each sentence that it
finds in these rooms, `--counts` the number of each kind in every room. Without arguments it fails for a sentence in a
room that is not in `OPEN`.
"""

import argparse
import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parent.parent

OPEN: set[str] = set()
"""Rooms that are not rewritten yet. Take a room out when it has no findings; put none in."""

EXCEPTIONS = {
    "What people will get wrong": "an example of before and after, in CONTRIBUTING.md",
    "What comes after one of its logs": "the same",
    "None where that is the last": "the same",
    "of which something is asked for": "the same",
    "'Insert' is no event type": "the same",
    "What, is: 100%25?": "text with signs that GitHub's commands escape",
    "the log does not match the requested position": "a message with several facts about one log",
    "(Unable to change boundary parser from |": "a regular expression of messages",
    "def tell(self) -> int": "a method of file objects",
    "DataLossError where the log": "the same",
    "which nobody here reads": "the same",
    "None if nobody wants": "comments of a declaration that most views are built again for",
}
"""Pieces of sentences that remain as they are, with the reason."""

MOST_WORDS = 30
MOST_LINES = {"README.md": 120, "docs/architecture.md": 200}
MOST_LINES_OF_A_PAGE = 300

# Words after which "where" opens a place or an indirect question, not a condition.
PLACE = (
    "after and answer ask asks at before beginning beginnings belongs byte column computes decides do end ends "
    "exactly file files find finds folder from guess here is know known knows learn line lines log look looks "
    "moment not note notes of offset only page pages part place places point points position positions remember "
    "remembers row said saw say says section see shop show shows since spot tell tells than that there to until way "
    "with worked works"
).split()
# Words after "where" if it stands for "if" or "when".
CONDITION = (
    "it its they their this that these there the a an no none nothing any one neither either something you".split()
)

PATTERNS = {
    "opening": re.compile(r"^(What|Whether|Whoever|Whatever|Of (which|what|whom|a|an|the)|That which)\b(?!.*\?$)"),
    "is no": re.compile(r"(?<![Tt]here )\b(is|are|was|were) no (?!longer\b|more\b|less\b|earlier\b|later\b)[a-z]+"),
    "asked for": re.compile(r"\basked for\b"),
    "nobody": re.compile(r"\b([Nn]o|[Ss]ome|[Aa]ny)body\b"),
    "where": re.compile(
        rf"^Where (?!are\b|is\b|to\b)\w+|(?<!\w)(?!(?:{'|'.join(PLACE)})\b)[\w`)]+,? where (?:{'|'.join(CONDITION)})\b"
    ),
}
VAGUE_NAME = re.compile(
    r"^ *(?:def|cp?def [\w* ]+) (?:asks|goes|pass_over|passed_over|said|says?|stays?|take|told|tells?)\(.*",
    re.MULTILINE,
)
"""A name that could stand for several acts: read, pop, add, note, keep, skip, print and so on are one act each."""
NO_COMMAND = set(
    """a all an another as asked at batches bits blocks both by bytes called changes classifier databases days each
    errors event events every everything expressions files for four from how if in its large logs many much names no
    none nothing of one only options others rows seconds some something sorted standard strings tables text that the
    those to two until up what where whether which who whole with without""".split()
)
"""Words that begin no command, and so no docstring of a function."""
SCRIPT = re.compile(r"^ *pybinlog |\{\{|^(?:import|from|def|ADD|CREATE|#) \w", re.MULTILINE)
"""Messages with it are examples of commands, Python or SQL, or a template of a script."""
SENTENCE = re.compile(r"(?<![-\w])([Aa]|[Tt]he|and|in|is|of|to|was|with)(?![-\w])")
"""A long text without these words is a list of names or numbers."""
CODE = re.compile(r"``.*?``|`[^`]*`")


class Finding(NamedTuple):
    place: str
    kind: str
    sentence: str


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text without its blocks of code: they end with a stop, a blank line or a list's item."""
    for block in re.split(r"\n\s*\n|\n\s*(?=[-*|] |\d+\. )", text):
        if not block.startswith(("    ", "\t")):
            joined = " ".join(block.split()).lstrip("-*|# ")
            yield from re.split(r"(?<=[.!?:;])\)? +(?=[A-Z`(\"'*\[]|pybinlog |mysqlbinlog |mariadb-binlog )", joined)


def texts_of_module(source: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the line, the text and whether users read it, for each docstring, comment and message of a module."""
    tree = ast.parse(source)
    documented = set()
    inside = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            documented |= {id(part.value) for part in body if isinstance(part, ast.Expr)}
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(part.value if isinstance(part, ast.Constant) else "X" for part in node.values)  # type: ignore[misc]
            if not SCRIPT.search(text):
                yield node.lineno, text, True
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            is_message = id(node) not in documented
            if not is_message or (node.value.count(" ") > 1 and not SCRIPT.search(node.value)):
                yield node.lineno, node.value, is_message
    yield from comments(source)


def docstrings_in(source: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, docstring and return type of each function, but of no property and no method of Python's."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
            decorators = {ast.unparse(one).rpartition(".")[2] for one in node.decorator_list}
            if (docstring := ast.get_docstring(node)) and not decorators & {"property", "cached_property", "setter"}:
                yield node.lineno, docstring, ast.unparse(node.returns) if node.returns else ""


def is_broken(docstring: str, returns: str, commands: bool) -> bool:
    """Return True if a docstring is not a command, or says "True if" of a function with other answers."""
    if docstring.startswith("Return True if ") and returns not in ("bool", "cython.bint", "object", ""):
        return True
    return commands and docstring.split()[0].strip(".,:;").lower() in NO_COMMAND


def comments(source: str) -> Iterator[tuple[int, str, bool]]:
    """Yield runs of comment lines as one text."""
    run: list[str] = []
    first = last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not re.match(r"#\s*(type:|noqa|cython:|distutils:)|#!", token.string):
            alone = not token.line[: token.start[1]].strip()
            if run and (token.start[0] != last + 1 or not alone):
                yield first, "\n".join(run), False
                run = []
            if not run:
                first = token.start[0]
            run.append(token.string.lstrip("# "))
            last = token.start[0] if alone else 0
    if run:
        yield first, "\n".join(run), False


def texts_of_page(page: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the paragraphs of a page in Markdown, without its blocks of code; a table's cells one by one."""
    paragraph: list[str] = []
    fenced = False
    for number, line in enumerate([*page.splitlines(), ""], 1):
        fenced ^= line.startswith("```")
        code = fenced or line.startswith(("```", "    "))
        if code or not line.strip() or line.startswith(("|", "#")):
            if paragraph:
                yield number - len(paragraph), "\n".join(paragraph), True
            paragraph = []
            if line.startswith("|"):
                yield from ((number, cell.strip(), True) for cell in CODE.sub("X", line).split("|"))
        else:
            paragraph.append(line)


def findings_in(text: str, measured: bool) -> Iterator[tuple[str, str]]:
    """Yield the kind and the sentence of each finding; `measured`: count the words of sentences, too."""
    for sentence in sentences(text):
        plain = CODE.sub("X", re.sub(r"\]\([^)]*\)", "]", sentence))
        if any(kept in sentence for kept in EXCEPTIONS):
            continue
        for kind, pattern in PATTERNS.items():
            if pattern.search(plain):
                yield kind, sentence
        if measured and SENTENCE.search(plain) and len(re.findall(r"[^\s—|]*\w[^\s—|]*", plain)) > MOST_WORDS:
            yield "long", sentence


def room_of(path: Path) -> str:
    """Return the room of a file: its folder in the package (`kernel/scan`), or the page itself."""
    parts = path.relative_to(PROJECT).parts
    if path.suffix == ".md":
        return "/".join(parts)
    if parts[0] == "pybinlog":
        return "/".join(parts[1 : 3 if parts[1] == "kernel" else 2][: len(parts) - 2]) or "pybinlog"
    return parts[0]


def files() -> Iterator[Path]:
    yield from (PROJECT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))
    yield from sorted((PROJECT / "docs").glob("*.md"))
    for suffix in ("*.py", "*.pxd"):
        yield from sorted((PROJECT / "pybinlog").rglob(suffix))
    yield from (
        path for path in sorted((PROJECT / "tests").rglob("*.py")) if path.name not in ("prose.py", "test_prose.py")
    )


def findings_of(path: Path) -> Iterator[Finding]:
    source = path.read_text(encoding="utf-8")
    name = str(path.relative_to(PROJECT))
    if path.suffix == ".md":
        texts = texts_of_page(source)
        most = MOST_LINES.get(name, MOST_LINES_OF_A_PAGE if name.startswith("docs/") else sys.maxsize)
        if (lines := source.count("\n")) > most:
            yield Finding(name, "page", f"{lines} lines; at most {most}: split the page, or say less")
    else:
        texts = texts_of_module(source) if path.suffix == ".py" else comments(source)
        if name.startswith("pybinlog/") and path.suffix == ".py":
            for line, docstring, returns in docstrings_in(source):
                if is_broken(docstring, returns, not name.startswith("pybinlog/kernel/")):
                    yield Finding(f"{name}:{line}", "docstring", docstring.splitlines()[0])
        if name.startswith("pybinlog/"):
            for found in VAGUE_NAME.finditer(source):
                if not any(kept in found[0] for kept in EXCEPTIONS):
                    yield Finding(f"{name}:{source.count(chr(10), 0, found.start()) + 1}", "name", found[0].strip())
    for line, text, read_by_users in texts:
        for kind, sentence in findings_in(text, measured=read_by_users):
            yield Finding(f"{name}:{line}", kind, sentence)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.prose")
    parser.add_argument("--counts", action="store_true", help="print the number of findings by room")
    parser.add_argument("--list", nargs="+", metavar="ROOM", help="print the findings of these rooms")
    arguments = parser.parse_args()
    found: dict[str, list[Finding]] = {}
    for path in files():
        found.setdefault(room_of(path), []).extend(findings_of(path))
    if arguments.counts:
        kinds = [*PATTERNS, "long", "name", "docstring", "page"]
        print(f"{'room':28}", *(f"{kind:>10}" for kind in [*kinds, "all"]))
        every = [one for ones in found.values() for one in ones]
        for room, of_room in [*found.items(), ("all", every)]:
            counts = Counter(one.kind for one in of_room)
            print(f"{room:28}", *(f"{number:10}" for number in [*(counts[kind] for kind in kinds), len(of_room)]))
        return 0
    shown = arguments.list or [room for room in found if room not in OPEN]
    wrong = [one for room in shown for one in found[room]]
    for one in wrong:
        print(f"{one.place}: {one.kind}: {one.sentence}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
