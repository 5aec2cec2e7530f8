"""What the program answers, as values that show themselves."""
from __future__ import annotations

import contextlib
import html
import importlib.util
import json
import typing

from . import _rows


def frame(rows: list[dict[str, typing.Any]], columns: list[str] | None = None) -> typing.Any:
    """Rows as a frame of pandas, if pandas is there; else the list itself."""
    if importlib.util.find_spec("pandas") is None:
        return rows
    import pandas

    return pandas.DataFrame(rows, columns=columns)


def typed(rows: typing.Any, columns: list[dict[str, typing.Any]]) -> typing.Any:
    """A frame of pandas whose columns of categories and of dates are such, as a schema has them; a list as it is."""
    if isinstance(rows, list):
        return rows
    import pandas

    for c in columns:
        if c["name"] in rows and c.get("categories"):
            rows[c["name"]] = rows[c["name"]].astype(pandas.CategoricalDtype(c["categories"]))
        elif c["name"] in rows and c.get("date"):
            with contextlib.suppress(ValueError):  # of another layout, such as names of months in another language
                rows[c["name"]] = pandas.to_datetime(rows[c["name"]], format=_rows.strptime(c["date"]))
    return rows


class Answer(dict[str, typing.Any]):
    """The JSON that a command answers, with its fields as attributes, too."""

    def __getattr__(self, name: str) -> typing.Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def frame(self, field: str = "rows") -> typing.Any:
        """A list of the answer as a frame of pandas, if pandas is there; else the list itself."""
        return frame(self[field])

    def _repr_html_(self) -> str:
        rows = self.frame() if isinstance(self.get("rows"), list) else None
        shown = self.get("html") or (rows is not None and hasattr(rows, "_repr_html_") and rows._repr_html_())
        return shown or f"<pre>{html.escape(json.dumps(self, indent=1, ensure_ascii=False))}</pre>"


class Draws(Answer):
    """Posterior draws: names, values (draws by parameters, chain after chain) and the number of chains."""

    @property
    def _each(self) -> int:
        return len(self["values"]) // int(self["chains"])

    @property
    def _apart(self) -> list[str]:
        """The names of parameters beside those of chains and draws: one that is such a name ends with _."""
        return [f"{name}_" if name in ("chain", "draw") else name for name in self["names"]]

    def frame(self, field: str = "values") -> typing.Any:
        """A row for every draw, with its chain and its place in it, as a frame of pandas or a list."""
        names = ["chain", "draw", *self._apart]
        return frame([dict(zip(names, [*divmod(k, self._each), *v])) for k, v in enumerate(self[field])], names)

    def datatree(self) -> typing.Any:
        """The draws as ArviZ takes them: a tree of xarray whose group posterior has the dimensions chain and draw.
        A name with /, which a tree cannot have, has | there."""
        if importlib.util.find_spec("xarray") is None:
            raise ImportError("datatree() needs the package xarray: python3 -m pip install xarray")
        import xarray

        draws, each = self["values"], self._each
        chains = [draws[first:first + each] for first in range(0, each * int(self["chains"]), each)]
        values = {name.replace("/", "|"): (("chain", "draw"), [[draw[k] for draw in chain] for chain in chains])
                  for k, name in enumerate(self._apart)}
        attributes = {"inference_library": "privbayes", "release": self["release"], "kind": self["kind"]}
        return xarray.DataTree.from_dict({"posterior": xarray.Dataset(
            values, coords={"chain": list(range(len(chains))), "draw": list(range(each))}, attrs=attributes)})


class Figure(str):
    """A picture as the text of an SVG file."""

    def _repr_html_(self) -> str:  # in the page, not as an image of it: its title and description are read aloud
        return str(self)


class Private(Answer):
    """An answer that was computed from rows: for their owner only. It says so where it is shown, and is not pickled."""

    def __repr__(self) -> str:
        return f"<computed from private rows: do not publish> {super().__repr__()}"

    def __reduce_ex__(self, protocol: typing.Any) -> typing.Any:
        raise TypeError("it was computed from private rows, and is not written to a file or sent to another process")

    def _repr_html_(self) -> str:
        return f"<p><strong>Computed from private rows: do not publish.</strong></p>{super()._repr_html_()}"
