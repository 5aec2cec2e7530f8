functions {
  // log density of p ~ Dirichlet(alpha) in the coordinates of shares: sum(log_p), their Jacobian, stands in alpha' log_p
  real dirichlet_log_shares(vector log_p, vector alpha) {
    return lgamma(sum(alpha)) - sum(lgamma(alpha)) + dot_product(alpha, log_p);
  }
  // log p from log p - log p[largest]
  vector shares(vector x, int largest) {
    int n = rows(x);
    return log_softmax(append_row(append_row(head(x, largest - 1), 0), tail(x, n + 1 - largest)));
  }
  // low, low + 1, ..., of so many
  vector counting(int low, int length) {
    vector[length] out;
    for (i in 1:length) out[i] = low + i - 1;
    return out;
  }
  // log of P(released | f) exp(f slope) / f!, f = low, low + 1, ..., of so many; slope keeps it from underflowing
  vector weights(real y, real measured, int low, int length, real slope, real unit, real log_p0, real rate,
                 real precision) {
    vector[length] f = counting(low, length);
    vector[length] out;
    for (i in 1:length) {
      real z = y - unit * f[i];
      out[i] = measured * (log_p0 - rate * sqrt(square(z)) - precision * square(z) / 2) + f[i] * slope - lgamma(f[i] + 1);
    }
    return out;
  }
  // logs of sum over f of a(f) b(total - f), total = low, low + 1, ..., of so many; a begins at low_a, b at low_b
  vector convolve(vector a, int low_a, vector b, int low_b, int low, int length) {
    int n = rows(a);
    int m = rows(b);
    real top_a = max(a);
    real top_b = max(b);
    vector[n] x = exp(a - top_a);
    vector[m] y;
    vector[length] out;
    for (i in 1:m) y[i] = exp(b[m + 1 - i] - top_b);
    for (i in 1:length) {
      int from = max(low_a, low + i - m - low_b);
      int to = min(low_a + n - 1, low + i - 1 - low_b);
      out[i] = dot_product(segment(x, from - low_a + 1, to - from + 1),
                           segment(y, low_b + m - low - i + 1 + from, to - from + 1));
    }
    return log(out + 1e-300) + top_a + top_b;
  }
}
