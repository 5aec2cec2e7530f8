"""Runs exported programs and compares their posteriors with this library's.

    check.py numpyro|stan FOLDER [CASE...] [--mutants]

FOLDER gets releases, programs and draws. Of every parameter, mean and variance are compared. A difference is divided by
its Monte Carlo standard error, from effective sample sizes; |z| above LIMIT rejects. With the 120 comparisons at most of
a run and normal errors, a right program is rejected with probability below 1e-9. With --mutants the data of each case are
also run with one fact wrong, and the comparison must reject: which shows that it can.
"""
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np

LIMIT = 7.0  # P(|z| > 7) = 2.6e-12
ROOT = pathlib.Path(__file__).resolve().parents[2]
PRIVBAYES = os.environ.get("PRIVBAYES", str(ROOT / "build/bin/privbayes"))

FAMILIES = [{"node": "species"}] + [{"node": v, "parents": ["species"]} for v in ("island", "sex", "year")]
NETWORK = {"model": {"kind": "network", "target": "species", "families": FAMILIES, "alpha": 1},
           "mechanism": {"name": "geometric"}, "level": {"notion": "pure", "epsilon": 8}, "adjacency": "replace-one"}
CASES = {
    "table": ["--data", "penguins", "--model", "categorical", "--target", "species", "--epsilon", ".1"],
    "mean": ["--data", "cps1988", "--model", "mean", "--target", "wage", "--epsilon", ".01"],
    "network": ["--data", "penguins", "--spec", json.dumps(NETWORK)],
    "regression": ["--data", "cps1988", "--formula", "wage ~ education + experience", "--mechanism", "moments",
                   "--epsilon", "1", "--delta", "1e-6"],
}
# One fact of the data wrong, by case.
MUTANTS = {
    "table": lambda d: d.update(rate=2 * d["rate"]),
    "mean": lambda d: d.update(rate=2 * d["rate"]),
    "network": lambda d: d.update(alpha=[10 * a for a in d["alpha"]]),
    "regression": lambda d: d.update(noise_xy=4 * d["noise_xy"]),
}


def privbayes(*arguments):
    return subprocess.run([PRIVBAYES, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def reference(case, file):
    """mean, sd and effective draws of every parameter, in the order of the program's"""
    if case == "mean":
        return [moments(np.asarray(json.loads(file.read_text())["artifact"]["draws"]["values"])[:, 0], exact=True)]
    if case == "regression":
        draws = json.loads(privbayes("draws", file, "--json"))
        values = np.asarray(draws["values"])
        return [moments(v, chains=draws["chains"]) for v in values.T]
    rows = json.loads(privbayes("intervals", file, "--posterior", "--json"))["rows"]
    return [(r["mean"], r["sd"], 1600 if case == "network" else np.inf) for r in rows]


def ess(x, chains=1):
    from numpyro.diagnostics import effective_sample_size
    return float(min(effective_sample_size(x.reshape(chains, -1)), x.size))


def moments(x, chains=1, exact=False):
    return x.mean(), x.std(), np.inf if exact else min(ess(x, chains), ess((x - x.mean()) ** 2, chains))


def compare(case, wanted, draws):
    """the largest |z| of means and variances"""
    assert len(wanted) == draws.shape[1], (case, len(wanted), draws.shape)
    worst = 0.0
    for (mean, sd, size), x in zip(wanted, draws.T):
        square = (x - mean) ** 2
        kurtosis = max(np.mean(((x - x.mean()) / x.std()) ** 4) - 1, 0.1)
        own = np.sqrt(x.var() / ess(x) + sd**2 / size)
        spread = np.sqrt(square.var() / ess(square) + kurtosis * sd**4 / size)
        for z in abs(x.mean() - mean) / own, abs(square.mean() - sd**2) / spread:
            worst = max(worst, z if np.isfinite(z) else np.inf)
    return worst


def names(data):
    """the distributions that a program of counts names, class first"""
    return (["root"] if data["classes"] > 1 else []) + [
        f"row_{k + 1}_{j + 1}" for k in range(len(data["levels"])) for j in range(data["classes"])]


def numpyro_draws(case, folder):
    import jax
    import numpyro
    spec = importlib.util.spec_from_file_location("exported", folder / "model.py")
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    mcmc = numpyro.infer.MCMC(numpyro.infer.NUTS(program.model), num_warmup=700, num_samples=2000, progress_bar=False)
    mcmc.run(jax.random.PRNGKey(7))
    found = mcmc.get_samples()
    if case == "mean":
        return np.asarray(found["mean"])[:, None]
    if case == "regression":
        return np.column_stack([found["coefficients"], found["residual_sd"]])
    wanted = ([program.CLASS] if program.data["classes"] > 1 else []) + [row for _, rows in program.TABLES for row in rows]
    return np.concatenate([np.asarray(found[name]) for name in wanted], axis=1)


def stan_draws(case, folder):
    data = json.loads((folder / "data.json").read_text())
    wanted = {"mean": ["mu"], "regression": ["coefficients", "residual_sd"]}.get(case) or names(data)
    subprocess.run(["Rscript", str(ROOT / "tools/programs/run.R"), str(folder), *wanted], check=True, stdout=subprocess.DEVNULL)
    return np.loadtxt(folder / "draws.csv", delimiter=",", ndmin=2)


def main():
    program, folder, *rest = sys.argv[1:]
    mutants, folder = "--mutants" in rest, pathlib.Path(folder)
    draws = {"numpyro": numpyro_draws, "stan": stan_draws}[program]
    failed = False
    for case in [c for c in rest if c in CASES] or list(CASES):
        file, out = folder / (case + ".json"), folder / f"{case}.{program}"
        if not file.exists():
            privbayes("release", *CASES[case], "--seed", 5, "--out", file)
        shutil.rmtree(out, ignore_errors=True)
        privbayes("export", file, "--to", program, "--out", out)
        wanted = reference(case, file)
        worst = compare(case, wanted, draws(case, out))
        print(f"{program} {case}: largest |z| {worst:.2f} of {2 * len(wanted)}", flush=True)
        failed |= not worst <= LIMIT
        if mutants:
            data = json.loads((out / "data.json").read_text())
            MUTANTS[case](data)
            (out / "data.json").write_text(json.dumps(data))
            worst = compare(case, wanted, draws(case, out))
            print(f"{program} {case}, mutant: largest |z| {worst:.2f}", flush=True)
            failed |= not worst > LIMIT
    sys.exit(failed)


if __name__ == "__main__":
    main()
