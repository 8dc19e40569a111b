"""Mutants are changes that compile, of everything but docstrings, messages and annotations."""

from tests.mutants.changes import find_mutants
from tests.mutants.lines import Tracer

SOURCE = '''"""A module, 1 line."""

TABLE = {"one": "a", "two": 2.5}


def choose(values: "list[1]", limit: int = 7) -> int:
    """Return 1."""
    if not values or limit < 3:
        msg = f"{1 + 1} values"
        raise ValueError(msg)
    values.append(pow(limit, max(4, 1)) - 1)
    zip(values, values, strict=True)
    return values[0]
'''
EXPECTED = {
    "row deleted": ['TABLE = {**{}, "two": 2.5}', 'TABLE = {"one": "a", **{}}'],
    "word changed": ['TABLE = {"one": \'ax\', "two": 2.5}'],
    "and/or": ["if (not values and limit < 3):"],
    "condition negated": ["if (not (not values or limit < 3)):"],
    "comparison inverted": ["if not values or (limit >= 3):"],
    "comparison shifted": ["if not values or (limit <= 3):"],
    "negation left out": ["if (values) or limit < 3:"],
    "statement deleted": ["pass", "pass", "pass"],
    "arguments swapped": ["values.append((pow(max(4, 1), limit)) - 1)"],
    "arithmetic": ["values.append((pow(limit, max(4, 1)) + 1))"],
    "return None": ["return None"],
}


def test_every_kind_of_mutant_is_found_and_compiles():
    content = SOURCE.encode()
    mutants = find_mutants("m.py", content)
    changed = {}
    for mutant in mutants:
        compile(mutant.apply(content), "m.py", "exec")
        before, after, line = mutant.describe(content)
        assert before == SOURCE.split("\n")[line - 1].strip()
        changed.setdefault(mutant.kind, []).append(after)
    constants = changed.pop("constant")
    assert changed == EXPECTED
    # 2.5, 7, 3, 4, 1, 1 and the index 0, one more and one less.
    assert len(constants) == 14
    assert 'def choose(values: "list[1]", limit: int = 8) -> int:' in constants
    names = [mutant.name for mutant in mutants if mutant.name]
    assert names == ["TABLE"] * 5 + ["choose"] * 2
    (inner, _) = find_mutants("m.py", b"class Limits:\n    most: int = 3\n")
    assert inner.name == "Limits|most"


def test_lines_that_are_executed_are_recorded(tmp_path):
    path = tmp_path / "src/metra/m.py"
    names: dict = {}
    exec(compile(SOURCE, str(path), "exec"), names)
    tracer = Tracer(f"{tmp_path}/src/metra")
    tracer.start()
    try:
        names["choose"]([1])
    finally:
        tracer.stop()
    mask = tracer.take()["src/metra/m.py"]
    assert [line for line in range(15) if mask >> line & 1] == [6, 8, 11, 12, 13]
    assert tracer.take() == {}
