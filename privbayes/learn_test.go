package privbayes_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	rows "github.com/privbayes/privbayes-go/privbayes/source"
)

// levelled is a table of rows over columns with the given levels, each copying the one before it most of the time.
func levelled(t testing.TB, rows int, levels ...int) *privbayes.Frame {
	t.Helper()
	s, columns := &frame.Schema{Dataset: "levelled"}, map[string]any{}
	for i, k := range levels {
		cats, name := make([]string, k), fmt.Sprint("c", i)
		for c := range cats {
			cats[c] = fmt.Sprint(c)
		}
		s.Columns = append(s.Columns, frame.Categorical(name, cats...))
		values := make([]int, rows)
		for r := range values {
			values[r] = (r*r + r*i/7) % k
			if i > 0 && r%4 > 0 {
				values[r] = columns[fmt.Sprint("c", i-1)].([]int)[r] % k
			}
		}
		columns[name] = values
	}
	f, err := frame.FromColumns(s, columns)
	return privbayes.WrapFrame(f, err)
}

// What cannot be learned is refused by a typed error before anything is charged, and names what is wrong.
func TestBadInputOfLearners(t *testing.T) {
	b := must.Get(privbayes.OpenBudget(filepath.Join(t.TempDir(), "levelled.budget"), levelled(t, 20, 2).Data().Schema(),
		privbayes.PureDP(10)))(t)
	ended, end := context.WithCancel(t.Context())
	end()
	geometric := privbayes.LearnedGeometric()
	for name, c := range map[string]struct {
		frame   *privbayes.Frame
		spec    model.LearnedModel
		mech    privbayes.Mechanism
		target  privbayes.Target
		options []privbayes.Option
		says    string
	}{
		"one column":        {frame: levelled(t, 20, 3), says: "one column"},
		"a constant column": {frame: levelled(t, 20, 2, 1, 2), says: `"c1"`},
		"5,000 levels":      {frame: levelled(t, 20, 5000, 5000), spec: privbayes.Tree(), says: "25000000 cells"},
		"5,000 levels, star": {frame: levelled(t, 20, 5000, 5, 5000), spec: privbayes.Tree().Star("c0"),
			says: "25000 cells"},
		"no rows":            {frame: levelled(t, 0, 2, 2), says: "at least one row"},
		"a missing star":     {frame: levelled(t, 20, 2, 2), spec: privbayes.Tree().Star("income"), says: `"income"`},
		"a missing column":   {frame: levelled(t, 20, 2, 2), spec: privbayes.Tree().Of("c0", "income"), says: `"income"`},
		"a missing class":    {frame: levelled(t, 20, 2, 2), spec: privbayes.Tree().Classifying("income"), says: `"income"`},
		"a column twice":     {frame: levelled(t, 20, 2, 2), spec: privbayes.Tree().Of("c0", "c0"), says: "twice"},
		"a cap for no table": {frame: levelled(t, 20, 2, 2), spec: privbayes.Tree().MaxCells(3), says: "4 cells"},
		"cliques of four":    {frame: levelled(t, 20, 2, 2), spec: privbayes.Cliques(4), says: "4 columns"},
		"a negative size":    {frame: levelled(t, 20, 2, 2), spec: privbayes.Tree().Size(-1), says: "Size(-1)"},
		"a workload of no column": {frame: levelled(t, 20, 2, 2), spec: privbayes.Tree().Workload(1, "income"),
			says: `"income"`},
		"a workload twice":      {frame: levelled(t, 20, 2, 2), spec: privbayes.Tree().Workload(1, "c0", "c0"), says: "twice"},
		"a workload of nothing": {frame: levelled(t, 20, 2, 2), spec: privbayes.Tree().Workload(1), says: "0 columns"},
		"no weight":             {frame: levelled(t, 20, 2, 2), spec: privbayes.Tree().Workload(0, "c0"), says: "weight 0"},
		"a weight too many": {frame: levelled(t, 20, 2, 2, 2), says: "weight 1002",
			spec: privbayes.Tree().Workload(1000, "c0").Workload(1, "c0", "c1")},
		"a workload of a star": {frame: levelled(t, 20, 2, 2), spec: privbayes.Tree().Star("c0").Workload(1, "c0"),
			says: "public star"},
		"a workload beyond the cap": {frame: levelled(t, 20, 2, 2, 60), spec: privbayes.Tree().MaxCells(8).Workload(1, "c2"),
			says: "MaxCells = 8"},
		"another mechanism": {frame: levelled(t, 20, 2, 2), mech: privbayes.KNorm(), says: "Geometric()"},
		"a post-processing": {frame: levelled(t, 20, 2, 2), mech: privbayes.Geometric().WithPostProcess(counts.Clamp),
			says: "WithPostProcess(counts.Clamp)"},
		"a post-processing of Gaussian noise": {frame: levelled(t, 20, 2, 2), target: privbayes.ZCDP(1),
			mech: privbayes.DiscreteGaussian().WithPostProcess("bent"), says: `WithPostProcess("bent")`},
		"consistent tables":    {frame: levelled(t, 20, 2, 2), mech: privbayes.Consistent(), says: "counts.Consistent"},
		"Gaussian and pure":    {frame: levelled(t, 20, 2, 2), mech: privbayes.LearnedGaussian(), says: "unbounded"},
		"replace-value":        {frame: levelled(t, 20, 2, 2), target: privbayes.PureDP(1).Under(dp.ReplaceValue), says: "replace-value"},
		"a nominal scale":      {frame: levelled(t, 20, 2, 2), target: privbayes.AsPublished(1), says: "nominal"},
		"an ε without sense":   {frame: levelled(t, 20, 2, 2), target: privbayes.PureDP(-1), says: "epsilon"},
		"an ε beyond samplers": {frame: levelled(t, 20, 2, 2), target: privbayes.PureDP(1e-10), says: "cannot meet"},
		"a context that ended": {frame: levelled(t, 20, 2, 2), options: []privbayes.Option{privbayes.WithContext(ended)},
			says: "canceled"},
	} {
		if c.mech == nil {
			c.mech = geometric
		}
		if c.target.Notion == "" {
			c.target = privbayes.PureDP(1)
		}
		if c.spec.Settings().Algorithm == "" {
			c.spec = privbayes.MaxEntropy()
		}
		_, err := c.frame.WithBudget(b).Learn(c.spec.Always()).Privatize(c.mech, c.target, c.options...).Release()
		var e *model.Error
		var column *frame.ColumnError
		var unsupported *mechanism.UnsupportedError
		var unmet *mechanism.UnmetTarget
		var parameter *dp.ParameterError
		if !errors.As(err, &e) && !errors.As(err, &column) && !errors.As(err, &unsupported) && !errors.As(err, &unmet) &&
			!errors.As(err, &parameter) && !errors.Is(err, context.Canceled) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(b.Charges()) != 0 {
		t.Errorf("charged: %v", b.Charges())
	}
}

// More columns than rows are released like any others, and so is a source.
func TestLearnersOfOddTables(t *testing.T) {
	wide := levelled(t, 5, 2, 2, 3, 2, 2, 2, 3)
	r, err := wide.Learn().Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	if err != nil || len(r.Structure().Edges) != 0 || !strings.Contains(r.Structure().Declined, "not expected to help") {
		t.Fatal(r, err)
	}
	away := privbayes.From(t.Context(), rows.OfFrame(levelled(t, 400, 2, 3, 2).Data()))
	if _, err := away.Learn(privbayes.Tree().Always()).Privatize(privbayes.Geometric(), privbayes.PureDP(4),
		privbayes.Seeded(1)).Release(); err != nil {
		t.Error(err)
	}
}

// Under add-remove the plan knows no n, and the same plan declines or learns by the size that it pays for.
func TestDecisionsUnderAddRemove(t *testing.T) {
	target := privbayes.ZCDP(.02).Under(privbayes.AddRemove)
	var plans [][]byte
	for rows, declines := range map[int]bool{5: true, 20000: false} {
		m := levelled(t, rows, 2, 3, 2).Learn(privbayes.Tree())
		p := must.Get(m.Plan(privbayes.DiscreteGaussian(), target))(t)
		b, _ := json.Marshal(p)
		plans = append(plans, b)
		r := must.Get(m.Privatize(privbayes.DiscreteGaussian(), target, privbayes.Seeded(5)).Release())(t)
		if s := r.Structure(); (s.Declined != "") != declines || declines != (len(s.Edges) == 0) {
			t.Errorf("%d rows: %s", rows, s)
		}
	}
	if !bytes.Equal(plans[0], plans[1]) {
		t.Error("an add-remove plan knows n")
	}
}

// A file is replayed: a choice that was not open, a table of another size or a round too many is refused; and a whole
// one verifies, classifies, answers and synthesises.
func TestFilesOfLearners(t *testing.T) {
	f := levelled(t, 3000, 2, 3, 2, 4)
	for i, spec := range []model.LearnedModel{privbayes.Tree(), privbayes.MaxEntropy(), privbayes.MaxEntropy().Always(),
		privbayes.Cliques(3).Always()} {
		if testing.Short() && i != 1 {
			continue
		}
		r := must.Get(f.Learn(spec.Classifying("c2")).Privatize(privbayes.Geometric(), privbayes.PureDP(6),
			privbayes.Seeded(2)).Release())(t)
		file := must.Get(r.JSON())(t)
		v, err := release.VerifyBytes(t.Context(), file)
		if err != nil || !v.OK() || !strings.Contains(v.String(), "cannot be seen") {
			t.Errorf("%s: %v, %v", spec, v, err)
		}
		again, err := release.Parse(t.Context(), file)
		if err != nil || again.Structure().String() != r.Structure().String() {
			t.Errorf("%s: %v", spec, err)
		}
		if p, err := r.Predict(f.Data()); err != nil || len(p) != 3000 || len(p[0]) != 2 {
			t.Errorf("%s: %v", spec, err)
		}
		if s, err := r.Synthesize(50, dp.Seeded(1)); err != nil || s.Len() != 50 {
			t.Errorf("%s: %v", spec, err)
		}
		if a, err := r.Answer("c0", "0", map[string]string{"c1": "1"}); err != nil || a == nil {
			t.Errorf("%s: %v", spec, err)
		}
		var tree map[string]any
		must.Do(t, json.Unmarshal(file, &tree))
		rounds := tree["draw"].(map[string]any)["rounds"].([]any)
		first := rounds[0].(map[string]any)
		chosen, counts := first["chosen"], first["counts"]
		if joint := strings.Contains(r.Plan().Setting("decision"), "joint"); joint != (chosen == nil) {
			t.Errorf("%s: %s, and chosen %v", spec, r.Plan().Setting("decision"), chosen)
		}
		for name, edit := range map[string]func(){
			"a pair that is none":     func() { first["chosen"] = []int{0, 9} },
			"a pair the other way":    func() { first["chosen"] = []int{1, 0} },
			"no choice":               func() { delete(first, "chosen") },
			"a table of another size": func() { first["counts"] = []int{1} },
			"a round too many":        func() { tree["draw"].(map[string]any)["rounds"] = append(rounds, first) },
		} {
			if name == "no choice" && chosen == nil { // the joint table is given
				continue
			}
			edit()
			b, _ := json.Marshal(tree)
			var refused *release.FileError
			if _, err := release.Parse(t.Context(), b); !errors.As(err, &refused) {
				t.Errorf("%s: %s: %v", spec, name, err)
			}
			first["chosen"], first["counts"], tree["draw"].(map[string]any)["rounds"] = chosen, counts, rounds
		}
	}
}

// A plan of a learner estimates what a draw takes before anything is charged.
func TestLearnersLookAtTheMemory(t *testing.T) {
	ctx := cert.WithMemoryLimit(t.Context(), 1<<16)
	var limit *cert.LimitError
	_, err := levelled(t, 50, 60, 60, 60).Learn(privbayes.MaxEntropy().Always()).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.WithContext(ctx)).Release()
	if !errors.As(err, &limit) {
		t.Error(err)
	}
}

var workloadOf = regexp.MustCompile(`(?s)("workload": \[.*?")c3`)

// A workload decides what is measured: pairs with its columns, the heavier the likelier; and a release with one
// verifies.
func TestWorkloads(t *testing.T) {
	f := levelled(t, 3000, 2, 3, 2, 4, 2)
	for i, spec := range []model.LearnedModel{privbayes.MaxEntropy(), privbayes.Tree(), privbayes.Cliques(3)} {
		if testing.Short() && i > 0 {
			continue
		}
		r := must.Get(f.Learn(spec.Always().Workload(2, "c3")).Privatize(privbayes.Geometric(), privbayes.PureDP(6),
			privbayes.Seeded(2)).Release())(t)
		for _, round := range r.Structure().Rounds {
			if !round.Stopped && !slices.Contains(round.Columns, "c3") {
				t.Errorf("%s: measured %v", spec, round.Columns)
			}
		}
		file := must.Get(r.JSON())(t)
		v, err := release.VerifyBytes(t.Context(), file)
		if err != nil || !v.OK() || !strings.Contains(r.Plan().Setting("workload"), "2 × (c3)") {
			t.Errorf("%s: %v, %v", spec, v, err)
		}
		edited := workloadOf.ReplaceAll(file, []byte("${1}c0"))
		var refused *release.FileError
		if _, err := release.Parse(t.Context(), edited); bytes.Equal(edited, file) || !errors.As(err, &refused) {
			t.Errorf("%s: a file of another workload is read", spec)
		}
	}
}

// Tables of 5,000 levels are refused by their cells before anything of that size is allocated, for data in memory and
// for a source.
func TestWideColumnsAreRefusedBeforeTheyAreAllocated(t *testing.T) {
	f := levelled(t, 20, 5000, 5000)
	read := privbayes.From(t.Context(), rows.OfFrame(f.Data()))
	for name, f := range map[string]*privbayes.Frame{"frame": f, "source": read} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := f.Learn().Privatize(privbayes.Geometric(), privbayes.PureDP(1)).Err()
		runtime.ReadMemStats(&after)
		var e *model.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), "25000000 cells") {
			t.Errorf("%s: %v", name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
			t.Errorf("%s: %d bytes", name, used)
		}
	}
}

// A context that ends while a release is drawn ends the draw; what was charged before it stays charged, once.
func TestLearnersStopWithTheirContext(t *testing.T) {
	b := must.Get(privbayes.OpenBudget(filepath.Join(t.TempDir(), "levelled.budget"), levelled(t, 20, 2).Data().Schema(),
		privbayes.PureDP(10)))(t)
	for i, spec := range []model.LearnedModel{privbayes.MaxEntropy(), privbayes.Tree(), privbayes.Cliques(3)} {
		ctx, end := context.WithCancel(t.Context())
		rounds := 0
		ctx = cert.WithProgress(ctx, func(done, total int64) {
			if total < 20 { // of the rounds; the steps of planning are many more
				rounds++
				end()
			}
		})
		err := levelled(t, 500, 2, 3, 2, 4).WithBudget(b).Learn(spec.Always()).Privatize(privbayes.Geometric(),
			privbayes.PureDP(1), privbayes.WithContext(ctx)).Err()
		end()
		if !errors.Is(err, context.Canceled) || rounds == 0 || len(b.Charges()) != i+1 {
			t.Errorf("%s: %v after %d rounds, %d charges", spec, err, rounds, len(b.Charges()))
		}
	}
}
