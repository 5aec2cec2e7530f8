"""What the program refuses, as exceptions. No text of one, nor what led to it, has a value of a table."""
from __future__ import annotations

import re
import typing


class EngineError(Exception):
    """What the program says when it does not do what was asked. The fields are those of its JSON error, or None."""

    kind: str | None
    step: str | None
    flag: str | None
    file: str | None
    line: int | None
    column: str | None
    want: str | None
    left: str | None
    limit: dict[str, typing.Any] | None

    def __init__(self, text: str, **fields: typing.Any):
        super().__init__(text)
        for name in ("kind", "step", "flag", "file", "line", "column", "want", "left", "limit"):
            setattr(self, name, fields.get(name))

    def __reduce__(self) -> tuple[typing.Any, ...]:
        return type(self), self.args, self.__dict__


class Refused(EngineError):
    """Exit code 1: a target cannot be met, a budget has too little left, the file keeps a release of another plan."""


class Usage(EngineError, TypeError):
    """Exit code 2: an option, a column or a mechanism that there is not, or options that do not go together."""


class BadInput(EngineError, ValueError):
    """Exit code 3: a file, a schema or a table that cannot be read or does not fit."""


class Unverified(EngineError):
    """Exit code 4: a verification failed."""


class Broken(EngineError):
    """The program is not there, speaks another protocol, has a fault, or was ended from outside."""


class PrivacyWarning(UserWarning):
    """A warning or a note of the program."""


_BY_CODE = {1: Refused, 2: Usage, 3: BadInput, 4: Unverified}


def renamed(text: str) -> str:
    """What the program says, with options as they are named here: epsilon for --epsilon, split_by=2 for --split-by 2.
    What stands in quotes, and --help, stay."""
    return re.sub(r'"[^"]*"|--help|--([a-z]+(?:-[a-z]+)*)(?: (?=[-+]?[.\d]))?',
                  lambda m: m[1].replace("-", "_") + "=" * m[0].endswith(" ") if m[1] else m[0], text)


def from_exit(code: int, fault: dict[str, typing.Any], said: list[str]) -> EngineError:
    """The exception of an exit code. What does not fit in a table is told by place and by what is wanted."""
    if code < 0:
        return Broken(f"the program was ended by signal {-code}. Its files are whole: run the same call again")
    text = fault.get("text") or "\n".join(said) or f"the program ended with exit code {code}"
    if fault.get("kind") == "input" and fault.get("column") and fault.get("step") != "schema":  # which is public
        place = [str(fault["file"])] if fault.get("file") else []
        place += [f"line {fault['line']}"] if fault.get("line") else []
        text = ", ".join([*place, f"column {fault['column']!r}"]) + " does not fit"
        text += f"; want {fault['want']}" if fault.get("want") else ""
        if re.match("(one of|a (whole )?number|a date) (?!.*missing)", fault.get("want") or ""):
            text += '. Missing values fit where the schema has "on_missing" of the column'
        text += ". privbayes.check lists what does not fit, for the owner of the table"
    return _BY_CODE.get(code, Broken)(renamed(text), **{name: said for name, said in fault.items() if name != "text"})
