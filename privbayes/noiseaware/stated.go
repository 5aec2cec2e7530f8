package noiseaware

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/latent"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// NoisyTable is a table of noisy counts that somebody else published, with what is stated about its noise. Every record
// counts in exactly one cell, and all tables are of the same records.
type NoisyTable struct {
	Columns []string // nodes of the network
	Counts  []int64  // of all their levels, in the order of the nodes' states, the last column fastest
	Noise   StatedNoise
	Clamp   *Clamp // nil: as drawn, negative counts and all
	// Measured says which cells were measured, where not all: chosen without looking at the data. Cells that were
	// suppressed because their counts are small are not that, and their tables must be left out.
	Measured []bool
}

// Clamp says that counts below Low were published as Low, and those above High as High.
type Clamp struct{ Low, High int64 }

// Unbounded is the High of a Clamp from below only.
const Unbounded = math.MaxInt64

// StatedN is what is known about the number of records: PublicN or LatentN.
type StatedN struct {
	n      int64
	latent bool
}

// PublicN is an exact number of records, such as an invariant of the publication.
func PublicN(n int64) StatedN { return StatedN{n, false} }

// LatentN is an unknown number of records, with the flat prior on 0, 1, 2, …. Some table must bound it: one that was
// measured whole and has no count at the upper end of its Clamp.
func LatentN() StatedN { return StatedN{0, true} }

// FromNoisyCounts is the posterior of a network's tables given counts that were not made by this library. alpha 0 is
// for the default prior, that of shared rows (OfNetwork); above it alpha is the hyperparameter of every cell of
// independent rows, from 0.001; questions given what is rare may have no answer in floating point below 0.1, and say
// so. Nothing here is certified: the posterior is right if what is stated is true, and its
// caption says so. To state are
//
//   - the levels and the order of the cells; no cell may be absent for what it holds;
//   - that one record counts in one cell of every table, and that all tables are of the same records: bounded
//     contributions, samples and weights make other laws;
//   - the law and scale of the noise of each table, independent between cells and tables;
//   - exact numbers: only the number of records may be one;
//   - what was done to the counts: nothing, or Clamp. Counts that were made consistent or non-negative otherwise, or
//     rounded, have lost what is needed;
//   - and that tables, network and levels were chosen without these data. A choice by the data is not known here, and
//     intervals do not hold it.
//
// Errors: *dp.ParameterError naming table, column or cell, and *bayesnet.Error; *EvidenceError for counts that no
// records explain within the noise's reach; *WorkError, *NotConvergedError, the context's.
func FromNoisyCounts(ctx context.Context, network *bayesnet.DAG, alpha float64, tables []NoisyTable, n StatedN,
	options ...Option) (*NetworkPosterior, error) {
	s, err := stated(ctx, network, alpha, tables, n)
	if err != nil {
		return nil, err
	}
	for _, o := range options {
		o(&s)
	}
	return newNetwork(ctx, s)
}

func stated(ctx context.Context, network *bayesnet.DAG, alpha float64, tables []NoisyTable,
	n StatedN) (s setting, err error) {
	err = domain.Check("noiseaware", "FromNoisyCounts", domain.Arg("network", nil, network != nil, "a graph"),
		domain.Arg("alpha", alpha, alpha == 0 || alpha >= 1e-3 && alpha <= 1e9,
			"0.001 to 1e9, or 0 for shared rows"),
		domain.Arg("n", n.n, n.n >= 0 && n.n <= maxRecords, "0 to 2^45 records"),
		domain.Arg("tables", len(tables), len(tables) > 0, "at least one"))
	if err != nil {
		return s, err
	}
	const dataset = "counts as stated"
	s.shape, err = model.NewShape(model.SchemaOf(dataset, network), model.NetworkOf(network.Node(0).Name, network),
		int(n.n), !n.latent, "")
	if err != nil {
		return s, err
	}
	s.dag = s.shape.Graph()
	s.problem.Latent, s.problem.N = n.latent, n.n
	for v := range s.dag.Len() {
		s.problem.Levels = append(s.problem.Levels, s.dag.Arity(v))
		s.problem.Parents = append(s.problem.Parents, s.dag.Parents(v))
	}
	if s.uniform(alpha); alpha == 0 {
		s.uniform(1)
		s.problem.ShareRows()
	}
	var noisy []noisyTable
	var vars [][]int
	var estimates [][]float64
	total, whole := 0.0, 0
	for _, t := range tables {
		v, err := s.columns(t.Columns)
		if err != nil {
			return s, err
		}
		m, evidence, err := s.statedTable(t, v)
		if err != nil {
			return s, err
		}
		estimate := make([]float64, len(t.Counts))
		sum := 0.0
		for c, y := range t.Counts {
			if t.Measured == nil || t.Measured[c] {
				estimate[c] = math.Max(float64(y), 0)
				sum += float64(y)
			}
		}
		if t.bounds() {
			total, whole = total+sum, whole+1
		}
		vars, estimates, noisy = append(vars, v), append(estimates, estimate), append(noisy, evidence)
		s.problem.Tables = append(s.problem.Tables, m)
	}
	known := n.n
	if n.latent {
		if whole == 0 {
			return s, domain.Refuse("noiseaware", "n", "latent", "a public n, or a table that was measured whole and has no "+
				"count at the upper end of its clamp: nothing else says how many records there are at most")
		}
		s.problem.N, known = int64(math.Round(math.Min(math.Max(total/float64(whole), 0), maxRecords))), -1
	}
	if err := explained(ctx, s.dag, known, noisy); err != nil {
		return s, err
	}
	s.marginsOf(noisy)
	s.estimate = s.familyMargins(vars, estimates)
	s.naive = s.means(s.estimate)
	s.describe(tables, n)
	return s, nil
}

// bounds reports whether a table says how many records there are at most: every record is counted in a cell whose
// count is not cut from above. A cell at its upper end has a likelihood that does not fall with the records, and under
// the flat prior of n there is no posterior without a table that has none.
func (t *NoisyTable) bounds() bool {
	return !slices.Contains(t.Measured, false) && (t.Clamp == nil || !slices.Contains(t.Counts, t.Clamp.High))
}

// columns are the nodes of a table: *dp.ParameterError.
func (s *setting) columns(names []string) (out []int, err error) {
	if len(names) == 0 {
		return nil, domain.Refuse("noiseaware", "columns of a table", "none", "at least one")
	}
	for _, name := range names {
		v, ok := s.dag.Index(name)
		if !ok {
			var all []string
			for i := range s.dag.Len() {
				all = append(all, s.dag.Node(i).Name)
			}
			return nil, domain.Refuse("noiseaware", "column of a table", safetext.Short(name), oneOf(all))
		}
		if slices.Contains(out, v) {
			return nil, domain.Refuse("noiseaware", "column of a table", safetext.Short(name)+" twice", "each once")
		}
		out = append(out, v)
	}
	return out, nil
}

// statedTable makes the terms of a table, and what its counts say about whether they can be.
func (s *setting) statedTable(t NoisyTable, vars []int) (m latent.Table, evidence noisyTable, err error) {
	name := safetext.Short(strings.Join(t.Columns, " × "))
	cells := 1.0
	for _, v := range vars {
		cells *= float64(s.dag.Arity(v))
	}
	refuse := func(what string, value any, want string) error {
		return domain.Refuse("noiseaware", what+" of table "+name, value, want)
	}
	switch {
	case float64(len(t.Counts)) != cells:
		return m, evidence, refuse("counts", len(t.Counts), fmt.Sprintf("%.0f, one for every combination of levels", cells))
	case t.Noise.err != nil:
		return m, evidence, t.Noise.err
	case t.Noise.mass == nil:
		return m, evidence, refuse("noise", "not stated", "StatedGeometric, StatedGaussian, StatedLaplace or Stated")
	case t.Measured != nil && len(t.Measured) != len(t.Counts):
		return m, evidence, refuse("measured cells", len(t.Measured), fmt.Sprintf("%d, one for every count, or nil",
			len(t.Counts)))
	case t.Clamp != nil && t.Clamp.Low >= t.Clamp.High:
		return m, evidence, refuse("clamp", fmt.Sprintf("%d to %d", t.Clamp.Low, t.Clamp.High),
			"a lower end below the upper one")
	}
	m = latent.Table{Vars: vars, Cells: make([]latent.Term, len(t.Counts)), Spread: t.Noise.sd}
	evidence = noisyTable{name: strings.Join(t.Columns, " × "), law: t.Noise, y: t.Counts,
		columns: t.Columns}
	if t.Measured != nil || t.Clamp != nil {
		evidence.ends = make([]end, len(t.Counts))
	}
	plain := termsOf(t.Noise)
	for c, y := range t.Counts {
		if t.Measured != nil && !t.Measured[c] {
			evidence.ends[c] = silenced
			continue
		}
		switch k := t.Clamp; {
		case y < -maxRecords || y > maxRecords:
			return m, evidence, refuse("count", y, "−2^45 to 2^45")
		case k != nil && (y < k.Low || y > k.High):
			return m, evidence, refuse("count", y, fmt.Sprintf("%d to %d, where it is said to be clamped", k.Low, k.High))
		case k != nil && y == k.Low:
			m.Cells[c], evidence.ends[c] = t.Noise.atLow(y), atLow
		case k != nil && y == k.High:
			m.Cells[c], evidence.ends[c] = t.Noise.atHigh(y), atHigh
		default:
			m.Cells[c] = plain(y)
		}
	}
	return m, evidence, nil
}

// describe sets captions and the seed, a function of what was stated.
func (s *setting) describe(tables []NoisyTable, n StatedN) {
	var laws []string
	for _, t := range tables {
		words := t.Noise.words
		if t.Clamp != nil {
			words += ", clamped"
		}
		if !slices.Contains(laws, words) {
			laws = append(laws, words)
		}
	}
	records := fmt.Sprintf("n = %d", n.n)
	if n.latent {
		records = "n latent"
	}
	s.title = fmt.Sprintf("Posterior given noisy counts of %d nodes", s.dag.Len())
	s.sources = "Noise as stated, not certified: " + strings.Join(laws, "; ")
	s.caption, s.limit = s.sources+"; "+records, moveLimit
	h := sha256.New()
	graph, _ := s.dag.MarshalJSON()
	fmt.Fprintf(h, "stated\n%s\n%v\n%v\n", graph, s.problem.Alpha, n)
	for _, t := range tables {
		columns, _ := json.Marshal(t.Columns)
		fmt.Fprintf(h, "%s %v %s %v %v\n", columns, t.Counts, t.Noise.words, t.Clamp, t.Measured)
	}
	s.seed = [32]byte(h.Sum(nil))
}

// StatedNoise is the distribution of integer noise on the counts of a foreign table, as its publisher states it. Values
// come from [StatedGeometric], [StatedGaussian], [StatedLaplace] and [Stated].
type StatedNoise struct {
	words string
	err   error
	sd    float64
	form  noise.Form
	// log P(Z = d), up to a constant where there is a form; below is log P(Z ≤ d)
	mass, below func(d int64) float64
}

// LogProb is log P(Z = d).
func (z StatedNoise) LogProb(d int64) float64 { return z.mass(d) }

// LogTail is log P(Z ≥ d), by symmetry.
func (z StatedNoise) LogTail(d int64) float64 { return z.below(-d) }

// Variance is that of the noise.
func (z StatedNoise) Variance() float64 { return z.sd * z.sd }

// Unit is one: counts are of records.
func (z StatedNoise) Unit() int64 { return 1 }

// Form is its closed form, if it has one.
func (z StatedNoise) Form() noise.Form { return z.form }

// Stated is any noise distribution on whole records, in the words of the publisher.
func Stated(d noise.Probabilities, words string) StatedNoise {
	z := StatedNoise{words: words}
	if d == nil || d.Unit() != 1 || !(d.Variance() > 0) || math.IsInf(d.Variance(), 1) {
		z.err = domain.Refuse("noiseaware", "noise", words, "a distribution in records with a variance above 0")
		return z
	}
	z.sd, z.form, z.mass = math.Sqrt(d.Variance()), noise.FormOf(d), d.LogProb
	z.below = func(x int64) float64 { return d.LogTail(-x) }
	return z
}

// leastMoved: noise of a law so narrow that it is 0 but for a chance below 1e-17 is no noise.
const leastMoved = 80.0

// StatedGeometric is two-sided geometric (discrete Laplace) noise, P(Z = z) ∝ e^{−rate·|z|}: of scale 1/rate. rate is
// from 1e-6 to 40.
func StatedGeometric(rate float64) StatedNoise {
	z := StatedNoise{words: fmt.Sprintf("two-sided geometric noise of rate %.6g", rate)}
	if !(rate >= 1e-6 && rate <= leastMoved/2) {
		z.err = domain.Refuse("noiseaware", "rate of geometric noise", rate, "1e-6 to 40; counts without noise are not taken")
		return z
	}
	z.form = noise.Form{Rate: rate}
	z.sd = noise.SD(z)
	lead := math.Log1p(math.Exp(-rate)) // ln(1 + q)
	z.mass = func(d int64) float64 { return -rate*math.Abs(float64(d)) + math.Log(-math.Expm1(-rate)) - lead }
	z.below = func(d int64) float64 {
		if d <= 0 {
			return rate*float64(d) - lead
		}
		return math.Log1p(-math.Exp(-rate*float64(d+1) - lead))
	}
	return z
}

// StatedGaussian is discrete Gaussian noise, P(Z = z) ∝ e^{−z²/(2σ²)}: sigma2 is σ², which is its variance but for a
// hair unless it is below 1. From 1/80 to 1e8.
func StatedGaussian(sigma2 float64) StatedNoise {
	z := StatedNoise{words: fmt.Sprintf("discrete Gaussian noise of σ² = %.6g", sigma2)}
	if !(sigma2 >= 1/leastMoved && sigma2 <= 1e8) {
		z.err = domain.Refuse("noiseaware", "σ² of Gaussian noise", sigma2, "1/80 to 1e8; counts without noise are not taken")
		return z
	}
	z.form = noise.Form{Sigma2: sigma2}
	z.sd = math.Sqrt(sigma2)
	t := newGaussianTails(sigma2)
	z.mass, z.below = t.mass, t.below
	return z
}

// StatedLaplace is Laplace noise of scale b, added to an integer and rounded to the nearest one:
//
//	P(Z = 0) = 1 − e^{−1/(2b)},  P(Z = k) = e^{−|k|/b}·sinh(1/(2b)).
//
// It is not geometric noise of rate 1/b: at b = 1, P(Z = 0) is 0.393 and not 0.462. b is from 1/80 to 1e6.
func StatedLaplace(b float64) StatedNoise {
	z := StatedNoise{words: fmt.Sprintf("rounded Laplace noise of scale %.6g", b)}
	if !(b >= 1/leastMoved && b <= 1e6) {
		z.err = domain.Refuse("noiseaware", "scale of Laplace noise", b, "1/80 to 1e6; counts without noise are not taken")
		return z
	}
	z.sd = math.Max(math.Sqrt2*b, .5)
	h := 1 / (2 * b)
	zero, lead := math.Log(-math.Expm1(-h)), h+math.Log(-math.Expm1(-2*h))-math.Ln2 // ln sinh h
	z.mass = func(d int64) float64 {
		if d == 0 {
			return zero
		}
		return lead - math.Abs(float64(d))/b
	}
	z.below = func(d int64) float64 { // P(L ≤ d + ½)
		if x := (float64(d) + .5) / b; x < 0 {
			return x - math.Ln2
		} else {
			return math.Log1p(-math.Exp(-x) / 2)
		}
	}
	return z
}

// atLow is the term of a count cut to its lower bound y, P(f + Z ≤ y), and atHigh of one cut to the upper one.
func (z StatedNoise) atLow(y int64) latent.Term { return latent.OfLaw(y, 1, z.below) }

func (z StatedNoise) atHigh(y int64) latent.Term {
	return latent.OfLaw(y, 1, func(d int64) float64 { return z.below(-d) }) // P(Z ≥ d), by symmetry
}

// gaussianTails are logarithms of the discrete Gaussian law and of its distribution function.
type gaussianTails struct {
	sigma2 float64
	norm   float64
	width  int64
	log    []float64 // ln P(Z ≤ d), d from −width to width
}

func newGaussianTails(sigma2 float64) *gaussianTails {
	t := &gaussianTails{sigma2: sigma2, width: int64(math.Ceil(20*math.Sqrt(sigma2))) + 3}
	sum, below := 0.0, make([]float64, 2*t.width+1)
	for i := range below {
		d := float64(int64(i) - t.width)
		sum += math.Exp(-d * d / (2 * sigma2))
		below[i] = sum
	}
	t.norm = math.Log(sum)
	for i, s := range below {
		switch d := int64(i) - t.width; {
		case d <= 0:
			below[i] = math.Log(s) - t.norm
		default: // 1 − P(Z ≤ −d − 1)
			below[i] = 0
			if j := t.width - d - 1; j >= 0 {
				below[i] = math.Log1p(-math.Exp(below[j]))
			}
		}
	}
	t.log = below
	return t
}

func (t *gaussianTails) mass(d int64) float64 {
	return -float64(d)*float64(d)/(2*t.sigma2) - t.norm
}

// below is ln P(Z ≤ d). Below the table, where it is under −200, it is the sum P(d)·(1 + r + r² + …), r = P(d−1)/P(d):
// larger than the truth by at most a part in 400.
func (t *gaussianTails) below(d int64) float64 {
	switch {
	case d > t.width:
		return 0
	case d >= -t.width:
		return t.log[d+t.width]
	}
	return t.mass(d) - math.Log(-math.Expm1((2*float64(d)-1)/(2*t.sigma2)))
}
