"""The peer of regression.sh: numpy on OpenBLAS, one thread. It drives both sides in turn, so that a slow moment of the machine meets
both, and compares processor times per row and the sums themselves."""

import os
import re
import subprocess
import sys
import time

import numpy as np

ROUNDS = 5
SECONDS = 0.5  # of each measurement in each round
ROWS = 20000
RANGE, RESPONSE = (-10.0, 10.0), (0.0, 100.0)  # the public bounds of the Go side's design


def times(f):
    """Processor times of runs of f, in ns/row."""
    f()
    out, start = [], time.perf_counter()
    while time.perf_counter() - start < SECONDS or len(out) < 5:
        t = time.process_time_ns()
        f()
        out.append((time.process_time_ns() - t) / ROWS)
    return out


def scaled(rows, d):
    """What the library does before it sums: clip to public bounds, into the unit ball."""
    out = np.empty_like(rows)
    lo, hi = RANGE
    np.subtract(rows[:, :d], (lo + hi) / 2, out=out[:, :d])
    out[:, :d] /= (hi - lo) / 2
    lo, hi = RESPONSE
    out[:, d] = (rows[:, d] - (lo + hi) / 2) / ((hi - lo) / 2)
    np.clip(out, -1, 1, out=out)
    out[:, :d] *= 1 / np.sqrt(d)
    return out


def main(folder):
    rng = np.random.default_rng(1)
    dims = (4, 10, 50)
    rows = {}
    for d in dims:
        a = rng.uniform(-10.1, 10.1, (ROWS, d + 1))  # a few values lie outside the bounds
        a[:, d] = rng.uniform(-1, 101, ROWS)
        rows[d] = a
        a.astype("<f8").tofile(os.path.join(folder, f"matrix-{d}.f64"))

    peer = {}  # (what, d): times
    ours = {}  # (what, d): list of (best, median) of a round
    env = dict(os.environ, PRIVBAYES_BENCH_DIR=folder)
    go = [os.path.join(folder, "regression.test"), "-test.run", "^$", "-test.bench", "^BenchmarkPeer$", "-test.benchtime", "1x"]
    for _ in range(ROUNDS):
        for d in dims:
            a = rows[d]
            x = np.ascontiguousarray(a[:, :d])

            def whole():
                s = scaled(a, d)
                return s.T @ s

            for what, f in (("X", lambda: x.T @ x), ("[X y]", lambda: a.T @ a), ("scaled", whole)):
                peer.setdefault((what, d), []).extend(times(f))
        text = subprocess.run(go, env=env, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout
        for what, d, rest in re.findall(r"^BenchmarkPeer/(\S+?)/d=(\d+)\S*\s+(.*)$", text, re.M):
            best, median = (float(re.search(r"(\S+) %s-ns/row" % k, rest)[1]) for k in ("best", "median"))
            ours.setdefault((what, int(d)), []).append((best, median))

    for d in dims:  # both sides must have computed the same
        for form, a in (("rows", rows[d]), ("columns", rows[d]), ("scaled", scaled(rows[d], d)), ("scaled-rows", scaled(rows[d], d))):
            got = np.fromfile(os.path.join(folder, f"{form}-{d}.f64"), "<f8")
            want = (a.T @ a)[np.triu_indices(d + 1)]
            worst = np.abs(got - want).max() / np.abs(want).max()
            if worst > 1e-12:
                sys.exit(f"regression.py: {form}, d = {d}: the sums differ from numpy's by {worst:.1e} of the largest")
    print(f"The sums agree with numpy's to 1e-12. {ROWS} rows, one thread, processor time in ns/row: best (median).\n")

    def least(t):
        return min(t), float(np.median(t))

    print(f"{'d':>3}  {'ours':24}{'':16}{'numpy':24}{'':18}{'speed, of numpy':>16}")
    for d in dims:
        for form, what, label in (("rows", "X", "X.T @ X"), ("rows", "[X y]", "[X y].T @ [X y]"), ("columns", "[X y]", "[X y].T @ [X y]"),
                                  ("scaled-rows", "scaled", "scaled, and the product"), ("scaled", "scaled", "scaled, and the product")):
            mine = min(b for b, _ in ours[form, d]), float(np.median([m for _, m in ours[form, d]]))
            his = least(peer[what, d])
            print(f"{d:3}  {form:24}{mine[0]:6.1f} ({mine[1]:6.1f}) {label:24}{his[0]:6.1f} ({his[1]:6.1f}) {his[0] / mine[0]:12.2f} ({his[1] / mine[1]:.2f})")


main(sys.argv[1])
