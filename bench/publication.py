"""The peer of publication.sh: the hundred statistics of bench/publication, released one by one with OpenDP's context over the same
rows. It drives both sides in turn, and compares errors, half-widths that were stated beforehand, and processor times.

publication.py DIR [LEVEL…] prints JSON: ours at every level, OpenDP's at those that are named, pure if none is, and at
the others what publication/results.json has. Replacing one row is two contributions, and the number of rows is public, as in ours. OpenDP
keeps the rows in memory and reads the file once. A group's mean is the sum that it releases over the count in the released table of
the groups; its accuracy function knows the sum alone. Both sides' means are clipped to their public bounds.
"""
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import time
import warnings

os.environ["POLARS_MAX_THREADS"] = "1"
import numpy as np
import opendp.prelude as dp
import polars as pl

warnings.simplefilter("ignore", FutureWarning)
dp.enable_features("contrib")
HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "..", "data", "study", "adult.json")) as f:
    keys = {c["name"]: c["categories"] + c.get("missing", []) if "categories" in c else None for c in json.load(f)["columns"]}
bounds = {"age": (17.0, 100.0), "capital-gain": (0.0, 99999.0), "capital-loss": (0.0, 9999.0), "hours-per-week": (0.0, 99.0)}
folder, named = sys.argv[1], sys.argv[2:] or ["pure"]
file = os.path.join(folder, "adult-1000000.csv")


# the list
categories = ["workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country", "income"]
tables = [by for i, a in enumerate(categories) for by in [[a], *([a, b] for b in categories[i + 1:])]]
tables += [[c, "sex", "income"] for c in ["workclass", "education", "marital-status", "occupation", "relationship", "race",
                                          "native-country"]]
tables += [[c, "race", "income"] for c in ["education", "marital-status", "occupation", "relationship"]]


def grouped(query, by, statistic):
    every = pl.LazyFrame(list(itertools.product(*(keys[c] for c in by))), schema=by, orient="row")
    return query.group_by(by).agg(statistic).with_keys(every)


def queries(rows, loss):
    context = dp.Context.compositor(data=rows.lazy(), privacy_unit=dp.unit_of(contributions=2), privacy_loss=loss,
                                    split_evenly_over=100,
                                    margins=[dp.polars.Margin(by=[], invariant="lengths", max_length=rows.height)])
    for by in tables:
        yield "table", by, None, grouped(context.query(), by, dp.len(signed=True))
    for column, (low, high) in bounds.items():
        whole = pl.col(column).fill_nan(low).fill_null(low)
        yield "mean", [], column, context.query().select(whole.dp.sum((low, high)))
        grid = [low + (high - low) * i / 100 for i in range(101)]
        yield "median", [], column, context.query().select(whole.dp.median(grid))
        for by in categories:
            yield "group means", [by], column, grouped(context.query(), [by], whole.dp.sum((low, high)))


def publish(loss):
    rows = pl.read_csv(file, schema_overrides={"education-num": pl.String}).with_columns(pl.col(*bounds).cast(float))
    out, counts = [], {}
    for kind, by, column, query in queries(rows, loss):
        stated = query.summarize(alpha=.05)["accuracy"][0]
        have = query.release().collect()
        if kind == "table":
            have = ordered(have, by, "len")
            counts[tuple(by)] = have
            values, stated = have / rows.height, stated / rows.height
        elif kind == "median":
            values = np.array([have.item()])
        elif kind == "mean":
            values, stated = np.array([have.item() / rows.height]), stated / rows.height
        else:
            values, stated = ordered(have, by, column) / np.maximum(counts[tuple(by)], 1), None
        out.append({"kind": kind, "by": by, "column": column, "stated": stated, "values": values})
    return out


# the end of the list


def ordered(frame, by, column):
    """The values of a table in the order of the schema's categories, the last column's fastest; 0 of none."""
    found = {tuple(r[:-1]): r[-1] for r in frame.select(*by, column).iter_rows()}
    return np.array([found.get(k, 0) for k in itertools.product(*(keys[c] for c in by))], float)


def truth(rows):
    """The rows' own numbers of an item."""
    def of(kind, by, column):
        if kind == "table":
            return ordered(rows.group_by(by).agg(pl.len()), by, "len") / rows.height
        if kind == "mean":
            return np.array([rows[column].mean()])
        if kind == "group means":
            found = ordered(rows.group_by(by).agg(pl.col(column).mean()), by, column)
            found[ordered(rows.group_by(by).agg(pl.len()), by, "len") == 0] = np.nan
            return found
        return rows[column].to_numpy()
    return of


def errors(items, exact):
    """Mean distances by kind: of shares, of means in shares of the range, of medians in ranks."""
    out = {}
    for i in items:
        kind = f"{len(i['by'])}-way table" if i["kind"] == "table" else i["kind"]
        want, have = exact[i["kind"], tuple(i["by"]), i["column"]], np.array(i["values"], float)
        if kind == "median":
            error = [max(np.mean(want < have[0]) - .5, .5 - np.mean(want <= have[0]), 0)]
        elif "way" in kind:
            error = np.abs(have - want)
        else:
            low, high = bounds[i["column"]]
            error = np.abs(np.clip(have, low, high) - want)[~np.isnan(want)] / (high - low)
        found = out.setdefault(kind, {"error": [], "stated": []})
        found["error"].append(float(np.mean(error)))
        if i["stated"]:
            scale = 1 if "way" in kind or kind == "median" else bounds[i["column"]][1] - bounds[i["column"]][0]
            found["stated"].append(i["stated"] / scale)
    return {k: {"error": statistics.mean(v["error"]), "stated": statistics.mean(v["stated"]) if v["stated"] else None}
            for k, v in out.items()}


def code(path):
    """The lines of a list: what one writes to release it."""
    lines, counting = 0, False
    with open(path) as f:
        for line in f:
            text = line.strip()
            if text in ("# the list", "// the list"):
                counting = True
            elif text in ("# the end of the list", "// the end of the list"):
                counting = False
            elif counting and text and not text.startswith(("#", "//")):
                lines += 1
    return lines


def main():
    rows = pl.read_csv(file, schema_overrides={"education-num": pl.String})
    find, exact, out = truth(rows), {}, []
    asked = [("table", by, None) for by in tables]  # in the order of both lists
    for column in bounds:
        asked += [("mean", [], column), ("median", [], column), *(("group means", [by], column) for by in categories)]
    losses = [("pure", "1", dp.loss_of(epsilon=1.0)), ("zcdp", "ρ = .0166", dp.loss_of(rho=.0166)),
              ("approx", "(1, 1e-6)", dp.loss_of(epsilon=1.0, delta=1e-6))]
    with open(os.path.join(HERE, "publication", "results.json")) as f:
        before = {row["level"]: row["opendp"] for row in json.load(f)["levels"] if "opendp" in row}
    for level, guarantee, loss in losses:
        said = json.loads(subprocess.run([os.path.join(folder, "publication"), file, level, "1"], check=True,
                                         capture_output=True, text=True).stdout)
        for mine, (kind, by, column) in zip(said["items"], asked):
            cells = math.prod(len(keys[c]) for c in by)
            mine.update(kind=kind, by=by, column=column, values=mine["values"][:cells])  # without the margins of a table
            exact.setdefault((kind, tuple(by), column), find(kind, by, column))
        row = {"level": level, "guarantee": guarantee, "ours": {"seconds": said["seconds"], "processor": said["processor"],
                                                               "items": errors(said["items"], exact)}}
        if level in named:
            start, used = time.time(), time.process_time()
            items = publish(loss)
            row["opendp"] = {"seconds": time.time() - start, "processor": time.process_time() - used,
                             "items": errors(items, exact)}
        elif level in before:
            row["opendp"] = before[level]
        out.append(row)
    print(json.dumps({"rows": rows.height, "items": 100, "opendp": "0.16.0", "polars": pl.__version__,
                      "lines": {"ours": code(os.path.join(HERE, "publication", "main.go")), "opendp": code(__file__)},
                      "levels": out}, indent=1))


main()
