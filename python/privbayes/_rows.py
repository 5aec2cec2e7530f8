"""Tables of Python, written to the program's standard input. No row is ever in a file.

pandas with pyarrow, polars, Arrow tables and whatever has `__arrow_c_stream__` go as an Arrow stream, which ends with a
mark. Everything else, such as pandas alone or a dictionary of lists, goes as CSV, which ends with a line of EOT.
"""
from __future__ import annotations

import collections.abc
import contextlib
import csv
import datetime
import importlib.util
import io
import math
import re
import typing

from ._errors import BadInput

Writer = typing.Callable[[typing.BinaryIO], None]

#: How a column stands in CSV: the mark of a missing value, and the layout of dates, None if they are as 2006-01-02.
Written = typing.Tuple[typing.Optional[str], typing.Optional[str]]

_MARK = "\x04\n"


_WANT = ("want a frame of pandas or polars, an Arrow table, a dictionary of lists, a list of dictionaries, or the path "
         "of a file")


def writer(data: typing.Any, columns: list[str] | None, written: dict[str, Written]) -> Writer:
    """What writes some columns of a table, all of them if columns is None. written is how the schema's columns stand in
    CSV."""
    try:
        return _writer(data, columns, written)
    except BadInput:
        raise
    except Exception as e:
        failed = type(e).__name__
    raise BadInput(f"reading the table, a {type(data).__name__}, failed with {failed}; {_WANT}; nothing was drawn or "
                   "charged", kind="input")  # no value


def _writer(data: typing.Any, columns: list[str] | None, written: dict[str, Written]) -> Writer:
    module = type(data).__module__.partition(".")[0]
    if module == "polars":
        return _polars(data.collect() if hasattr(data, "collect") else data, columns)
    if module == "pandas":
        return _pandas(data, columns, written)
    if hasattr(data, "__arrow_c_stream__") or module == "pyarrow":
        return _arrow(data, columns)
    if isinstance(data, collections.abc.Mapping):
        names = _names(list(data), columns)
        return _csv(names, [list(data[n]) for n in names], written)
    if isinstance(data, (list, tuple)) and all(isinstance(row, collections.abc.Mapping) for row in data):
        names = _names(list(data[0]) if data else columns or [], columns)
        return _csv(names, [[row.get(n) for row in data] for n in names], written)
    raise BadInput(f"a table cannot be a {type(data).__name__}; {_WANT}", kind="input")


def _names(have: list[typing.Any], columns: list[str] | None) -> list[str]:
    """The columns to write, each of which the table has once. Other columns may have names that are no text."""
    names = have if columns is None else columns
    if not set(names) <= {name for name in have if isinstance(name, str)}:
        for at, name in enumerate(have):
            if not isinstance(name, str):
                raise BadInput(f"the name of column {at + 1} is a {type(name).__name__}; want text", kind="input")
    for name in names:
        if have.count(name) != 1:
            said = "is not in the table" if name not in have else "is in the table more than once"
            raise BadInput(f"column {name!r} {said}", kind="input", column=name)
    return names


def _mixed(name: str) -> BadInput:
    return BadInput(f"column {name!r} has values of several kinds, or of a kind that is no text, number, truth value "
                    "or date; want one of these kinds", kind="input", column=name)


def _polars(frame: typing.Any, columns: list[str] | None) -> Writer:
    import polars

    names = _names(frame.columns, columns)
    for name in names:
        if frame.schema[name] == polars.Object:
            raise _mixed(name)
    return lambda pipe: frame.select(names).write_ipc_stream(pipe, compat_level=polars.CompatLevel.oldest())


def _pandas(frame: typing.Any, columns: list[str] | None, written: dict[str, Written]) -> Writer:
    names = _names(list(frame.columns), columns)
    if importlib.util.find_spec("pyarrow") is None:
        return _csv(names, [frame[n].tolist() for n in names], written)
    import pyarrow

    arrays = []
    for name in names:  # one by one: the errors of pyarrow quote values and do not name the column
        array = None
        with contextlib.suppress(Exception):
            array = pyarrow.array(frame[name], from_pandas=True)
        kind = getattr(array, "type", None)
        if array is None or isinstance(getattr(kind, "value_type", kind), pyarrow.BaseExtensionType):
            array = _arrow_texts(name, _texts(name, frame[name].tolist(), (None, None)))
        arrays.append(array)
    return _arrow(pyarrow.table(arrays, names=names), names)


def _arrow_texts(name: str, texts: list[str | None]) -> typing.Any:
    import pyarrow

    with contextlib.suppress(UnicodeError):
        return pyarrow.array(texts, pyarrow.string())
    raise BadInput(f"column {name!r} is not in UTF-8", kind="input", column=name)


def _arrow(data: typing.Any, columns: list[str] | None) -> Writer:
    import pyarrow

    table = data.read_all() if isinstance(data, pyarrow.RecordBatchReader) else pyarrow.table(data)
    table = table.select(_names(table.column_names, columns))

    def write(pipe: typing.BinaryIO) -> None:
        with pyarrow.ipc.new_stream(pipe, table.schema) as out:
            out.write_table(table, max_chunksize=1 << 16)

    return write


def _csv(names: list[str], columns: list[list[typing.Any]], written: dict[str, Written]) -> Writer:
    if len({len(c) for c in columns}) > 1:
        raise BadInput("the columns of the table have different lengths", kind="input")
    texts = [_texts(name, values, written.get(name, ("", None))) for name, values in zip(names, columns)]

    def write(pipe: typing.BinaryIO) -> None:
        text = io.TextIOWrapper(pipe, "utf-8", newline="", write_through=False)
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(names)
        rows.writerows(zip(*texts))
        text.write(_MARK)
        text.flush()
        text.detach()

    return write


def _texts(name: str, values: list[typing.Any], written: Written) -> list[str | None]:
    """A column as CSV has it. All values are of one kind."""
    kinds: set[str] = set()
    out: list[str | None] = []
    missing, layout = written
    for value in values:
        kind, text = _text(value, layout)
        if kind:
            kinds.add(kind)
        out.append(text if kind else missing)
    if len(kinds) > 1 or "other" in kinds:
        raise _mixed(name)
    return out


def _text(value: typing.Any, layout: str | None) -> tuple[str, str]:
    """The kind of a value, "" if it is missing, and its text."""
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):  # a scalar of numpy
        value = value.item()
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return "", ""
    if isinstance(value, bool):
        return "truth", str(value).lower()
    if isinstance(value, int):
        return "number", str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return "", ""
        return "number", str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if layout and isinstance(value, datetime.date) and getattr(value, "tzinfo", None) is None:
        return "date", _day(value, layout)
    if isinstance(value, datetime.datetime):
        day = value.time() == datetime.time() and value.tzinfo is None
        return "date", value.date().isoformat() if day else value.isoformat(" ")
    if isinstance(value, datetime.date):
        return "date", value.isoformat()
    return ("text", value) if isinstance(value, str) else ("other", "")


def _day(value: datetime.date, layout: str) -> str:
    """A date in a schema's layout, which writes 2 January 2006. A time of day that it has no place for follows."""
    t = value if isinstance(value, datetime.datetime) else datetime.datetime.combine(value, datetime.time())
    of_year = t.timetuple().tm_yday
    parts = {"2006": f"{t.year:04}", "06": f"{t.year % 100:02}", "January": _MONTHS[t.month - 1],
             "Jan": _MONTHS[t.month - 1][:3], "01": f"{t.month:02}", "1": str(t.month), "02": f"{t.day:02}",
             "_2": f"{t.day:2}", "2": str(t.day), "15": f"{t.hour:02}", "04": f"{t.minute:02}", "05": f"{t.second:02}",
             "002": f"{of_year:03}", "__2": f"{of_year:3}", "_2006": f"_{t.year:04}"}
    text = _PARTS.sub(lambda m: parts.get(m[0], "Z"), layout)
    return text if "15" in layout or t.time() == datetime.time() else f"{text} {t.time().isoformat()}"


_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")

#: The parts of a layout, as package time of Go takes them apart. Others, such as weekdays, are no part of the day, and
#: are read as they stand there; a zone is that of UTC.
_PARTS = re.compile("2006|_2006|January|Jan|__2|_2|002|0[12456]|15|1|2|Z07(?::?00){0,2}")


def strptime(layout: str) -> str:
    """A schema's layout as pandas takes it."""
    parts = {"2006": "%Y", "06": "%y", "January": "%B", "Jan": "%b", "01": "%m", "1": "%m", "15": "%H", "04": "%M",
             "05": "%S", "02": "%d", "_2": "%d", "2": "%d", "002": "%j", "__2": "%j", "_2006": "_%Y"}
    return _PARTS.sub(lambda m: parts.get(m[0], "Z"), layout.replace("%", "%%"))
