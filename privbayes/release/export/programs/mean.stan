data {
  real y;
  real n;
  real steps;
  real low;
  real high;
  real log_p0;
  real rate;
  real precision;
}
parameters {
  real<lower=low, upper=high> mu; // the mean of the rows
}
model {
  // ---- The prior: another one may take its place. The sum of the rows is flat on what is possible.
  mu ~ uniform(low, high);
  // ---- End of the prior.
  {
    // the sum of the rows, in steps of the noise, above the sum of n least values
    real z = y - n * steps * (mu - low) / (high - low);
    target += log_p0 - rate * sqrt(square(z)) - precision * square(z) / 2;
  }
}
