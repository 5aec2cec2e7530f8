// Package structure is the study of learned structures: how near synthetic tables come to the table that they were
// learned from, on the four tables on which the constants of the algorithm were chosen and on tables that were held
// out, and whether plans decide well whether to learn at all.
//
// [Releases] are drawn from seeds by the plans that ship (package mechanism/structure): where a plan declines, by one
// that always learns, and beside both by one that never does, which releases every column by itself.
//
// A synthetic table of as many rows as were estimated is dealt from the fitted network (bayesnet.Net.Deal) and scored
// against the training rows by the mean total variation of columns, pairs and triples, against held-out rows by
// log-likelihood and by a logistic regression trained on the synthetic rows, and, where a network made the rows, by its
// edges. [Committed] are the results of
//
//	go test ./papers/study/structure -run TestFull -write -timeout 0
//
// which needs Adult, Bank, Titanic and the networks of data.External. `make check` runs a small part live.
//
// Place: for papers' readers; no package of the library imports it.
package structure
