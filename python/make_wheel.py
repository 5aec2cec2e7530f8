"""Makes the wheel of the package for this machine's platform: python3 python/make_wheel.py FOLDER

The program is built without cgo, paths and times, and without the one embedded table whose licence is the GPL. Run
twice on one machine this gives the same bytes. Needs Go and nothing else.
"""
import base64
import hashlib
import io
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULE = "github.com/privbayes/privbayes-go"
LICENCES = "Apache-2.0 AND BSD-2-Clause AND BSD-3-Clause AND MIT AND CC-BY-4.0 AND CC0-1.0"
TAGS = {
    ("linux", "x86_64"): "manylinux2014_x86_64.musllinux_1_1_x86_64",
    ("linux", "aarch64"): "manylinux2014_aarch64.musllinux_1_1_aarch64",
    ("darwin", "arm64"): "macosx_12_0_arm64",
    ("darwin", "x86_64"): "macosx_12_0_x86_64",
    ("win32", "AMD64"): "win_amd64",
}


def text(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def build(path: str) -> None:
    """The program, as anyone builds it from the same files."""
    subprocess.run(["go", "build", "-trimpath", "-buildvcs=false", "-tags", "permissive", "-ldflags", "-s -w -buildid=",
                    "-o", path, "./cmd/privbayes"], cwd=ROOT, check=True, env=dict(os.environ, CGO_ENABLED="0"))


def notice(program: str) -> str:
    """Who made what is in the program: the tables, with what their licences ask to be named, and the modules of Go."""
    with tempfile.TemporaryDirectory() as folder:
        tables = os.path.join(folder, "tables.json")
        pathlib.Path(tables).write_text(text(program, "data", "list", "--json"), encoding="utf-8")
        return subprocess.run(["go", "run", ".", program, tables], cwd=ROOT / "tools" / "sbom", check=True,
                              env=dict(os.environ, GOWORK="off"), capture_output=True, text=True,
                              encoding="utf-8").stdout


def metadata(version: str) -> str:
    return f"""Metadata-Version: 2.4
Name: privbayes
Version: {version}
Summary: Differentially private Bayesian inference: plans, releases, intervals and checks
Project-URL: Source, https://{MODULE}
License-Expression: {LICENCES}
License-File: LICENSE
License-File: NOTICE
Requires-Python: >=3.9
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
Requires-Dist: pyarrow; extra == "pandas"
Provides-Extra: polars
Requires-Dist: polars; extra == "polars"
Description-Content-Type: text/markdown

{(ROOT / "python" / "README.md").read_text(encoding="utf-8")}"""


def files(version: str, tag: str) -> dict:
    """What is in the wheel: path to bytes and mode."""
    info, scripts = f"privbayes-{version}.dist-info", f"privbayes-{version}.data/scripts"
    name = "privbayes.exe" if sys.platform == "win32" else "privbayes"
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, name)
        build(program)
        flags = text(program, "flags", "--json")
        out = {f"{scripts}/{name}": (pathlib.Path(program).read_bytes(), 0o755),
               f"{info}/licenses/NOTICE": (notice(program).encode(), 0o644)}
    for p in sorted((ROOT / "python" / "privbayes").iterdir()):
        if p.suffix == ".py" or p.name == "py.typed":
            out[f"privbayes/{p.name}"] = (p.read_bytes(), 0o644)
    out["privbayes/flags.json"] = (flags.encode(), 0o644)
    out[f"{info}/licenses/LICENSE"] = ((ROOT / "LICENSE").read_bytes(), 0o644)
    out[f"{info}/METADATA"] = (metadata(version).encode(), 0o644)
    wheel = "Wheel-Version: 1.0\nGenerator: make_wheel\nRoot-Is-Purelib: false\n"
    out[f"{info}/WHEEL"] = ((wheel + "".join(f"Tag: py3-none-{t}\n" for t in tag.split("."))).encode(), 0o644)
    return out


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    version = re.search(r'(?m)^const Version = "(.*)"', (ROOT / "privbayes/release/release.go").read_text())[1]
    tag = TAGS[sys.platform, platform.machine()]
    record = io.StringIO()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"privbayes-{version}-py3-none-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        def add(name: str, content: bytes, mode: int) -> None:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100000 | mode) << 16
            z.writestr(entry, content)

        for name, (content, mode) in sorted(files(version, tag).items()):
            add(name, content, mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.write(f"{name},sha256={digest},{len(content)}\n")
        name = f"privbayes-{version}.dist-info/RECORD"
        add(name, f"{record.getvalue()}{name},,\n".encode(), 0o644)
    print(f"{path} {hashlib.sha256(path.read_bytes()).hexdigest()}")


main()
