"""Typed tables for conditions: their definitions, rows, and conditions on them, for a real server."""

from collections.abc import Iterator
from itertools import cycle

from hypothesis import strategies as st

_TEXTS = ["''", "'a'", "'A'", "'a '", "'b'", "'aB'", "'ab'", "'10'", "'é'", "'E'", "'ß'", "'ss'", "'Ä'", "'z'", "' a'",
          "'a\\\\_b'", "'日本'", "'😀'", "'Ж'", "'ж'", "'x y'"]  # fmt: skip
_LATIN = [text for text in _TEXTS if all(ord(c) < 256 for c in text)]
_COLUMNS: dict[str, tuple[str, list[str]]] = {
    "tiny": ("TINYINT", ["-128", "-1", "0", "1", "5", "127"]),
    "utiny": ("TINYINT UNSIGNED", ["0", "1", "5", "127", "128", "255"]),
    "medium": ("MEDIUMINT", ["-8388608", "-5", "0", "5", "8388607"]),
    "number": ("INT", ["-2147483648", "-5", "0", "5", "6", "2147483647"]),
    "unumber": ("INT UNSIGNED", ["0", "5", "2147483648", "4294967295"]),
    "big": ("BIGINT", ["-9223372036854775808", "-5", "0", "5", "9223372036854775807"]),
    "ubig": ("BIGINT UNSIGNED", ["0", "5", "9223372036854775808", "18446744073709551615"]),
    "price": ("DECIMAL(10,2)", ["-1.50", "-0.01", "0", "1.50", "1.51", "19.99", "99999999.99"]),
    "long_price": ("DECIMAL(38,12)", ["-1.5", "0", "1.500000000001", "12345678901234567890123456.5"]),
    "single": ("FLOAT", ["-1.5", "0", "0.1", "1.5", "1e10"]),
    "dbl": ("DOUBLE", ["-1.5", "0", "0.1", "1.5", "1e100"]),
    "bits": ("BIT(12)", ["0", "1", "5", "255", "4095"]),
    "born": ("YEAR", ["1901", "1999", "2000", "2024", "2155"]),
    "day": ("DATE", ["'2000-01-01'", "'2024-02-29'", "'2024-03-01'", "'9999-12-31'"]),
    "moment": ("DATETIME(3)", ["'2000-01-01 00:00:00'", "'2024-02-29 12:34:56.789'", "'2024-02-29 12:34:56'"]),
    "stamp": ("TIMESTAMP(6) NULL", ["'2000-01-01 00:00:00'", "'2024-02-29 12:34:56.789012'", "'1970-01-01 00:00:01'"]),
    "span": ("TIME(2)", ["'-838:59:59'", "'-00:00:00.01'", "'00:00:00'", "'12:34:56.78'", "'12:34:56'"]),
    "state": ("ENUM('new','Paid','é','zz')", ["'new'", "'Paid'", "'é'", "'zz'"]),
    "tags": ("SET('a','b','Cé')", ["''", "'a'", "'a,b'", "'b,Cé'", "'a,b,Cé'"]),
    "plain": ("CHAR(10) CHARACTER SET latin1 COLLATE latin1_swedish_ci", _LATIN),
    "lbin": ("VARCHAR(10) CHARACTER SET latin1 COLLATE latin1_bin", _LATIN),
    "general": ("VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", _TEXTS),
    "unicode": ("VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci", _TEXTS),
    "modern": ("TEXT", _TEXTS),
    "ubin": ("VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", _TEXTS),
    "bytes_": ("VARBINARY(20)", _TEXTS),
    "fixed": ("BINARY(4)", ["''", "'a'", "'a\\0'", "'abcd'", "X'00'"]),
}
_PATTERNS = ["'a%'", "'%b'", "'_'", "'%'", "''", "'%é%'", "'A_'", "'a\\\\_%'", "'_%_'", "'%a%b%'"]
_MODERN = {"mysql": "utf8mb4_0900_ai_ci", "mariadb": "utf8mb4_uca1400_ai_ci"}
_TEXT_COLUMNS = ("plain", "lbin", "general", "unicode", "modern", "ubin", "bytes_", "fixed", "state", "tags")
_NUMBERS = "tiny utiny medium number unumber big ubig price long_price single dbl bits".split()
_PATHS = ["$.a.n", "$.a.s", "$.list[0]", "$.list[1]", "$.none", "$.list[3]", "$.a.n[0]"]
_EXTRA = {
    "numbers": ["-6", "2", "1.505", "1e1", "300", "-300", "99999999999999999999", "-0.005", "100000000", "0.1"],
    "day": ["'2024-02-29 00:00:01'", "'2024-2-28'", "'1000-01-01'"],
    "moment": ["'2024-02-29'", "'2024-02-29 12:34:56.7889'", "'2024-02-29T12:34:56.789'"],
    "stamp": ["'2024-02-29'", "'2024-02-29 12:34:56.789012'", "'1960-01-01'"],
    "span": ["'12:34'", "'-0:00:00.01'", "'12:34:56.785'"],
    "born": ["1998", "2100"],
}


def create(kind: str) -> str:
    """Return the statement that makes the table."""
    columns = []
    for name, (definition, _) in _COLUMNS.items():
        if name in ("modern", "state", "tags"):
            definition += f" CHARACTER SET utf8mb4 COLLATE {_MODERN[kind]}"
        columns.append(f"{name} {definition} NULL")
    more = ", doc JSON NULL" if kind == "mysql" else ""
    return f"CREATE TABLE t (id INT PRIMARY KEY, {', '.join(columns).replace('NULL NULL', 'NULL')}{more})"


def rows_sql(kind: str, count: int = 60) -> str:
    """Return the statement that fills it: each value of a column comes several times, and so does NULL."""
    rows = []
    for n in range(count):
        values = [str(n)]
        for place, (_, choices) in enumerate(_COLUMNS.values()):
            k = (n * 7 + place * 3 + n // 9) % (len(choices) + 1)
            values.append("NULL" if k == len(choices) else choices[k])
        if kind == "mysql":
            doc = f'{{"a": {{"n": {n % 7}, "s": "v{n % 3} "}}, "list": [{n}, "x", null, true]}}'
            values.append("NULL" if n % 5 == 0 else f"'{doc}'")
        rows.append(f"({', '.join(values)})")
    return f"INSERT INTO t VALUES {', '.join(rows)}"


def _values(name: str) -> list[str]:
    _, choices = _COLUMNS[name]
    own = list(choices)
    if name in _NUMBERS:
        return own + [n for n in _EXTRA["numbers"] if "e" not in n or name != "long_price"]
    if name in _TEXT_COLUMNS:
        return own + (_LATIN if name in ("plain", "lbin") else _TEXTS)
    return own + _EXTRA.get(name, [])


_OTHERS = [
    "bytes_ = X'61'", "bytes_ > X'62'", "fixed = X'61000000'", "fixed < X'62'",
    "day = DATE'2024-02-29'", "moment >= TIMESTAMP'2024-02-29 12:34:56'", "span < TIME'12:34:56'",
    "stamp > TIMESTAMP'2024-02-29 00:00:00'", "price <=> price", "price < price", "long_price <=> long_price",
    "state = state", "tags <=> tags", "state <=> state", "dbl < single", "single <=> single", "dbl >= number",
    "(number = 5) IS TRUE", "(number = 5) IS FALSE", "(number = 5) IS NOT FALSE", "(number = NULL) IS TRUE",
    "(number = NULL) IS NOT TRUE", "NOT number = 5", "number IN (5) AND NOT tiny = 5",
    "number = '5'", "number = ' 6 '", "price = '1.50'", "dbl = '1.5'", "price = 1.5e0", "born = '2024'",
]  # fmt: skip


def each_comparison(kind: str) -> Iterator[str]:
    """Yield, of each column, comparisons with each of its values, and each other form."""
    operators = cycle(["=", "<", ">=", "<>", ">", "<=", "<=>"])
    for name in _COLUMNS:
        values = _values(name)
        for value in dict.fromkeys(values):
            for _ in range(3):
                yield f"{name} {next(operators)} {value}"
            if name in _TEXT_COLUMNS:
                yield f"BINARY {name} {next(operators)} {value}"
        for low, high in zip(values, values[2:], strict=False):
            yield f"{name} BETWEEN {low} AND {high}"
            yield f"{name} NOT BETWEEN {low} AND {high}"
            yield f"{name} IN ({low}, {high})"
            yield f"{name} NOT IN ({high}, {low}, NULL)"
        if name in _TEXT_COLUMNS:
            yield from (f"{name} LIKE {pattern}" for pattern in _PATTERNS)
            yield from (f"{name} NOT LIKE {pattern}" for pattern in _PATTERNS[::3])
        yield from (f"{name} IS NULL", f"{name} IS NOT NULL", f"{name} <=> NULL", f"NOT ({name} = {name})")
        yield from (f"{values[1]} {operator} {name}" for operator in ("=", "<", ">=", "<=>"))
    yield from _OTHERS
    if kind == "mysql":
        yield from ("bits = X'05'", "bits >= X'0FFF'")
        for path in _PATHS:
            yield from (f"doc->>'{path}' {text}" for text in ("IS NULL", "IS NOT NULL", "LIKE 'v%'", "NOT LIKE '%1%'"))
            yield from (f"doc->>'{path}' {next(operators)} {value}" for value in ("'v1'", "'v1 '", "'x'", "'3'"))
        yield from (f"doc->>'{path}' {next(operators)} 3" for path in ("$.a.n", "$.list[0]", "$.none"))
    whole = "tiny", "utiny", "medium", "number", "unumber", "big", "ubig", "bits"
    yield from (f"{left} {next(operators)} {right}" for left in whole for right in whole if left != right)


@st.composite
def _simple(draw: st.DrawFn, kind: str) -> str:
    if kind == "mysql" and draw(st.integers(0, 12)) == 0:
        path = draw(st.sampled_from(_PATHS))
        value = draw(st.sampled_from(["3", "'3'", "'v1'", "'v1 '", "'x'", "'true'", "10.0"]))
        if path in ("$.a.s", "$.list[1]", "$.list[3]") and not value.startswith("'"):
            value = "'x'"
        form = draw(st.sampled_from(["{}->>'{}' {} {}", "{}->>'{}' IS NULL", "{}->>'{}' LIKE 'v%'"]))
        return form.format("doc", path, draw(st.sampled_from(["=", "<>", "<", ">=", "<=>"])), value)
    name = draw(st.sampled_from(list(_COLUMNS)))
    values_of = st.sampled_from(_values(name))
    forms = ["compare"] * 4 + ["null", "in", "between", "column"]
    if name in _TEXT_COLUMNS:
        forms += ["like", "like", "binary"]
    if name in ("state", "tags"):
        forms.append("number")
    form = draw(st.sampled_from(forms))
    operator = draw(st.sampled_from(["=", "<>", "<", "<=", ">", ">=", "<=>"]))
    if form == "null":
        return draw(st.sampled_from([f"{name} IS NULL", f"{name} IS NOT NULL", f"{name} <=> NULL", f"{name} = NULL"]))
    if form == "in":
        values = draw(st.lists(values_of, min_size=1, max_size=4))
        return f"{name} {draw(st.sampled_from(['', 'NOT ']))}IN ({', '.join(values)})"
    if form == "between":
        return f"{name} {draw(st.sampled_from(['', 'NOT ']))}BETWEEN {draw(values_of)} AND {draw(values_of)}"
    if form == "like":
        pattern = draw(st.sampled_from(_PATTERNS))
        return f"{name} {draw(st.sampled_from(['', 'NOT ']))}LIKE {pattern}"
    if form == "binary":
        return f"BINARY {name} {operator} {draw(values_of)}"
    if form == "number":
        return f"{name} {operator} {draw(st.integers(0, 6))}"
    if form == "column":
        if name in ("tiny", "utiny", "number", "ubig", "big", "bits", "medium", "unumber"):
            return f"{name} {operator} {draw(st.sampled_from(['tiny', 'utiny', 'number', 'ubig', 'big']))}"
        return f"{name} {operator} {name}"
    return f"{name} {operator} {draw(values_of)}"


def conditions(kind: str) -> st.SearchStrategy[str]:
    """Conditions that a server and `--where` both take."""
    return st.recursive(
        _simple(kind),
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(lambda parts: f"({' '.join(parts)})"),
            inner.map(lambda text: f"NOT ({text})"),
            inner.map(lambda text: f"(({text}) IS NOT TRUE)"),
        ),
        max_leaves=4,
    )
