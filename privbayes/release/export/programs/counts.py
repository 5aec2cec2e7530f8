import json
import math
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax.scipy.special import gammaln, logsumexp

numpyro.enable_x64()
data = json.loads((pathlib.Path(__file__).resolve().parent / "data.json").read_text())


def shares(name, alpha, largest):
    """log p of p ~ Dirichlet(alpha), from log p - log p[largest]: sum(log p) is the Jacobian, and stands in alpha @ log p"""
    alpha = jnp.asarray(alpha, float)
    x = numpyro.sample(name + COORDINATES, dist.ImproperUniform(dist.constraints.real_vector, (), (len(alpha) - 1,)))
    log_p = jax.nn.log_softmax(jnp.insert(x, largest, 0.0))
    numpyro.factor(name + PRIOR, gammaln(alpha.sum()) - gammaln(alpha).sum() + alpha @ log_p)
    numpyro.deterministic(name, jnp.exp(log_p))
    return log_p


# ---- The prior: another one may take its place. It returns log P(class), and log P(level | class) by table and class.
def prior():
    log_class = shares(CLASS, data["alpha_class"], data["largest_class"]) if data["classes"] > 1 else jnp.zeros(1)
    log_rows, at = [], 0
    for k, (centre, rows) in enumerate(TABLES):
        levels = data["levels"][k]
        alpha = jnp.asarray(data["alpha"][at:at + levels], float)
        at += levels
        if data["shared"][k]:  # rows of one table share a centre
            alpha = 0.1 / levels + 0.9 * jnp.exp(shares(centre, alpha, data["largest_centre"][k]))
        log_rows.append([shares(row, alpha, data["largest"][k][j]) for j, row in enumerate(rows)])
    return log_class, log_rows


# ---- End of the prior.


# What does not depend on the parameters. Rows are the distributions of all tables, class by class; of a row's cells every
# count f that is summed over has the weight P(released | f) exp(f slope) / f!, slope to keep it from underflowing. Rows
# with fewer levels get cells of no records.
def weights():
    classes, at = data["classes"], 0
    rows, levels = classes * len(data["levels"]), max(data["levels"])
    low, slope, lgamma = np.zeros((rows, levels), int), np.zeros((rows, levels)), np.vectorize(math.lgamma)
    out = np.full((rows, levels, max(data["length"])), -np.inf)
    out[:, :, 0] = 0
    for row in range(rows):
        for level in range(data["levels"][row // classes]):
            low[row, level], length = data["low"][at], data["length"][at]
            slope[row, level] = np.log(low[row, level] + length / 2)
            f = low[row, level] + np.arange(length)
            z = data["y"][at] - data["unit"] * f
            noise = data["log_p0"] - data["rate"] * abs(z) - data["precision"] * z**2 / 2  # log P(released | f)
            out[row, level] = -np.inf
            out[row, level, :length] = data["measured"][at] * noise + f * slope[row, level] - lgamma(f + 1.0)
            at += 1
    return low, slope, out


def convolve(a, b, low, totals):
    """logs of sum over f of a(f) b(total - f), row by row; low is the total of the first terms"""
    place = (totals - low)[:, :, None] - np.arange(a.shape[1])
    inside = (place >= 0) & (place < b.shape[1])
    top_a, top_b = a.max(1, keepdims=True), b.max(1, keepdims=True)
    other = jnp.exp(b - top_b)[np.arange(len(b))[:, None, None], np.clip(place, 0, b.shape[1] - 1)]
    out = jnp.einsum("rtn,rn->rt", jnp.where(inside, other, 0.0), jnp.exp(a - top_a))
    return jnp.log(out + 1e-300) + top_a + top_b


LOW, SLOPE, WEIGHTS = weights()
TOTAL_LOW, TOTAL_LENGTH = np.asarray(data["total_low"]), np.asarray(data["total_length"])
TOTALS = TOTAL_LOW[:, None] + np.arange(TOTAL_LENGTH.max())  # of every class, in all its tables
# Sums of the first cells that can become totals of the class, and no others: they could drown these.
HIGH = LOW + np.isfinite(WEIGHTS).sum(2) - 1
LEAST, MOST = np.tile([TOTAL_LOW, TOTAL_LOW + TOTAL_LENGTH - 1], len(data["levels"]))[:, :, None]
FIRST = np.maximum(LOW.cumsum(1), LEAST - HIGH.sum(1, keepdims=True) + HIGH.cumsum(1))
LAST = np.minimum(HIGH.cumsum(1), MOST - LOW.sum(1, keepdims=True) + LOW.cumsum(1))


def add_class(a, b, totals):
    """logs of sum over f of a(f) b(total - f); a, b and totals count from what is least"""
    place = totals[:, None] - np.arange(len(a))
    other = jnp.where((place >= 0) & (place < len(b)), b[np.clip(place, 0, len(b) - 1)], -jnp.inf)
    return jnp.log(jnp.exp(other - b.max()) @ jnp.exp(a - a.max()) + 1e-300) + a.max() + b.max()


def log_likelihood(log_class, log_rows):
    """log of the probability of what was released: the counts are summed out. Cells are Poisson given their sum; tilt
    per record, which is taken out again, keeps sums from underflowing."""
    classes, tables = data["classes"], len(data["levels"])
    flat = [row for rows in log_rows for row in rows]
    tilt = np.tile(np.log(TOTAL_LOW + TOTAL_LENGTH / 2), tables)
    x = jnp.stack([jnp.pad(row, (0, WEIGHTS.shape[1] - len(row))) for row in flat]) + tilt[:, None] - SLOPE
    count = LOW[:, :1] + np.arange(WEIGHTS.shape[2])
    table = WEIGHTS[:, 0] + count * x[:, :1]
    for level in range(1, WEIGHTS.shape[1]):
        known = (count >= FIRST[:, level - 1:level]) & (count <= LAST[:, level - 1:level])
        low = count[:, :1] + LOW[:, level:level + 1]
        cell = LOW[:, level:level + 1] + np.arange(WEIGHTS.shape[2])
        last = level == WEIGHTS.shape[1] - 1  # totals of the class alone
        count = np.tile(TOTALS, (tables, 1)) if last else low + np.arange(table.shape[1] + cell.shape[1] - 1)
        table = convolve(jnp.where(known, table, -jnp.inf), WEIGHTS[:, level] + cell * x[:, level:level + 1], low, count)
    evidence = table.reshape(tables, classes, -1).sum(0)
    mean = np.log((data["n_low"] + data["n_high"]) / 2 + 1)
    evidence += (tables - 1) * gammaln(TOTALS + 1.0) + TOTALS * (log_class + mean - tables * tilt[:classes])[:, None]
    evidence = jnp.where(np.arange(TOTALS.shape[1]) < TOTAL_LENGTH[:, None], evidence, -jnp.inf)
    n, every = np.arange(data["n_low"], data["n_high"] + 1), evidence[0]
    for j in range(1, classes):
        last = j == classes - 1
        every = add_class(every, evidence[j], n - TOTAL_LOW.sum() if last else np.arange(len(every) + TOTALS.shape[1] - 1))
    if classes == 1:
        every = every[n - TOTAL_LOW[0]]
    return logsumexp(every + gammaln(n + 1.0) - n * mean)


def model():
    numpyro.factor(" released", log_likelihood(*prior()))  # no column is called so: names begin with no space


if __name__ == "__main__":
    mcmc = numpyro.infer.MCMC(numpyro.infer.NUTS(model), num_warmup=1000, num_samples=1000, num_chains=4,
                              chain_method="sequential", progress_bar=False)
    mcmc.run(jax.random.PRNGKey(1))
    mcmc.print_summary()
