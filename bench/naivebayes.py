"""The peer of naivebayes.sh: scikit-learn's CategoricalNB, one thread. It drives both sides in turn, so that a slow moment of the machine
meets both, and compares processor times."""

import json
import os
import subprocess
import sys
import time

import numpy as np
from sklearn.naive_bayes import CategoricalNB

ROUNDS = 5
SECONDS = 1.0  # of each measurement in each round


def times(f):
    """Processor times of runs of f, in ns."""
    f()
    out, start = [], time.perf_counter()
    while time.perf_counter() - start < SECONDS or len(out) < 5:
        t = time.process_time_ns()
        f()
        out.append(time.process_time_ns() - t)
    return out


def main(folder):
    with open(os.path.join(folder, "counts.json")) as f:
        counts = json.load(f)
    rows, levels = counts["Rows"], counts["Levels"]
    codes = np.fromfile(os.path.join(folder, "codes.u8"), np.uint8).reshape(rows, len(levels))
    x = np.ascontiguousarray(codes[:, :-1], dtype=np.int64)  # the type that scikit-learn converts to
    y = np.ascontiguousarray(codes[:, -1], dtype=np.int64)

    peer = CategoricalNB(alpha=1.0, min_categories=levels[:-1])
    peer.fit(x, y)
    for name, ours, his in zip(counts["Features"], counts["Tables"], peer.category_count_):
        if not np.array_equal(np.reshape(ours, his.shape), his):
            sys.exit(f"naivebayes.py: the counts of {name} are not those of scikit-learn")
    print(f"All {sum(c.size for c in peer.category_count_)} counts are those of scikit-learn. {rows} rows, one thread, processor time: best (median).\n")

    ours, fit, predict = {}, [], []
    for _ in range(ROUNDS):
        fit += times(lambda: CategoricalNB(alpha=1.0, min_categories=levels[:-1]).fit(x, y))
        predict += times(lambda: peer.predict_proba(x))
        text = subprocess.run([os.path.join(folder, "naivebayes"), "time", str(SECONDS)], check=True, stdout=subprocess.PIPE, text=True).stdout
        for line in text.splitlines():
            name, *t = line.split()
            ours.setdefault(name, []).extend(map(int, t))

    print(f"{'ours':38}{'ms':20}{'scikit-learn':34}{'ms':20}{'times as fast':>14}")
    for name, label, what, his in (("counts", "counts alone, not private", "CategoricalNB.fit", fit),
                                   ("private-fit", "private fit, the plan made before", "CategoricalNB.fit", fit),
                                   ("private-fit-raw", "the same, without the estimate", "CategoricalNB.fit", fit),
                                   ("private-fit-with-plan", "private fit, the plan included", "CategoricalNB.fit", fit),
                                   ("predict", "probabilities of all rows", "CategoricalNB.predict_proba", predict)):
        a, b = (min(ours[name]), np.median(ours[name])), (min(his), np.median(his))
        print(f"{label:38}{f'{a[0] / 1e6:.2f} ({a[1] / 1e6:.2f})':20}{what:34}{f'{b[0] / 1e6:.2f} ({b[1] / 1e6:.2f})':20}{b[0] / a[0]:8.1f} ({b[1] / a[1]:.1f})")


main(sys.argv[1])
