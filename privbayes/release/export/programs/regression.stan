parameters {
  vector[COLUMNS] w; // weights of the scaled rows, the intercept's first
  real<lower=0, upper=1> sigma; // residual standard deviation, in halves of the response's range
  vector<lower=-1, upper=1>[COLUMNS - 1] means; // of the columns, which lie in [-1, 1]
  vector<lower=0, upper=1>[COLUMNS - 1] spreads;
  cholesky_factor_corr[COLUMNS - 1] correlations;
}
transformed parameters {
  vector[COLUMNS - 1] sd_x = spreads .* sqrt(1 - square(means)); // a column's mean square is 1 at most
}
model {
  // ---- The prior: another one may take its place.
  w ~ normal(0, weight_sd);
  correlations ~ lkj_corr_cholesky(1);
  {
    // spreads are half-normal(theta) on (0, 1), theta on 16 values
    vector[16] half_normal;
    for (g in 1:16) {
      real theta = 0.05 * pow(20, (g - 1) / 15.0);
      half_normal[g] = -dot_self(sd_x) / (2 * square(theta)) - (COLUMNS - 1) * log(theta * erf(1 / (theta * sqrt(2.0))));
    }
    target += log_sum_exp(half_normal) + 0.5 * sum(log1m(square(means)));
  }
  // ---- End of the prior.
  {
    vector[COLUMNS] ones = append_row(1, means);
    matrix[COLUMNS, COLUMNS] s = ones * ones'; // X'X of the scaled rows
    matrix[COLUMNS + 1, COLUMNS] g;
    matrix[COLUMNS + 1, COLUMNS + 1] v;
    vector[COLUMNS + 1] expected;
    int k = 0;
    s[2:COLUMNS, 2:COLUMNS] = s[2:COLUMNS, 2:COLUMNS]
                              + multiply_lower_tri_self_transpose(diag_pre_multiply(sd_x, correlations));
    s = s * n / scale;
    for (i in 1:COLUMNS) for (j in i:COLUMNS) if (j > 1) {
      k += 1;
      xx[k] ~ normal(s[i, j], sqrt(noise_xx[k]));
    }
    // X'y and y'y: normal given X'X, the noise on top
    g = append_row(diag_matrix(rep_vector(1, COLUMNS)), 2 * w');
    v = square(sigma) * g * s * g';
    for (i in 1:COLUMNS) v[i, i] = v[i, i] + noise_xy;
    v[COLUMNS + 1, COLUMNS + 1] = v[COLUMNS + 1, COLUMNS + 1] + noise_y + 2 * n * pow(sigma, 4);
    expected = append_row(s * w, dot_product(w, s * w) + n * square(sigma));
    append_row(xy, yy) ~ multi_normal(expected, 0.5 * (v + v'));
  }
}
generated quantities {
  vector[rows(offset)] coefficients = offset + units * w;
  real residual_sd = half_range * sigma;
}
