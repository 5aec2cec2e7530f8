// Package structure is the study of learned structures: how near synthetic tables come to the table that they were
// learned from, by the rounds of theory/structure.md §8, on the four tables on which their constants were chosen and on
// tables that were held out.
//
// [Loop] is the algorithm with its constants to be varied: noisy tables of all columns, then rounds in which the pair
// that is worst described is chosen and measured, each followed by a fit of maximum entropy (internal/maxent). Noise is
// exact; selections are drawn in floating point, since these are trials on public tables and no releases. Package
// mechanism/structure releases the same rounds with exact selections and certificates.
//
// A synthetic table of as many rows as were estimated is dealt from the fitted network (bayesnet.Net.Deal) and scored
// against the training rows by the mean total variation of columns, pairs and triples, against held-out rows by
// log-likelihood and by a logistic regression trained on the synthetic rows, and, where a network made the rows, by its
// edges. [Committed] are the results of
//
//	go test ./papers/study/structure -run TestFull -write -timeout 0
//
// which needs Adult, Bank, Titanic and the networks of data.External. `make test` runs a small part live.
//
// Place: for papers' readers; no package of the library imports it.
package structure
