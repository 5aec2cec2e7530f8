"""Answers of m synthetic sets, combined by rule T_f. Python 3.8 or later, standard library only."""
from math import exp, lgamma, log, pi, sqrt
from statistics import NormalDist, mean, variance


def combine(q, u, records, rows, level=0.95):
    """q: the estimate in each set; u: its squared standard error; records: of the private table; rows: of each set.

    Returns the answer, its standard error, the ends of its interval, and the degrees of freedom.
    """
    m, b, within = len(q), variance(q), mean(u)
    total = (1 + 1 / m) * b - within
    if total > 0:
        nu = (m - 1) * (1 - within / ((1 + 1 / m) * b)) ** 2
        width = t_quantile((1 - level) / 2, nu)
    else:
        total, nu = rows / records * within, float("inf")
        width = -NormalDist().inv_cdf((1 - level) / 2)
    return mean(q), sqrt(total), mean(q) - width * sqrt(total), mean(q) + width * sqrt(total), nu


def t_quantile(p, nu):
    """The x with P(t > x) = p, p < 1/2, t with nu degrees of freedom."""
    if nu > 1e6:
        return -NormalDist().inv_cdf(p)
    low, high = -40.0, 354.0  # of ln x
    if nu < 0.01 or t_tail(exp(high), nu) > p:
        return float("inf")
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if t_tail(exp(middle), nu) > p else (low, middle)
    return exp((low + high) / 2)


def t_tail(x, nu, points=2000):
    """P(t > x) = I_z(nu/2, 1/2)/2, z = nu/(nu + x*x): the integral by midpoints, after s = z*w^(8/nu)."""
    z = nu / (nu + x * x)
    total = 0.0
    for i in range(points):
        w = (i + 0.5) / points
        total += 4 * w**3 / sqrt(1 - z * exp(8 / nu * log(w))) / points
    return exp(nu / 2 * log(z) - lgamma(nu / 2 + 1) - 0.5 * log(pi) + lgamma((nu + 1) / 2)) * total / 2
