"""privbayes: differentially private Bayesian inference, from Python.

Every function runs one command of the program `privbayes` and reads its JSON: nothing is computed here. Rows go through
a pipe and are never in a file. Releases and budgets are files that the program keeps, so that a cell that runs twice
draws once. The names of options are those of the program's flags, with _ for -.
"""
from __future__ import annotations

import contextlib
import html
import json
import math
import os
import tempfile
import typing

from . import _docs, _engine, _results, _rows
from ._engine import binary, on_progress, run, version
from ._errors import BadInput, Broken, EngineError, PrivacyWarning, Refused, Unverified, Usage
from ._results import Answer, Draws, Figure, Private

__all__ = ["Answer", "BadInput", "Broken", "Budget", "Draws", "EngineError", "Figure", "PrivacyWarning", "Private",
           "Publication", "Refused", "Release", "Schema", "Unverified", "Usage", "accept", "advise", "binary", "check",
           "combine", "discover", "learn", "load", "on_progress", "plan", "publish", "release", "run", "totals",
           "verify", "version"]

Path = typing.Union[str, "os.PathLike[str]"]

#: The longest schema that is an argument of the program; a longer one is a temporary file, as the schema is public.
_LONGEST = 100_000


class Schema:
    """What is public about a table: its columns, categories and bounds. It comes from a code book, never from the rows.

    source is the path of a schema file, or what stands in one, as a dictionary or as text.
    """

    text: str

    def __init__(self, source: Schema | Path | dict[str, typing.Any]):
        if isinstance(source, Schema):
            self.text = source.text
        elif isinstance(source, dict):
            self.text = _json(source)
        elif isinstance(source, str) and source.lstrip().startswith("{"):
            self.text = source.strip()
        elif not isinstance(source, (str, os.PathLike)):
            raise BadInput(f"a schema cannot be a {type(source).__name__}; want a dictionary, or the path of a file",
                           kind="input")
        else:
            self.text = ""
            with contextlib.suppress(OSError, UnicodeDecodeError), open(source, encoding="utf-8") as f:
                self.text = f.read()
            if not self.text:
                raise BadInput(f"{os.fspath(source)} cannot be read; want the path of a schema file", kind="input",
                               file=os.fspath(source))
        try:
            self.fields: dict[str, typing.Any] = json.loads(self.text)
            tables = self.fields.get("tables")
            self._listed = [c for t in tables for c in t["columns"]] if tables else self.fields["columns"]
            self._columns = [(c["name"], c["kind"]) for c in self._listed]
        except (ValueError, LookupError, TypeError, AttributeError):
            raise BadInput("this is no schema; want JSON with a list \"columns\", each with \"name\" and \"kind\"",
                           kind="input") from None

    @classmethod
    def skeleton(cls, columns: typing.Iterable[str], dataset: str = "table") -> dict[str, typing.Any]:
        """A schema to fill in, for columns of these names: kinds, categories and bounds are marked FILL IN."""
        with tempfile.TemporaryDirectory(prefix="privbayes-") as folder:
            path = os.path.join(folder, "header.csv")
            with open(path, "wb") as f:
                _rows.writer({name: [] for name in columns}, None, {})(f)
                f.truncate(f.tell() - 2)
            return dict(run("schema", path, dataset=dataset))

    @property
    def columns(self) -> list[str] | None:
        """The columns that a table must have, with the key of units; None where the schema does not list them all."""
        if self.fields.get("tables") or any(kind == "sequence" for _, kind in self._columns):
            return None
        names = [name for name, _ in self._columns]
        key = self.fields.get("unit_key")
        return [*names, key] if key and key not in names else names

    @property
    def _written(self) -> dict[str, _rows.Written]:
        return {c["name"]: ((c.get("missing") or [""])[0], c.get("date")) for c in self._listed}

    @contextlib.contextmanager
    def _option(self) -> typing.Iterator[str]:
        """The value of --schema."""
        if len(self.text) <= _LONGEST and self.text.startswith("{"):
            yield self.text
            return
        with tempfile.TemporaryDirectory(prefix="privbayes-") as folder:
            path = os.path.join(folder, "schema.json")
            with open(path, "w", encoding="utf-8") as f:
                f.write(self.text)
            yield path

    def __repr__(self) -> str:
        return f"<privbayes.Schema of {', '.join(name for name, _ in self._columns)}>"

    def _repr_html_(self) -> str:
        def row(c: dict[str, typing.Any]) -> str:
            domain = next((c[f] for f in ("categories", "edges", "date_edges") if c.get(f)),
                          [c.get("min", ""), c.get("max", "")])
            cells = (c["name"], c["kind"], ", ".join(map(str, domain)))
            return "".join(f"<td>{html.escape(str(x))}</td>" for x in cells)

        rows = "".join(f"<tr>{row(c)}</tr>" for c in self._listed)
        return f"<table><tr><th>column</th><th>kind</th><th>public domain</th></tr>{rows}</table>"


class Budget:
    """A budget file: all that may ever be spent on one unit of a data set, and what each release used of it."""

    def __init__(self, path: Path):
        self.path = os.fspath(path)

    @classmethod
    @_docs.of("budget", "schema")
    def open(cls, path: Path, schema: Schema | Path | dict[str, typing.Any] | None = None,
             **options: typing.Any) -> Budget:
        """Opens the budget of the data set that a schema names, with its limit. Opening it again changes nothing;
        another limit is refused."""
        with _schema(schema) as text:
            run("budget", path, schema=text, **options)
        return cls(path)

    @_docs.of("budget", "charge", "schema", "data")
    def charge(self, name: str, **options: typing.Any) -> Answer:
        """Enters a release of another tool under a name, which is charged once. Nobody here checks what is stated."""
        return Answer(run("budget", self.path, charge=name, **options))

    @property
    def state(self) -> Answer:
        """What is spent and left, with every charge."""
        return Answer(run("budget", self.path))

    @property
    def left(self) -> str:
        """What may still be spent."""
        return str(self.state["left"])

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"<privbayes.Budget {self.path}>"

    def _repr_html_(self) -> str:
        s = self.state
        rows = "".join(f"<tr><td>{html.escape(json.dumps(c, ensure_ascii=False))}</td></tr>"
                       for c in s["charges"])
        return f"<p>Budget of {html.escape(s['dataset'])}: left {html.escape(s['left'])}</p><table>{rows}</table>"


class Release:
    """A release that is kept in a file. It and all that is computed from it may be published."""

    def __init__(self, path: Path, made: dict[str, typing.Any] | None = None):
        self.path = os.fspath(path)
        #: What the command that made or loaded the release said.
        self.made = Answer(made or {"loaded": True})
        self._shown: Answer | None = None

    @property
    def shown(self) -> Answer:
        """What the release shows: guarantee, columns, tables with intervals, graph, warnings."""
        if self._shown is None:
            self._shown = Answer(run("show", self.path))
        return self._shown

    @property
    def schema(self) -> Schema:
        """The public schema that the release was made under."""
        return self._schema_in(lambda file: file.get("release", file))  # that a selection accepted

    def _schema_in(self, release: typing.Callable[[typing.Any], typing.Any]) -> Schema:
        """The schema of a release in the file."""
        try:
            with open(self.path, encoding="utf-8") as f:
                return Schema(release(json.load(f))["plan"]["shape"]["schema"])
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            pass  # of a file that is no release, the error may quote rows
        raise BadInput(f"{self.path} is no release that can be read", kind="input", file=self.path)

    @property
    def loaded(self) -> bool:
        """Whether the file was there already, so that nothing was drawn or charged."""
        return bool(self.made["loaded"])

    @property
    def id(self) -> str:
        return str(self.shown["id"])

    @property
    def guarantee(self) -> dict[str, typing.Any]:
        return dict(self.shown["guarantee"])

    @property
    def warnings(self) -> list[dict[str, typing.Any]]:
        return list(self.shown.get("warnings", []))

    def tables(self) -> dict[str, typing.Any]:
        """The tables that the release shows, by title: frames of pandas, if pandas is there, else lists."""
        out = {}
        for t in self.shown["tables"]:
            names = [name or "of" for name in t["columns"]]
            out[t["title"]] = _results.frame([dict(zip(names, row)) for row in t["rows"]], names)
        return out

    def figure(self, path: Path | None = None) -> Figure:
        """A dot plot of the estimates with their intervals, in SVG with a description, for light and dark pages. It
        shows itself in a notebook. path names a new file for it."""
        with tempfile.TemporaryDirectory(prefix="privbayes-") as temporary:
            drawn = os.path.join(temporary, "figure.svg") if path is None else os.fspath(path)
            run("show", self.path, figure=drawn)
            with open(drawn, encoding="utf-8") as f:
                return Figure(f.read())

    @_docs.of("intervals")
    def intervals(self, **options: typing.Any) -> Answer:
        """Intervals that account for the noise, and answers to questions such as ask=["P(answer=yes | age=old)"]."""
        return Answer(run("intervals", self.path, **options))

    def draws(self) -> Draws:
        """Posterior draws of a regression, or those of a posterior sample: frame() and, for ArviZ, datatree()."""
        return Draws(run("draws", self.path))

    @_docs.of("sets", "out")
    def sets(self, folder: Path, **options: typing.Any) -> list[str]:
        """Writes synthetic sets that can be analysed, as public as the release. Returns their files, in the order in
        which combine takes an estimate of each."""
        made = run("sets", self.path, out=folder, **options)
        return [os.path.join(folder, name) for name in made["files"] if name.endswith(".csv")]

    @_docs.of("export", "to", "out")
    def export(self, to: str, out: Path, **options: typing.Any) -> str:
        """Writes the release for another program into out, a new file or folder, and returns its path: a network as
        bif, a program with its data as stan or numpyro, the estimates as csv, records or arrow."""
        return str(run("export", self.path, to=to, out=out, **options)["out"])

    @_docs.of("verify")
    def verify(self, **options: typing.Any) -> Answer:
        """Derives every check of the release again. Raises Unverified if one fails."""
        return Answer(run("verify", self.path, **options))

    @_docs.of("predict", "data", "out")
    def predict(self, data: typing.Any, **options: typing.Any) -> typing.Any:
        """A prediction for every row of a table, in its order and with the index of a frame of pandas: they are as
        private as the rows. Of the paths of two linked tables, one for every unit, behind its key, in the order of the
        parents."""
        if "columns" not in self.shown:
            raise Usage(f"{self.path} has no one model that predicts; want a release of one, such as an item",
                        kind="usage")
        target, *features = [c["name"] for c in self.shown["columns"]]
        have = _columns_of(data)
        columns = [*([target] if have is None or target in have else []), *features]
        schema = self.schema
        key = schema.fields.get("unit_key")
        columns += [key] if key and key not in columns else []
        with _data(data, columns, schema._written) as (text, rows):
            made = run("predict", self.path, data=text, stdin=rows, **options)
        names = [made["target"], *(f"P({level})" for level in made["levels"])] if "levels" in made else [
            made["target"], "standard deviation"]
        found = [[c, *p] for c, p in zip(made.get("class", []), made.get("p", []))] if "levels" in made else [
            list(pair) for pair in zip(made.get("mean", []), made.get("sd", []))]
        if "key" in made:
            names = [made["key"], *names]
            found = [[unit, *row] for unit, row in zip(made.get("units", []), found)]
        answer = _results.frame([dict(zip(names, row)) for row in found], names)
        return answer.set_axis(data.index) if type(data).__module__.partition(".")[0] == "pandas" else answer

    @_docs.of("synthesize", "rows", "out")
    def synthesize(self, rows: int | None = None, **options: typing.Any) -> typing.Any:
        """Synthetic records, as public as the release: so many, or of accept those that were accepted. With tables, a
        folder, the files of two linked tables, by their names. In a frame of pandas categories and dates are such."""
        made = run("synthesize", self.path, rows=rows, **options)
        if "tables" in made:
            return made["tables"]
        rows = _results.frame([dict(zip(made["columns"], row)) for row in made["rows"]], made["columns"])
        return _results.typed(rows, self.schema._listed)

    @_docs.of("report", "data", "out", "public")
    def report(self, data: typing.Any = None, **options: typing.Any) -> Answer:
        """Scores of the release on the rows of a table that it was not made from: private. Without a table, the page
        for a data-protection officer, which may be published."""
        if data is None:
            return Answer(run("report", self.path, public=True, **options))
        schema = self.schema
        with _data(data, schema.columns, schema._written) as (text, rows):
            return Private(run("report", self.path, data=text, stdin=rows, **options))

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"<privbayes.{type(self).__name__} {self.path}>"

    def _repr_html_(self) -> str:
        return str(self.shown["html"])


class Publication(Release):
    """Several releases under one guarantee, kept in a file: shown, tables(), verify() and the page of report() are of all
    items together."""

    @property
    def schema(self) -> Schema:
        """The public schema that all items were made under."""
        return self._schema_in(lambda file: file["items"][0]["release"])

    def estimates(self) -> dict[str, typing.Any]:
        """Every number with its intervals, by the name of the item: frames of pandas, if pandas is there, else lists."""
        out = {}
        for item in run("export", self.path, to="csv")["items"]:
            names = item["estimates"]["columns"]
            out[item["name"]] = _results.frame([dict(zip(names, row)) for row in item["estimates"]["rows"]], names)
        return out

    def item(self, name: str, keep: Path) -> Release:
        """One item, as a release in a file of its own: its numbers are from its own counts alone, those of estimates()
        from all items."""
        _kept(keep)
        run("show", self.path, item=name, out=keep)
        return Release(keep)


@_docs.of("plan", "schema")
def plan(schema: Schema | Path | dict[str, typing.Any] | None = None, **options: typing.Any) -> Answer:
    """Calibrates a mechanism, proves its guarantee and states its error. No row is read."""
    with _schema(schema) as text:
        return Answer(run("plan", schema=text, **options))


@_docs.of("advise", "schema")
def advise(schema: Schema | Path | dict[str, typing.Any] | None = None, **options: typing.Any) -> Answer:
    """Compares the mechanisms, over ε or over n. No row is read. frame() has the rows."""
    with _schema(schema) as text:
        return Answer(run("advise", schema=text, **options))


@_docs.of("release", "data", "schema", "out")
def release(data: typing.Any, schema: Schema | Path | dict[str, typing.Any] | None = None, *, keep: Path,
            **options: typing.Any) -> Release:
    """Adds the noise once, and keeps the release in the file keep. Run again, it loads that file, draws nothing and
    charges nothing; with another plan it refuses.

    data: a frame of pandas or polars, an Arrow table, a dictionary of lists, the path of a file, or the name of an
    embedded data set, which needs no schema.
    """
    return _made("release", data, schema, keep, options)


@_docs.of("learn", "data", "schema", "out", "plan")
def learn(data: typing.Any, schema: Schema | Path | dict[str, typing.Any] | None = None, *, keep: Path,
          **options: typing.Any) -> Release:
    """Learns which columns depend on one another, and releases a network of them, as release does for a structure that
    is given."""
    return _made("learn", data, schema, keep, options)


@_docs.of("publish", "data", "schema", "out", "plan")
def publish(wishes: Path | dict[str, typing.Any], data: typing.Any,
            schema: Schema | Path | dict[str, typing.Any] | None = None, *, keep: Path,
            **options: typing.Any) -> Publication:
    """Releases a list of models as one: under one guarantee, one charge, and in the file keep.

    wishes: the path of a file, or what stands in one: {"publication": name, "items": [{"model": …, "within": …}, …]}.
    """
    _kept(keep)
    with _file(wishes, "items") as path:
        return Publication(keep, _made("publish", data, schema, keep, options, path).made)


@_docs.of("accept", "data", "schema", "out", "plan", "rules")
def accept(rules: Path | dict[str, typing.Any], data: typing.Any,
           schema: Schema | Path | dict[str, typing.Any] | None = None, *, keep: Path,
           **options: typing.Any) -> Release:
    """Releases the first of several candidates whose synthetic rows meet criteria, or none, and keeps it in the file
    keep. shown["selection"]["accepted"] says whether there is one; synthesize() without rows has its synthetic rows.

    rules: the path of a file, or what stands in one: {"criteria": …, "test": …, "stop": …, "report": …}.
    """
    _kept(keep)
    with _file(rules, "criteria") as path:
        return _made("accept", data, schema, keep, {**options, "rules": path})


@_docs.of("discover", "data", "schema", "out", "plan")
def discover(data: typing.Any, schema: Schema | Path | dict[str, typing.Any], *, keep: Path,
             **options: typing.Any) -> Release:
    """Releases the categories of a column that the schema says is "open", or the range of one whose "bounds" are
    "unknown", and keeps them in the file keep; shown has them. into names the new file of a schema with them."""
    return _made("discover", data, schema, keep, options)


@_docs.of("totals", "data", "schema", "out", "plan", "n")
def totals(data: typing.Any, schema: Schema | Path | dict[str, typing.Any], *, keep: Path,
           **options: typing.Any) -> Release:
    """Releases the number of rows so far, in every cell of a table, after each period, and keeps it in the file keep.
    after names the file of the period before."""
    return _made("totals", data, schema, keep, options)


@_docs.of("check", "data", "schema")
def check(data: typing.Any, schema: Schema | Path | dict[str, typing.Any], **options: typing.Any) -> Private:
    """Lists every value that does not fit the schema. It quotes rows: for the owner of the table."""
    s = Schema(schema)
    with s._option() as text, _data(data, s.columns, s._written) as (path, rows):
        return Private(run("check", schema=text, data=path, stdin=rows, accept=(3,), **options))


@_docs.of("verify")
def verify(release: Path, **options: typing.Any) -> Answer:
    """Derives every check of a release file again. Raises Unverified if one fails."""
    return Answer(run("verify", release, **options))


@_docs.of("combine", "estimates")
def combine(folder: Path, estimates: typing.Iterable[tuple[float, float]], **options: typing.Any) -> Answer:
    """One estimate, with its interval, from those of synthetic sets: for each set a value and its variance, the square
    of its standard error."""
    listed = []
    for k, pair in enumerate(estimates):
        numbers: list[float] = []
        with contextlib.suppress(TypeError, ValueError):
            numbers = [float(x) for x in pair if math.isfinite(x)]
        if len(numbers) != 2:
            raise BadInput(f"estimate {k + 1} is no pair of finite numbers; want a value and its variance for each set",
                           kind="input")
        listed.append(dict(zip(("value", "variance"), numbers)))
    with _file(listed) as path:  # the sets are public, and so are these
        return Answer(run("combine", folder, estimates=path, **options))


def load(path: Path) -> Release:
    """The release or the publication that is kept in a file: BadInput if there is none."""
    r = Release(path)
    return Publication(path) if "items" in r.shown else r


def _made(command: str, data: typing.Any, schema: typing.Any, keep: Path, options: dict[str, typing.Any],
          *words: Path) -> Release:
    _kept(keep)
    s = None if schema is None else Schema(schema)
    if s is None and not isinstance(data, (str, os.PathLike)):
        raise Usage("a table needs a schema: what is public about its columns", kind="usage", flag="--schema")
    with _schema(s) as text, _data(data, s.columns if s else None, s._written if s else {}) as (path, rows):
        return Release(keep, run(command, *words, schema=text, data=path, stdin=rows, out=keep, **options))


def _kept(keep: typing.Any) -> None:
    """Refuses what is no path before anything is drawn."""
    if not isinstance(keep, (str, os.PathLike)) or not os.fspath(keep):
        said = "empty" if isinstance(keep, str) else f"a {type(keep).__name__}"
        raise Usage(f"keep is {said}; want the path of the file that keeps the release, so that it is drawn once",
                    kind="usage", flag="--out")


def _json(content: typing.Any) -> str:
    """What stands in a public file, as JSON. Values of numpy and pandas are those of Python."""
    with contextlib.suppress(TypeError, ValueError, AttributeError):
        return json.dumps(content, allow_nan=False, default=lambda value: value.tolist())
    raise BadInput("it cannot be written as JSON; want dictionaries with names of text, lists, text, truth values and "
                   "finite numbers", kind="input")


@contextlib.contextmanager
def _file(content: Path | dict[str, typing.Any], needs: str = "") -> typing.Iterator[Path]:
    """The path of a file, or a temporary file of what stands in it: it is public. A table in its place lacks the field
    that is needed, and is in no file."""
    if isinstance(content, (str, os.PathLike)):
        yield content
        return
    if needs and not (isinstance(content, dict) and needs in content):
        raise BadInput(f"a {type(content).__name__} without {needs!r} is in place of {needs}; want a dictionary that "
                       "has them, or the path of a file", kind="input")
    text = _json(content)
    with tempfile.TemporaryDirectory(prefix="privbayes-") as temporary:
        path = os.path.join(temporary, "content.json")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        try:
            yield path
        except EngineError as e:
            e.args, e.file = (str(e).replace(path, "what was given"),), None
            raise


@contextlib.contextmanager
def _schema(schema: Schema | Path | dict[str, typing.Any] | None) -> typing.Iterator[str | None]:
    if schema is None:
        yield None
        return
    with Schema(schema)._option() as text:
        yield text


def _columns_of(data: typing.Any) -> list[str] | None:
    """The columns of a table in memory; None of files."""
    if _paths(data) is not None:
        return None
    if isinstance(data, (list, tuple)):
        return list(data[0]) if data else []
    names = getattr(data, "column_names", None) or getattr(data, "columns", None)
    return list(data) if names is None else list(names)


def _paths(data: typing.Any) -> str | list[str] | None:
    """The path of a file, or those of the files of one table, or of two that are linked; None of a table in memory."""
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    if isinstance(data, (list, tuple)) and data and all(isinstance(f, (str, os.PathLike)) for f in data):
        return [os.fspath(f) for f in data]
    return None


@contextlib.contextmanager
def _data(data: typing.Any, columns: list[str] | None,
          written: dict[str, _rows.Written]) -> typing.Iterator[tuple[str | list[str], _rows.Writer | None]]:
    """The value of --data, and what writes the rows where it is standard input."""
    files = _paths(data)
    if isinstance(files, list) and len(files) > 1 and not all(map(os.path.exists, files)):
        raise BadInput("a table cannot be a list of text; want a frame, a dictionary of lists, or the paths of files "
                       "that are there", kind="input")  # a column, whose values would be on a command line
    if files is not None:
        yield files, None
    else:
        yield "-", _rows.writer(data, columns, written)


def __getattr__(name: str) -> typing.Any:
    if name == "__version__":
        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
