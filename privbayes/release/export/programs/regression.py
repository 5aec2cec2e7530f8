import json
import math
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax.scipy.special import logsumexp

numpyro.enable_x64()
data = json.loads((pathlib.Path(__file__).resolve().parent / "data.json").read_text())
COLUMNS = len(data["xy"])  # of scaled rows, the intercept first
THETA = 0.05 * 20 ** (np.arange(16) / 15)
NORM = np.log(THETA * np.vectorize(math.erf)(1 / (THETA * math.sqrt(2))))


# ---- The prior: another one may take its place. It returns the weights of the scaled rows, the residual standard
# deviation in halves of the response's range, and means and covariance of the columns, which lie in [-1, 1].
def prior():
    q = COLUMNS - 1
    w = numpyro.sample("w", dist.Normal(0, np.asarray(data["weight_sd"])))
    sigma = numpyro.sample("sigma", dist.Uniform(0, 1))
    mean = numpyro.sample("means", dist.Uniform(-1, 1).expand([q]))
    share = numpyro.sample("spreads", dist.Uniform(0, 1).expand([q]))
    sd = share * jnp.sqrt(1 - mean**2)  # a column's mean square is 1 at most
    # spreads are half-normal(theta) on (0, 1), theta on 16 values; correlations are flat
    half_normal = -(sd**2).sum() / (2 * THETA**2) - q * NORM
    numpyro.factor("spreads prior", 0.5 * jnp.log1p(-(mean**2)).sum() + logsumexp(half_normal))
    factor = numpyro.sample("correlations", dist.LKJCholesky(q, 1.0)) if q > 1 else jnp.ones((1, 1))
    half = sd[:, None] * factor
    return w, sigma, mean, half @ half.T


# ---- End of the prior.


def model():
    w, sigma, mean, covariance = prior()
    n, d = data["n"], data["scale"]
    ones = jnp.append(1.0, mean)
    s = n / d * (jnp.outer(ones, ones) + jnp.pad(covariance, ((1, 0), (1, 0))))  # X'X of the scaled rows
    i, j = np.triu_indices(COLUMNS)
    numpyro.sample("xx", dist.Normal(s[i, j][1:], np.sqrt(data["noise_xx"])), obs=np.asarray(data["xx"]))
    # X'y and y'y: normal given X'X, the noise on top
    g = jnp.vstack([jnp.eye(COLUMNS), 2 * w])
    own = jnp.append(jnp.full(COLUMNS, data["noise_xy"]), data["noise_y"] + 2 * n * sigma**4)
    expected = jnp.append(s @ w, w @ s @ w + n * sigma**2)
    numpyro.sample("xy", dist.MultivariateNormal(expected, sigma**2 * g @ s @ g.T + jnp.diag(own)),
                   obs=np.append(data["xy"], data["yy"]))
    numpyro.deterministic("coefficients", np.asarray(data["offset"]) + np.asarray(data["units"]) @ w)
    numpyro.deterministic("residual_sd", data["half_range"] * sigma)


if __name__ == "__main__":
    mcmc = numpyro.infer.MCMC(numpyro.infer.NUTS(model, dense_mass=True), num_warmup=1000, num_samples=1000,
                              num_chains=4, chain_method="sequential", progress_bar=False)
    mcmc.run(jax.random.PRNGKey(1))
    mcmc.print_summary(exclude_deterministic=False)
