package model

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/formula"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Term names coefficients of a regression: one of them, as Coefficients shows it; all of a column, those of the levels
// of a factor; or those of terms in the language of formulas, such as "school:sex", "poly(age, 2)" or "age + I(age^2)".
type Term string

// TermDraws are the draws of the coefficients of a term, in the units of the data, as CoefficientDraws has them; shared
// names the other terms that hold a column of these: coefficients of a term are at 0, or at the reference level, of
// what such another one multiplies it by. Errors: *Error for other models and for a term that the model does not have,
// *formula.Error for a text that is none.
func (f *Fitted) TermDraws(t Term) (d *Draws, shared []string, err error) {
	all, err := f.CoefficientDraws()
	if err != nil {
		return nil, nil, err
	}
	keys, terms := f.shape.termsOf(all.Names)
	chosen := make([]bool, len(all.Names))
	if i := slices.Index(all.Names, string(t)); i >= 0 && !slices.Contains(keys, formula.ColumnKey(string(t))) {
		chosen[i] = true
	} else {
		wanted := []string{formula.ColumnKey(string(t))}
		if !slices.Contains(keys, wanted[0]) {
			if wanted, err = formula.TermKeys(string(t)); err != nil {
				return nil, nil, err
			}
		}
		for _, key := range wanted {
			if !slices.Contains(keys, key) {
				return nil, nil, wrong(f.shape.model, "", "no term "+safetext.Quote(string(t)),
					safetext.OneOf(string(t), unique(append(terms, all.Names...))))
			}
		}
		for i, key := range keys {
			chosen[i] = slices.Contains(wanted, key)
		}
	}
	d = &Draws{Values: make([][]float64, all.Len())}
	var columns []string
	for i, name := range all.Names {
		if !chosen[i] {
			continue
		}
		d.Names, columns = append(d.Names, name), append(columns, formula.KeyColumns(keys[i])...)
		for k, v := range all.Values {
			d.Values[k] = append(d.Values[k], v[i])
		}
	}
	for i, key := range keys {
		if !chosen[i] && !slices.Contains(shared, terms[i]) && slices.ContainsFunc(formula.KeyColumns(key),
			func(c string) bool { return slices.Contains(columns, c) }) {
			shared = append(shared, terms[i])
		}
	}
	return d, shared, nil
}

// unique are names without repetitions, in their order.
func unique(names []string) (out []string) {
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// termsOf are the key and the name of the term of every coefficient.
func (s *Shape) termsOf(names []string) (keys, terms []string) {
	keys, terms = make([]string, len(names)), slices.Clone(names)
	if f := s.linear.Formula; f != nil {
		for i, name := range names {
			if c := slices.Index(f.Names, name); c >= 0 {
				keys[i], terms[i] = f.Keys[f.Of[c]], f.Terms[f.Of[c]]
			}
		}
		return keys, terms
	}
	for i, c := range s.coordinates() { // the intercept stands before them
		name := s.columns[c.column].Name
		keys[i+1], terms[i+1] = formula.ColumnKey(name), name
	}
	return keys, terms
}

// Positive is the posterior probability that parameter i is positive, (N·P + ½)/(N + 1) of a share P of N draws; draws
// of 0 count half.
func (d *Draws) Positive(i int) float64 {
	above := .5
	for _, v := range d.Values {
		switch {
		case v[i] > 0:
			above++
		case v[i] == 0:
			above += .5
		}
	}
	return above / float64(d.Len()+1)
}

// Joint is the statistic mᵀC⁻¹m of the mean m and the covariance C of the draws of k parameters, and its p: the
// probability that a χ² of k degrees exceeds it. Errors: *dp.ParameterError for draws that do not tell k parameters
// apart, such as one draw.
func (d *Draws) Joint() (statistic, p float64, err error) {
	k := len(d.Names)
	mean, cov := moments(d.Values)
	z, correlation := mat.NewVecDense(k, nil), mat.NewSymDense(k, nil)
	for i := range k {
		z.SetVec(i, mean[i]/math.Sqrt(cov[i][i]))
		for j := range i + 1 {
			correlation.SetSym(i, j, cov[i][j]/math.Sqrt(cov[i][i]*cov[j][j]))
		}
	}
	var chol mat.Cholesky
	var solved mat.VecDense
	if !chol.Factorize(correlation) || chol.SolveVecTo(&solved, z) != nil {
		return 0, 0, domain.Refuse("model: joint test", "draws", d.Len(),
			"draws that tell all coefficients of the term apart")
	}
	statistic = mat.Dot(z, &solved)
	return statistic, mathext.GammaIncRegComp(float64(k)/2, statistic/2), nil
}
