package counts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/parity"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// spectrumOf is the harmonic analysis of a shape's tables. A table must list its variables in one order for all tables,
// which those of a network's maximal families and of naive Bayes do: *mechanism.UnsupportedError otherwise.
func spectrumOf(ctx context.Context, sh *model.Shape) (*parity.Spectrum, error) {
	number, arities := map[string]int{}, []int{}
	if d := sh.Graph(); d != nil {
		for i := range d.Len() {
			number[d.Node(i).Name] = i
			arities = append(arities, d.Arity(i))
		}
	} else {
		for i, c := range sh.Columns() {
			number[c.Name] = i
			arities = append(arities, c.Levels())
		}
	}
	var families [][]int
	for _, t := range sh.Tables() {
		var f []int
		for _, c := range t.Columns {
			f = append(f, number[c])
		}
		families = append(families, f)
	}
	s, err := parity.WatchedSpectrum(watch(ctx), arities, families)
	if err := tooLarge(err); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, mechanism.Unsupported(fmt.Sprintf("these tables (%v)", err),
			"a network without WithEveryFamily, or Geometric()")
	}
	return s, nil
}

// maxSteps bounds the arithmetic on one spectrum: minutes.
const maxSteps = 1e11

// watch keeps the work on a spectrum within the limits of a context.
func watch(ctx context.Context) parity.Watch {
	return parity.Watch{Step: cert.NewProgress(ctx, maxSteps).Step, Bytes: float64(cert.MemoryLimit(ctx)), Steps: maxSteps}
}

// tooLarge is the error of a spectrum beyond a limit or a context that has ended; nil for others.
func tooLarge(err error) error {
	var size *parity.SizeError
	switch {
	case errors.As(err, &size):
		use := "use Geometric(), which needs no spectrum"
		if strings.HasPrefix(size.What, "bytes") {
			use = "raise it with cert.WithMemoryLimit, or " + use
		}
		what, unit := "the spectrum of these tables", size.What
		if u, of, ok := strings.Cut(size.What, " of "); ok && (u == "bytes" || u == "steps") {
			what, unit = of, u
		}
		return &cert.LimitError{What: what, Figure: size.Count, Unit: unit, Limit: size.Limit, Use: use}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return nil
}

// consistency is the least-squares post-processing of one shape, with the noise levels it was chosen by.
type consistency struct {
	spectrum *parity.Spectrum
	// Root mean square standard deviations of a cell over all families of the model, per unit of noise, data-free: from
	// projected tables, and from margins of the noisy tables as they are.
	projected, margins float64
}

// newConsistency prepares the projection of a shape whose n is public.
func newConsistency(ctx context.Context, sh *model.Shape) (*consistency, error) {
	if _, public := sh.N(); !public {
		return nil, mechanism.Unsupported("the consistent post-processing under a private n",
			"replace-one adjacency, or the posterior mean")
	}
	s, err := spectrumOf(ctx, sh)
	if err != nil {
		return nil, err
	}
	progress := cert.NewProgress(ctx, maxSteps)
	c := &consistency{spectrum: s.Watched(parity.Watch{})}
	arities, cells := s.Arities(), 0.0
	for _, set := range familySets(sh, s) {
		if err := progress.Step(s.Len()); err != nil {
			return nil, err
		}
		v, err := s.MarginVariance(set, nil)
		if err != nil {
			return nil, err
		}
		size, precision := 1.0, 0.0
		for _, x := range set {
			size *= float64(arities[x])
		}
		for _, f := range s.Containing(set) {
			if err := progress.Step(16 + len(set)); err != nil {
				return nil, err
			}
			if raw, err := s.RawVariance(f, set); err == nil { // the families that hold the set
				precision += 1 / raw
			}
		}
		cells += size
		c.projected += size * v
		c.margins += size / precision
	}
	c.projected, c.margins = math.Sqrt(c.projected/cells), math.Sqrt(c.margins/cells)
	return c, nil
}

// familySets lists every family of a network as a set, or the tables of another model.
func familySets(sh *model.Shape, s *parity.Spectrum) [][]int {
	d := sh.Graph()
	if d == nil {
		return s.Families()
	}
	var out [][]int
	for i := range d.Len() {
		set := slices.Clone(d.Family(i))
		slices.Sort(set)
		out = append(out, set)
	}
	return out
}

// FamilyNoiseName names the expectation that releases of networks are compared by.
const FamilyNoiseName = "standard deviation of a family's cell"

// familyNoise predicts the root mean square noise of a cell over all families of a network, from tables whose cells
// have noise of the given standard deviation: after projecting, or as margins. ok is false for other models.
func familyNoise(ctx context.Context, sh *model.Shape, project bool,
	sd float64) (e mechanism.Expectation, ok bool, err error) {
	if _, public := sh.N(); sh.Graph() == nil || !public {
		return e, false, nil
	}
	e = mechanism.Expectation{Name: FamilyNoiseName, Value: sd, Unit: "records", How: "closed form, root mean " +
		"square, before cutting"}
	if m, ok := sh.Model().(model.NetworkModel); ok && m.EveryFamily() { // every family has a table of its own
		return e, true, nil
	}
	c, err := newConsistency(ctx, sh)
	if err != nil {
		if tooLarge(err) == nil && !errors.As(err, new(*cert.LimitError)) {
			err = nil // no spectrum, no prediction
		}
		return e, false, err
	}
	if project && c.better() {
		e.Value *= c.projected
	} else {
		e.Value *= c.margins
	}
	return e, true, nil
}

// better reports whether projecting lowers the noise of this model's families.
func (c *consistency) better() bool { return c.projected <= c.margins }

// setting says what was chosen and why.
func (c *consistency) setting(sd float64) mechanism.Setting {
	words := "least squares"
	if !c.better() {
		words = "margins as they are, which are less noisy here"
	}
	return mechanism.Setting{Name: "consistency", Value: fmt.Sprintf("%s; root mean square noise of a family's cell: "+
		"%.4g projected, %.4g from margins", words, sd*c.projected, sd*c.margins)}
}

// estimate projects noisy tables on the consistent ones of n records and cuts negative cells, in place of which
// consistency is lost.
func (c *consistency) estimate(noisy [][]float64, n float64) ([][]float64, error) {
	full := make([][]float64, len(noisy))
	for t, cells := range c.spectrum.Cells() {
		full[t] = noisy[t]
		if len(noisy[t]) == 1 && cells == 2 {
			full[t] = []float64{noisy[t][0], n - noisy[t][0]}
		}
	}
	out := full
	if c.better() {
		var err error
		if out, err = c.spectrum.Project(full, nil, n); err != nil {
			return nil, err
		}
	}
	for t := range out {
		out[t] = append([]float64(nil), out[t]...)
		for i, v := range out[t] {
			out[t][i] = math.Min(math.Max(v, 0), n)
		}
	}
	return out, nil
}
