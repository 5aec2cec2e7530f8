"""The program: where it is, what it takes, and how one command of it is run."""
from __future__ import annotations

import functools
import json
import numbers
import os
import re
import shutil
import signal
import subprocess
import sysconfig
import threading
import typing
import warnings

from ._errors import BadInput, Broken, PrivacyWarning, Usage, from_exit, renamed

PROTOCOL = 1

_report: typing.Callable[[float, str], None] | None = None


def on_progress(report: typing.Callable[[float, str], None] | None) -> None:
    """Has a function called with the share of the work that is done, and with what is done, in long commands."""
    global _report
    _report = report


@functools.cache
def _speaks(path: str) -> str:
    """The version of the program at a path, which must speak the protocol of this package."""
    try:
        done = subprocess.run([path, "version", "--json"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        version = json.loads(done.stdout)
        protocol, name = version["protocol"], version["version"]
    except (OSError, ValueError, LookupError, TypeError, subprocess.SubprocessError):
        protocol = None
    if protocol is None:
        raise Broken(f"{path} is not the program privbayes, or does not run here: install the package again, or set "
                     "PRIVBAYES_ENGINE to the program")
    if protocol != PROTOCOL:
        raise Broken(f"{path} speaks protocol {protocol}, and this package {PROTOCOL}: install one version of both")
    return str(name)


def binary() -> str:
    """The path of the program: PRIVBAYES_ENGINE if it is set, else that of this package, else one on PATH."""
    name = "privbayes.exe" if os.name == "nt" else "privbayes"
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user"),
               os.path.join(here, "..", "bin"), os.path.join(here, "..", "..", "..", "..", "bin")]  # --target, --prefix
    found = os.environ.get("PRIVBAYES_ENGINE") or next(
        (p for p in (os.path.join(f, name) for f in folders) if os.access(p, os.X_OK) and os.path.isfile(p)),
        shutil.which(name))
    if not found:
        raise Broken("the program privbayes is not in this package, nor on PATH: install the package again, or set "
                     "PRIVBAYES_ENGINE to the program")
    _speaks(found)
    return found


def version() -> str:
    """The version of the program."""
    return _speaks(binary())


@functools.cache
def commands() -> dict[str, dict[str, typing.Any]]:
    """What every command takes, by name, as `privbayes flags --json` lists it: made with the wheel, else asked for."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "flags.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            listed = json.load(f)
    else:
        listed = json.loads(subprocess.run([binary(), "flags", "--json"], stdin=subprocess.DEVNULL, capture_output=True,
                                           check=True).stdout)
    return {c["command"]: c for c in listed}


def arguments(command: str, options: dict[str, typing.Any]) -> list[str]:
    """The flags of a command line. What is None or False is left out; lists go as the flag takes them."""
    flags = {f["name"]: f for f in commands().get(command, {}).get("flags", [])}
    line = []
    for name, value in options.items():
        name, value = name.rstrip("_").replace("_", "-"), _plain(value)
        if value is None or value is False:
            continue
        flag = flags.get(name)
        if value is True and (flag is None or flag["type"] == "bool"):
            line.append(f"--{name}")
        elif isinstance(value, dict) and name == "spec":  # another may be a table
            line.append(f"--{name}=" + json.dumps(value))
        elif isinstance(value, (list, tuple)):
            parts = [_text(command, name, flag, one) for one in value]
            many = bool(flag and flag.get("repeats"))
            if len(parts) != 1 and flag and not many and flag["type"] != "list":
                raise _usage(name, f"{command}: {name} has {len(parts)} values; want one")
            line += [f"--{name}={p}" for p in parts] if many else [f"--{name}=" + ",".join(map(_part, parts))]
        else:
            line.append(f"--{name}={_text(command, name, flag, value)}")
    return line


def _plain(value: typing.Any) -> typing.Any:
    """A scalar of numpy, an array or the names of columns as Python has them. A Series is a column of a table."""
    array = type(value).__name__ in ("ndarray", "Index") or getattr(value, "ndim", None) == 0
    return value.tolist() if array and hasattr(value, "tolist") else value


def _text(command: str, name: str, flag: dict[str, typing.Any] | None, value: typing.Any) -> str:
    """The text of one value. Of other kinds, such as a column of a table, it may have rows."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return str(value)
    want = {"float": "a number", "int": "a whole number", "bool": "True or False",
            "list": "a list of text or numbers"}.get(flag["type"] if flag else "", "text or a number")
    said = value if isinstance(value, bool) else f"a {type(value).__name__}"
    raise _usage(name, f"{command}: {name} is {said}; want {want}")


def _usage(name: str, text: str) -> Usage:
    return Usage(text, kind="usage", flag=f"--{name}")


def _part(value: typing.Any) -> str:
    """A part of a list, as a line of CSV has it."""
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if re.search('[,"\r\n]', text) else text


def run(command: str, *words: typing.Any, stdin: typing.Callable[[typing.BinaryIO], None] | None = None,
        accept: tuple[int, ...] = (), **options: typing.Any) -> typing.Any:
    """Runs one command and returns what it writes: its JSON, or its text if it has none.

    words are its arguments, such as a release; options its flags, with _ for -. stdin writes a table to the program's
    standard input, which data="-" reads. Raises an EngineError, but for exit codes to accept.
    """
    takes = {f["name"] for f in commands().get(command, {}).get("flags", [])}
    extra = (["--json"] if "json" in takes else []) + (["--progress=json"] if "progress" in takes else [])
    places = [os.fspath(w) for w in words]
    line = [binary(), command, *(f".{os.sep}{w}" if w.startswith("-") else w for w in places), *extra,
            *arguments(command, options)]
    code, out, said, failed = _Process(line, stdin).finish()
    fault: dict[str, typing.Any] = {}
    for text in list(said):
        if text.startswith('{"error"'):
            said.remove(text)
            fault = json.loads(text)["error"]
    if failed:  # after every handler: nothing leads from the exception to a value
        raise failed
    if code and (fault or code not in accept):
        raise from_exit(code, fault, said)
    for text in said:
        warnings.warn(renamed(text.removeprefix("privbayes: ").removeprefix("warning: ")), PrivacyWarning, stacklevel=3)
    try:
        return json.loads(out)
    except ValueError:
        return out.decode("utf-8", "replace")


class _Process:
    """One run of the program. Threads write its input and read its errors and its output: any two of these alone would
    wait for each other."""

    def __init__(self, line: list[str], rows: typing.Callable[[typing.BinaryIO], None] | None):
        self.out = b""
        self.said: list[str] = []
        self.failed: Exception | None = None
        try:
            self.process = subprocess.Popen(
                line, stdin=subprocess.PIPE if rows else subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, env=dict(os.environ, PRIVBAYES_PIPE="marked"))
        except OSError as e:
            raise Broken(f"{line[0]} does not start: {e.strerror}") from None
        self.threads = [threading.Thread(target=reads, daemon=True) for reads in (self._hear, self._read)]
        if rows:
            self.threads.append(threading.Thread(target=self._feed, args=(rows,), daemon=True))

    def finish(self) -> tuple[int, bytes, list[str], Exception | None]:
        """Waits, for a moment at a time: an interrupt that comes just before one long wait is not seen until its end.
        An interrupt ends the program first, which leaves its files whole."""
        try:
            for thread in self.threads:
                thread.start()
            for thread in self.threads:
                while thread.is_alive():
                    thread.join(0.2)
            return self.process.wait(), self.out, self.said, self.failed
        except BaseException:
            self._end()
            raise

    def _end(self) -> None:
        feeding = any(thread.is_alive() for thread in self.threads[2:])
        if os.name == "nt" or feeding:  # of half a table there is nothing to finish, and the program waits for the rest
            self.process.kill()
        else:
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _feed(self, rows: typing.Callable[[typing.BinaryIO], None]) -> None:
        assert self.process.stdin
        pipe = typing.cast(typing.BinaryIO, self.process.stdin)
        try:
            rows(pipe)
            pipe.close()
        except (BrokenPipeError, ConnectionError):  # the program refused before it had read all: it says why
            pass
        except BadInput as e:
            self.failed = e.with_traceback(None)
        except OSError as e:  # polars has no BrokenPipeError: the program ends, or waits for the rest
            try:
                self.process.wait(1)
            except subprocess.TimeoutExpired:
                self.failed = self._unwritten(e)
        except BaseException as e:
            self.failed = self._unwritten(e)
        if self.failed:
            self.failed.__context__ = None
            self.process.kill()  # before its input ends: half a table must not look like a whole one
        try:
            pipe.close()
        except OSError:
            pass

    @staticmethod
    def _unwritten(e: BaseException) -> BadInput:
        return BadInput(f"writing the table failed with {type(e).__name__}; nothing was drawn or charged", kind="input")

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as pipe:
            self.out = pipe.read()

    def _hear(self) -> None:
        assert self.process.stderr
        with self.process.stderr as lines:
            for raw in lines:
                text = raw.decode("utf-8", "replace").rstrip("\n")
                if not text.startswith('{"progress"'):
                    self.said.append(text)
                elif _report:
                    done = json.loads(text)
                    _report(done["progress"], done["text"])
