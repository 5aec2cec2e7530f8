"""What the tests share: a table of a survey, its schema, and a look at everything that an exception leads to."""
import contextlib
import copy
import os
import random
import tempfile
import traceback

import privbayes as pb

SECRET = "SECRET-4711"

SCHEMA = {
    "dataset": "survey",
    "columns": [
        {"name": "answer", "kind": "categorical", "categories": ["yes", "no"], "missing": ["NA"],
         "on_missing": "category"},
        {"name": "smokes", "kind": "categorical", "categories": ["true", "false"]},
        {"name": "age", "kind": "integer", "edges": [0, 30, 60, 100]},
        {"name": "wage", "kind": "real", "min": 0, "max": 100, "edges": [0, 10.5, 50, 100]},
    ],
}


def columns(rows: int = 400, seed: int = 7) -> dict:
    """A table as lists, in another order than the schema's."""
    dice = random.Random(seed)
    return {
        "wage": [round(dice.uniform(0, 100), 2) for _ in range(rows)],
        "age": [dice.randrange(100) for _ in range(rows)],
        "answer": [dice.choice(["yes", "yes", "no", None]) for _ in range(rows)],
        "smokes": [dice.random() < 0.3 for _ in range(rows)],
    }


def schema(**fields) -> dict:
    return {**copy.deepcopy(SCHEMA), **fields}


@contextlib.contextmanager
def folder():
    """An empty current folder."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as path:
        os.chdir(path)
        try:
            yield path
        finally:
            os.chdir(before)


def fixed(data, *, under=None, **options) -> bytes:
    """The file of a release of a table with a fixed seed."""
    with folder():
        pb.release(data, under or schema(), keep="r.json", **{"target": "answer", "epsilon": 1, "seed": 1, **options})
        with open("r.json", "rb") as f:
            return f.read()


def everything(error: BaseException) -> str:
    """All that an exception and what led to it say."""
    said, queue, seen = [], [error], set()
    while queue:
        e = queue.pop()
        if e is None or id(e) in seen:
            continue
        seen.add(id(e))
        said += [str(e), repr(e), repr(e.args), repr(vars(e)), *traceback.format_exception(type(e), e, e.__traceback__)]
        queue += [e.__cause__, e.__context__]
    return "\n".join(said)
