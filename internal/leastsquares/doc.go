// Package leastsquares holds the numbers behind private Bayesian linear regression (theory/networks.md §5): what one
// record moves in the log-ratio of two posteriors, a search that tries to exceed it, the scaling of a design into the
// unit ball by public bounds, and its second moments.
//
// The model: records (x, y) with ‖x‖₂ ≤ 1 and |y| ≤ 1, loss (y − w·x)²/(2σ²), weights ‖w‖₂ ≤ B, any prior.
//
// Place: for mechanism/linear, and for package model, which scales rows by it.
package leastsquares
