"""The peers of sources.sh. It drives both sides in turn, every run in a process of its own, and compares processor times; before a ratio is
given, all tables must be equal. With the name of a peer it is that peer's process."""

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time

ROUNDS = 5
HERE = os.path.dirname(os.path.abspath(__file__))


def schema():
    """Columns of the study's schema: None for categories, inner edges for numbers."""
    with open(os.path.join(HERE, "..", "data", "study", "adult.json")) as f:
        columns = json.load(f)["columns"]
    return {c["name"]: c["edges"][1:-1] if c["kind"] == "integer" else None for c in columns if c["name"] != "income"}


def keyed(rows):
    return {f"{v}|{y}": int(n) for v, y, n in rows if n}


def with_pandas(path, how):
    import numpy as np
    import pandas as pd
    spec = schema()
    text = {c: "category" for c, edges in spec.items() if edges is None}
    start = time.process_time_ns()
    d = pd.read_csv(path, usecols=[*spec, "income"], dtype={**text, "income": "category"}, keep_default_na=False)
    out = {}
    if how == "crosstab":
        for c, edges in spec.items():
            v = d[c] if edges is None else pd.Series(np.searchsorted(edges, d[c].to_numpy(), side="right"), index=d.index)
            out[c] = pd.crosstab(v, d["income"])
    elif how == "bincount":
        y, classes = d["income"].cat.codes.to_numpy().astype(np.int64), len(d["income"].cat.categories)
        for c, edges in spec.items():
            v = d[c].cat.codes.to_numpy() if edges is None else np.searchsorted(edges, d[c].to_numpy(), side="right")
            out[c] = np.bincount(v.astype(np.int64) * classes + y)
    used = time.process_time_ns() - start
    counts = {}
    if how == "crosstab":
        counts = {c: keyed((v, y, t.at[v, y]) for v in t.index for y in t.columns) for c, t in out.items()}
    elif how == "bincount":
        names = list(d["income"].cat.categories)
        for c, t in out.items():
            label = (lambda v, c=c: d[c].cat.categories[v]) if spec[c] is None else (lambda v: v)
            counts[c] = keyed((label(i // len(names)), names[i % len(names)], n) for i, n in enumerate(t) if n)
    return used, len(d), counts, f"pandas {pd.__version__}, numpy {np.__version__}"


def with_polars(path):
    import polars as pl
    spec = schema()
    start = time.process_time_ns()
    d = pl.read_csv(path, columns=[*spec, "income"], schema_overrides={"education-num": pl.String})
    out = {}
    for c, edges in spec.items():
        v = pl.col(c) if edges is None else pl.sum_horizontal([pl.col(c) >= e for e in edges])
        out[c] = d.group_by(v.alias("v"), "income").len()
    used = time.process_time_ns() - start
    return used, d.height, {c: keyed(t.select("v", "income", "len").iter_rows()) for c, t in out.items()}, f"Polars {pl.__version__}"


def with_duckdb(path):
    import duckdb
    spec = schema()
    db = duckdb.connect()
    db.execute("SET threads = 1")
    values = ", ".join(f'"{c}"' if e is None else " + ".join(f'("{c}" >= {x})::int' for x in e) + f' AS "{c}"' for c, e in spec.items())
    sets = ", ".join(f'("{c}", income)' for c in spec)
    names = ", ".join(f'"{c}"' for c in spec)
    start = time.process_time_ns()
    rows = db.execute(f"SELECT grouping_id({names}), {names}, income, count(*) FROM (SELECT {values}, income FROM read_csv(?, "
                      f"types={{'education-num': 'VARCHAR'}})) GROUP BY GROUPING SETS ({sets})", [path]).fetchall()
    used = time.process_time_ns() - start
    full, counts = (1 << len(spec)) - 1, {}
    for k, c in enumerate(spec):
        own = full & ~(1 << (len(spec) - 1 - k))
        counts[c] = keyed((r[1 + k], r[-2], r[-1]) for r in rows if r[0] == own)
    total = sum(n for n in next(iter(counts.values())).values())
    return used, total, counts, f"DuckDB {duckdb.__version__}"


def with_sklearn(path):
    import numpy as np
    import pandas as pd
    import sklearn
    from sklearn.naive_bayes import CategoricalNB
    spec = schema()
    d = pd.read_csv(path, usecols=[*spec, "income"], keep_default_na=False, dtype={c: "category" for c, e in spec.items() if e is None})
    x = np.stack([d[c].cat.codes.to_numpy() if e is None else np.searchsorted(e, d[c].to_numpy(), side="right") for c, e in spec.items()], 1)
    x, y = np.ascontiguousarray(x, np.int64), d["income"].astype("category").cat.codes.to_numpy()
    m = CategoricalNB(min_categories=x.max(0) + 1).fit(x, y)
    m.predict_proba(x)
    start = time.process_time_ns()
    m.predict_proba(x)
    return time.process_time_ns() - start, len(d), {}, f"scikit-learn {sklearn.__version__}"


PEERS = {
    "pandas, read_csv and crosstab": lambda p: with_pandas(p, "crosstab"),
    "pandas, categories and numpy bincount": lambda p: with_pandas(p, "bincount"),
    "pandas, read_csv alone": lambda p: with_pandas(p, ""),
    "Polars": with_polars,
    "DuckDB, grouping sets": with_duckdb,
    "scikit-learn predict_proba": with_sklearn,
}


def peer(name, path):
    used, rows, counts, version = PEERS[name](path)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"cpu": used / rows, "mb": peak, "rows": rows, "version": version, "counts": counts}))


def child(*command, **env):
    r = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **env})
    return json.loads(r.stdout)


def main(folder, rows):
    path = os.path.join(folder, f"adult-{rows}.csv")
    ours = os.path.join(folder, "sources")
    spec = os.path.join(folder, "spec.rds")
    edges = ", ".join(f"`{c}` = " + ("NULL" if e is None else f"c({', '.join(map(str, e))})") for c, e in schema().items())
    subprocess.run(["Rscript", "-e", f"saveRDS(list({edges}), '{spec}')"], check=True)
    table = os.path.join(HERE, "sources", "table.R")
    runs = {f"ours, {step}": lambda step=step: child(ours, "time", step, path, GOMAXPROCS="1")
            for step in ("tables", "pass", "load", "loadtables", "predict", "evaluate", "plan")}
    runs["ours, pass on two threads"] = lambda: child(ours, "time", "pass", path, GOMAXPROCS="2")
    runs |= {name: lambda name=name: child(sys.executable, __file__, name, path) for name in PEERS}
    runs |= {f"data.table, {what}": lambda what=what: child("Rscript", table, path, spec, what) for what in ("tables", "load")}

    want = child(ours, "counts", path)
    found = {name: [] for name in runs}
    versions = {platform.python_version(): "Python"}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            r = run()
            counts = r.pop("counts", {})
            if counts and {c: dict(sorted(t.items())) for c, t in counts.items()} != {c: dict(sorted(t.items())) for c, t in want.items()}:
                sys.exit(f"sources.py: the tables of {name} are not ours")
            versions[r.pop("version", "")] = name
            found[name].append(r)
    results = {name: {"ns_per_row": min(r["cpu"] for r in rs), "median": statistics.median(r["cpu"] for r in rs),
                      "wall": min(r.get("wall", float("nan")) for r in rs), "peak_mb": max(r["mb"] for r in rs)} for name, rs in found.items()}
    for r in results.values():
        if r["wall"] != r["wall"]:
            del r["wall"]
    large = []
    if os.environ.get("LARGE"):
        for n in (rows, 10_000_000, 100_000_000):
            big = os.path.join(folder, f"adult-{n}.csv")
            if not os.path.exists(big):
                subprocess.run([ours, "write", big, str(n)], check=True)
            for step in ("pass", "load"):
                large.append({"step": step, **child(ours, "time", step, big, GOMAXPROCS="1")})
            if n > 10_000_000:
                os.remove(big)
    with open("/proc/cpuinfo") as f:
        cpu = next(line.split(":")[1].strip() for line in f if line.startswith("model name"))
    go = subprocess.run(["go", "version"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()[2]
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE, text=True).stdout.strip()
    doc = {"date": time.strftime("%Y-%m-%d"), "commit": commit, "cpu": cpu, "cores": os.cpu_count(), "load": os.getloadavg()[0], "go": go,
           "python": platform.python_version(), "peers": sorted(v for v in versions if v and " " in v), "rows": rows, "rounds": ROUNDS,
           "bytes": os.path.getsize(path), "results": results, "large": large}
    with open(os.path.join(HERE, "sources", "results.json"), "w") as f:
        json.dump(doc, f, indent=1, ensure_ascii=False)
        f.write("\n")
    for name, r in results.items():
        unit = "ms a plan" if name.endswith("plan") else "ns/row"
        scale = 1e6 if name.endswith("plan") else 1
        print(f"{name:42}{r['ns_per_row'] / scale:10.1f} ({r['median'] / scale:.1f}) {unit:10}{r['peak_mb']:8.0f} MB")
    for r in large:
        print(f"{r['step']:8}{r['rows']:14,.0f} rows{r['cpu']:8.1f} ns/row{r['mb']:8.0f} MB")


if len(sys.argv) == 3 and sys.argv[1] in PEERS:
    peer(sys.argv[1], sys.argv[2])
else:
    main(sys.argv[1], int(sys.argv[2]))
