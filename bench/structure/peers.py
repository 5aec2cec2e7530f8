"""One synthetic table by one peer, in a process and a virtual environment of its own:

    python peers.py PEER TABLE.csv TABLE.json pure|approx EPSILON SEED OUT.csv

Codes go in and come out. Domains are those of TABLE.json: no peer learns them from the rows where it can be told. What a peer does with its
noise and its budget is its own; only budget, delta, seed and, where it has one, the workload of all pairs are set. mbi is a library of fits and
brings no mechanism: mbi-aim, mbi-mst and mbi-mwem are the published algorithms (McKenna, Mullins, Sheldon, Miklau 2022; McKenna, Miklau,
Sheldon 2021; McKenna, Sheldon, Miklau 2019, the only one with pure epsilon) on its estimators, at the settings of their papers."""

import itertools
import json
import math
import sys
import tempfile
import time
from fractions import Fraction

import numpy as np

DELTA = 1e-9


def rho_of(epsilon):
    """The rho of zero-concentrated privacy that implies (epsilon, DELTA): Canonne, Kamath, Steinke 2020, Proposition 12."""
    orders = 1 + 10 ** np.linspace(-3, 5, 20000)

    def delta(rho):
        return np.min((orders - 1) * (orders * rho - epsilon) + orders * np.log1p(-1 / orders) - np.log(orders - 1))

    lo, hi = 0.0, epsilon
    for _ in range(60):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if delta(mid) <= math.log(DELTA) else (lo, mid)
    return lo


class Job:
    """A table and what is asked of it."""

    def __init__(self, table, about, notion, epsilon, seed):
        with open(about) as f:
            about = json.load(f)
        self.path, self.names, self.levels, self.rows = table, about["columns"], dict(zip(about["columns"], about["levels"])), about["rows"]
        self.pure, self.epsilon, self.seed = notion == "pure", epsilon, seed
        self.rng = np.random.default_rng(seed)
        codes = np.loadtxt(table, delimiter=",", skiprows=1, dtype=np.int64)
        self.codes = {n: codes[:, i] for i, n in enumerate(self.names)}

    def frame(self):
        import pandas as pd
        return pd.DataFrame(self.codes)

    def need(self, pure):
        if self.pure != pure:
            sys.exit("peers.py: this peer has no such notion of privacy")


def counted(job, columns, dom):
    cell = np.zeros(len(next(iter(job.codes.values()))), dtype=np.int64)
    for c in columns:
        cell = cell * dom[c] + job.codes[c]
    return np.bincount(cell, minlength=math.prod(dom[c] for c in columns)).astype(float)


def mbi_jax():
    import jax
    return jax


def with_mbi():
    mbi_jax().config.update("jax_enable_x64", True)
    import mbi
    return mbi


def mbi_aim(job, iters=1000, megabytes=80):
    job.need(False)
    mbi = with_mbi()
    from mbi import estimation, junction_tree
    dom, d, rho = mbi.Domain.fromdict(job.levels), len(job.names), rho_of(job.epsilon)
    pairs = list(itertools.combinations(job.names, 2))
    singles = [(n,) for n in job.names]
    weights = {c: sum(len(set(c) & set(p)) for p in pairs) for c in singles + pairs}
    answers = {c: counted(job, c, job.levels) for c in weights}
    rounds = 16 * d
    sigma, eps = math.sqrt(rounds / (2 * 0.9 * rho)), math.sqrt(8 * 0.1 * rho / rounds)

    def measure(c):
        y = answers[c] + job.rng.normal(0, sigma, answers[c].size)
        return mbi.LinearMeasurement(y, c, stddev=sigma)

    def fit(model):
        return estimation.MirrorDescent().estimate(dom, taken, iters=iters, warm_start=model)

    taken, used = [measure(c) for c in singles], d / (2 * sigma**2)
    model, last, count = fit(None), False, 0
    while not last:
        if rho - used < 2 * (0.5 / sigma**2 + eps**2 / 8):  # what is left goes to one more round
            left = rho - used
            sigma, eps, last = math.sqrt(1 / (2 * 0.9 * left)), math.sqrt(8 * 0.1 * left), True
        used += eps**2 / 8 + 0.5 / sigma**2
        limit = megabytes * used / rho
        have = {m.clique for m in taken}
        may = [c for c in weights if c in have or len(c) == 1
               or junction_tree.hypothetical_model_size(dom, list(have) + [c]) <= limit]
        bias = math.sqrt(2 / math.pi) * sigma
        scores = np.array([weights[c] * (np.abs(answers[c] - model.project(c).datavector()).sum() - bias * answers[c].size) for c in may])
        rate = eps / (2 * max(weights[c] for c in may))
        p = np.exp(rate * (scores - scores.max()))
        pick = may[job.rng.choice(len(may), p=p / p.sum())]
        taken.append(measure(pick))
        before = np.asarray(model.project(pick).datavector())
        model = fit(model)
        if count % 4 == 3:  # every model is compiled anew, and what was compiled uses up the process's memory maps
            mbi_jax().clear_caches()
        if np.abs(np.asarray(model.project(pick).datavector()) - before).sum() <= bias * answers[pick].size:
            sigma, eps = sigma / 2, 2 * eps
        count += 1
        print(json.dumps({"round": count, "used": used / rho}), file=sys.stderr, flush=True)
    return model.synthetic_data(max(1, round(float(model.total)))).to_dict()


def mbi_mst(job, iters=5000):
    job.need(False)
    mbi = with_mbi()
    from mbi import estimation
    rho, d = rho_of(job.epsilon), len(job.names)
    sigma = math.sqrt(3 / (2 * rho))
    # one-way tables, and values that are rare put together
    each, full, to, taken, sums = sigma * math.sqrt(d), mbi.Domain.fromdict(job.levels), {}, [], 0
    for n in job.names:
        y = counted(job, (n,), job.levels) + job.rng.normal(0, each, job.levels[n])
        sums += y.sum() / y.size
        kept = y >= 3 * each
        to[n] = np.where(kept, np.cumsum(kept) - 1, kept.sum())
        taken.append(mbi.LinearMeasurement(y, (n,), stddev=each).compress({n: to[n]}, full))
    job.codes = {n: to[n][job.codes[n]] for n in job.names}
    dom = {n: int(to[n].max()) + 1 for n in job.names}
    domain = mbi.Domain.fromdict(dom)
    # told, since mbi estimates no total from tables that were put together
    total = max(1.0, sums / sum(1 / k for k in job.levels.values()))
    model = estimation.MirrorDescent().estimate(domain, taken, known_total=total, iters=iters)
    # a spanning tree by the distance to what the columns say
    gap = {c: np.abs(counted(job, c, dom) - np.asarray(model.project(c).datavector())).sum()
           for c in itertools.combinations(job.names, 2)}
    eps, part = math.sqrt(8 * rho / 3 / (d - 1)), {n: n for n in job.names}
    for _ in range(d - 1):
        may = [c for c in gap if part[c[0]] != part[c[1]]]
        scores = np.array([gap[c] for c in may])
        p = np.exp(eps / 2 * (scores - scores.max()))
        a, b = pick = may[job.rng.choice(len(may), p=p / p.sum())]
        old, new = part[b], part[a]
        part = {n: new if v == old else v for n, v in part.items()}
        s = sigma * math.sqrt(d - 1)
        taken.append(mbi.LinearMeasurement(counted(job, pick, dom) + job.rng.normal(0, s, dom[a] * dom[b]), pick, stddev=s))
    model = estimation.MirrorDescent().estimate(domain, taken, known_total=total, iters=iters)
    out = model.synthetic_data(max(1, round(float(model.total)))).to_dict()
    for n in job.names:  # back to the values, any of those that were put together
        col = np.asarray(out[n])
        out[n] = np.array([job.rng.choice(np.flatnonzero(to[n] == v)) for v in col])
    return out


def mbi_mwem(job, iters=1000, megabytes=25):
    """MWEM with graphical models under pure epsilon: as many rounds as columns, a tenth of each chooses a pair, the rest measures it."""
    job.need(True)
    mbi = with_mbi()
    from mbi import estimation, junction_tree
    dom, rounds = mbi.Domain.fromdict(job.levels), len(job.names)
    answers = {c: counted(job, c, job.levels) for c in itertools.combinations(job.names, 2)}
    each, taken = job.epsilon / rounds, []
    scale = 1 / (0.9 * each)
    model = None
    for i in range(1, rounds + 1):
        have = [m.clique for m in taken]
        may = [c for c in answers if junction_tree.hypothetical_model_size(dom, have + [c]) <= megabytes * i / rounds]
        # before anything is measured: one record, spread evenly
        says = [np.full(answers[c].size, 1 / answers[c].size) if model is None else np.asarray(model.project(c).datavector()) for c in may]
        scores = np.array([np.abs(answers[c] - m).sum() - m.size for c, m in zip(may, says)])
        p = np.exp(0.1 * each / 2 * (scores - scores.max()))
        pick = may[job.rng.choice(len(may), p=p / p.sum())]
        noisy = answers[pick] + job.rng.laplace(0, scale, answers[pick].size)
        taken.append(mbi.LinearMeasurement(noisy, pick, stddev=math.sqrt(2) * scale))
        model = estimation.MirrorDescent().estimate(dom, taken, iters=iters, warm_start=model)
    return model.synthetic_data(max(1, round(float(model.total)))).to_dict()


def opendp_by(job, algorithm, less=0.0):
    import opendp.prelude as dp
    import polars as pl
    dp.enable_features("contrib")
    loss = {"epsilon": job.epsilon} if job.pure else {"rho": rho_of(job.epsilon)}
    data = pl.DataFrame({n: [str(v) for v in col] for n, col in job.codes.items()}).lazy()
    keys = {n: [str(v) for v in range(k)] for n, k in job.levels.items()}
    context = dp.Context.compositor(data=data, privacy_unit=dp.unit_of(contributions=1), privacy_loss=dp.loss_of(**loss))
    query = context.query(**{k: v * (1 - less) for k, v in loss.items()})
    table = query.contingency_table(keys=keys, algorithm=algorithm(dp)).release()
    out = table.synthesize(method="sample")  # the default of mbi 1.1, "round", gives columns that share a parent the same order of rows
    return {n: np.array([0 if v is None else int(v) for v in out[n].to_list()]) for n in job.names}


def opendp_share(budget, choices):
    """The least share of the budget, in millionths, without which OpenDP's MST admits its own choices: it gives each the same part of a tenth of
    half the budget, adds the parts up with rounding upwards, and refuses the last where the sum is a rounding error above the tenth. For some
    numbers of choices (8, 16, 17, 20, 36 among those of these tables) no share helps: 0 then, and the run says what it refused."""
    for k in range(50_000):
        half = budget * (1 - k * 1e-6) / 2
        half = np.nextafter(np.nextafter(budget * (1 - k * 1e-6) - half, 0), 0)
        tenth = np.nextafter(np.nextafter(half - half * .9, 0), 0)
        part, total = Fraction(float(np.nextafter(tenth / choices, 0))), 0.0
        for _ in range(choices):
            exact = Fraction(total) + part
            total = float(exact) if Fraction(float(exact)) >= exact else math.nextafter(float(exact), math.inf)
        if total <= tenth:
            return k * 1e-6
    return 0.0


def opendp_aim(job):
    return opendp_by(job, lambda dp: dp.mbi.AIM(queries=2))


def opendp_mst(job):
    budget = job.epsilon if job.pure else rho_of(job.epsilon)
    return opendp_by(job, lambda dp: dp.mbi.MST(), opendp_share(budget, len(job.names) - 1))


def dpmm_by(job, model, **settings):
    job.need(False)
    np.random.seed(job.seed)
    g = model(epsilon=job.epsilon, delta=DELTA, n_jobs=1, **settings)
    g.set_random_state(np.random.RandomState(job.seed))
    g.set_domain({n: k - 1 for n, k in job.levels.items()} if settings.get("highest") else dict(job.levels))
    d = job.frame()
    g.check_fit(d)
    g.fit(d)
    out = g.generate(n_records=job.rows)
    return {n: out[n].to_numpy() for n in job.names}


def dpmm_aim(job):
    from dpmm.models.aim import AIMGM
    return dpmm_by(job, AIMGM)


def dpmm_mst(job):
    from dpmm.models.mst import MSTGM
    return dpmm_by(job, MSTGM)


def dpmm_privbayes(job):
    from dpmm.models.priv_bayes import PrivBayesGM
    return dpmm_by(job, PrivBayesGM)


def smartnoise_by(job, name):
    job.need(False)
    import random
    from snsynth import Synthesizer
    from snsynth.transform import LabelTransformer, TableTransformer
    np.random.seed(job.seed)
    random.seed(job.seed)
    s = Synthesizer.create(name, epsilon=job.epsilon, delta=DELTA)
    labels = TableTransformer([LabelTransformer(nullable=False) for _ in job.names])
    d = job.frame()
    labels.fit(d)  # the values that occur: the peer's way with categories
    s.fit(d, transformer=labels, preprocessor_eps=0.0, categorical_columns=job.names)
    out = s.sample(job.rows)
    return {n: np.asarray(out[n], dtype=np.int64) for n in job.names}


def smartnoise_aim(job):
    return smartnoise_by(job, "aim")


def smartnoise_mst(job):
    return smartnoise_by(job, "mst")


def datasynthesizer(job, degree):
    job.need(True)
    import pandas as pd
    from DataSynthesizer.DataDescriber import DataDescriber
    from DataSynthesizer.DataGenerator import DataGenerator
    with tempfile.TemporaryDirectory() as folder:
        d = pd.DataFrame({n: [f"v{v}" for v in col] for n, col in job.codes.items()})
        d.to_csv(folder + "/in.csv", index=False)
        describer = DataDescriber(category_threshold=1000)
        describer.describe_dataset_in_correlated_attribute_mode(
            dataset_file=folder + "/in.csv", epsilon=job.epsilon, k=degree, seed=job.seed,
            attribute_to_datatype={n: "String" for n in job.names}, attribute_to_is_categorical={n: True for n in job.names})
        describer.save_dataset_description_to_file(folder + "/d.json")
        g = DataGenerator()
        g.generate_dataset_in_correlated_attribute_mode(job.rows, folder + "/d.json", seed=job.seed)
        out = g.synthetic_dataset
    return {n: np.array([int(v[1:]) for v in out[n]]) for n in job.names}


PEERS = {
    "mbi-aim": mbi_aim, "mbi-aim-100": lambda job: mbi_aim(job, iters=100), "mbi-mst": mbi_mst, "mbi-mwem": mbi_mwem,
    "opendp-aim": opendp_aim, "opendp-mst": opendp_mst,
    "dpmm-aim": dpmm_aim, "dpmm-mst": dpmm_mst, "dpmm-privbayes": dpmm_privbayes,
    "smartnoise-aim": smartnoise_aim, "smartnoise-mst": smartnoise_mst,
    "datasynthesizer-1": lambda job: datasynthesizer(job, 1), "datasynthesizer-2": lambda job: datasynthesizer(job, 2),
}


def main(peer, table, about, notion, epsilon, seed, out):
    job = Job(table, about, notion, float(epsilon), int(seed))
    start = time.perf_counter()
    columns = PEERS[peer](job)
    seconds = time.perf_counter() - start
    np.savetxt(out, np.stack([np.asarray(columns[n], dtype=np.int64) for n in job.names], 1), fmt="%d", delimiter=",",
               header=",".join(job.names), comments="")
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main(*sys.argv[1:])
