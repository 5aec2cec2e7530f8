import json
import pathlib

import jax
import numpyro
import numpyro.distributions as dist

numpyro.enable_x64()
data = json.loads((pathlib.Path(__file__).resolve().parent / "data.json").read_text())


# ---- The prior: another one may take its place. It returns the mean of the rows.
def prior():
    return numpyro.sample("mean", dist.Uniform(data["low"], data["high"]))


# ---- End of the prior.


def model():
    # the sum of the rows, in steps of the noise, above the sum of n least values
    total = data["n"] * data["steps"] * (prior() - data["low"]) / (data["high"] - data["low"])
    z = data["y"] - total
    numpyro.factor("released", data["log_p0"] - data["rate"] * abs(z) - data["precision"] * z**2 / 2)


if __name__ == "__main__":
    mcmc = numpyro.infer.MCMC(numpyro.infer.NUTS(model), num_warmup=1000, num_samples=1000, num_chains=4,
                              chain_method="sequential", progress_bar=False)
    mcmc.run(jax.random.PRNGKey(1))
    mcmc.print_summary()
