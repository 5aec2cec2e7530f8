"""Signatures and documentation of the functions, from what the program says of its flags: a new flag or model of the
program needs no line here."""
from __future__ import annotations

import inspect
import typing

from ._engine import commands

_TYPES: dict[str, typing.Any] = {"float": float, "int": int, "bool": bool, "list": list}

#: Flags that the functions set themselves.
_OWN = {"json", "progress", "details"}

F = typing.TypeVar("F", bound=typing.Callable[..., typing.Any])


def parameter(flag: str) -> str:
    """A flag as a parameter of Python."""
    name = flag.replace("-", "_")
    return name + "_" if name in ("lambda",) else name


def of(command: str, *own: str) -> typing.Callable[[F], F]:
    """Gives a function the flags of a command as its keywords, but those that it has itself."""

    def dress(function: F) -> F:
        listed = commands().get(command)
        if listed is None:  # a program that has no such command says so when it is called
            return function
        flags = [f for f in listed["flags"] if f["name"] not in _OWN.union(own)]
        signature = inspect.signature(function)
        named = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        taken = {p.name for p in named}
        for f in flags:
            if parameter(f["name"]) not in taken:
                kind = list if f.get("repeats") else _TYPES.get(f["type"], str)
                named.append(inspect.Parameter(parameter(f["name"]), inspect.Parameter.KEYWORD_ONLY, default=None,
                                               annotation=kind))
        function.__signature__ = signature.replace(parameters=named)  # type: ignore[attr-defined]
        words = [f"    {parameter(f['name'])}: {f['words']}"
                 + (f" ({', '.join(f['choices'])})" if f.get("choices") else "") for f in flags]
        function.__doc__ = "\n".join([inspect.cleandoc(function.__doc__ or ""), "",
                                      f"Options, as of `privbayes {command}`:", "", *words])
        return function

    return dress
