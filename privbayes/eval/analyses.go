package eval

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Reading is how well releases at one ε predict when they are read as they are, and when their noise is taken into
// account: means over splits.
type Reading struct {
	Epsilon                         float64
	NaiveAccuracy, Accuracy         float64
	NaiveCrossEntropy, CrossEntropy float64 // nats a row
}

// Readings compares the predictions of releases read in both ways. Private: do not publish.
type Readings struct {
	Splits int
	Rows   []Reading
	what   string
	open   public
}

// CompareAnalyses draws, at every ε and with the seeds 0, 1, …, splits−1, a release and scores it on held-out rows: by
// its own predictions and by the noise-aware ones. The rows are read in the clear. Errors: *dp.ParameterError, those of
// draw, of noiseaware.Of and of the test rows.
func CompareAnalyses(epsilons []float64, splits int, draw func(epsilon float64, seed uint64) (*release.Release,
	*frame.Frame, error)) (*Readings, error) {
	if len(epsilons) == 0 {
		return nil, domain.Refuse("eval", "values of ε", 0, "at least one")
	}
	if splits < 1 {
		return nil, domain.Refuse("eval", "splits", splits, "at least 1")
	}
	out := &Readings{Splits: splits}
	for _, eps := range epsilons {
		row, each := Reading{Epsilon: eps}, 1/float64(splits)
		for seed := range uint64(splits) {
			r, test, err := draw(eps, seed)
			if err != nil {
				return nil, err
			}
			naive, aware, err := readings(r, test)
			if err != nil {
				return nil, err
			}
			row.NaiveAccuracy += naive.Accuracy * each
			row.Accuracy += aware.Accuracy * each
			row.NaiveCrossEntropy += naive.CrossEntropy * each
			row.CrossEntropy += aware.CrossEntropy * each
			if out.what = settingOf(r); seed == 0 && len(out.Rows) == 0 {
				out.open = ofRows(test)
			}
			out.open = out.open.and(ofRows(test))
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// readings scores one release in both ways.
func readings(r *release.Release, test *frame.Frame) (naive, aware *Scores, err error) {
	p, err := noiseaware.Of(r)
	if err != nil {
		return nil, nil, err
	}
	labels, err := r.Model().Labels(test)
	if err != nil {
		return nil, nil, err
	}
	for _, of := range []struct {
		predict func(*frame.Frame) ([][]float64, error)
		into    **Scores
	}{{r.Predict, &naive}, {p.Predict, &aware}} {
		probs, err := of.predict(test)
		if err != nil {
			return nil, nil, err
		}
		if *of.into, err = Score(probs, labels, r.Model().Target().Labels); err != nil {
			return nil, nil, err
		}
	}
	return naive, aware, nil
}

// settingOf is what holds for the releases at every ε.
func settingOf(r *release.Release) string {
	sh := r.Plan().Shape()
	n := "n private"
	if k, public := sh.N(); public {
		n = fmt.Sprintf("n = %d", k)
	}
	return fmt.Sprintf("%s, %s, %s. %s", sh.Model(), safetext.Quote(sh.Schema().Dataset), n, r.Terms())
}

func (r *Readings) setting() string {
	return fmt.Sprintf("%s. Held-out rows in the clear, mean of %s", r.what, table.Count(r.Splits, "split"))
}

// Table has a row for every ε.
func (r *Readings) Table() *table.Table {
	t := table.New(r.open.title("Predictions with and without the noise"), "ε",
		"accuracy, noise-aware", "cross-entropy, noise-aware", "accuracy, noise ignored", "cross-entropy, noise ignored")
	for _, x := range r.Rows {
		t.Add(x.Epsilon, x.Accuracy, x.CrossEntropy, x.NaiveAccuracy, x.NaiveCrossEntropy)
	}
	return t.Note(r.setting()).Note("Cross-entropy in nats a row.")
}

// Figure draws the cross-entropy of both readings against ε.
func (r *Readings) Figure() *figure.Figure {
	naive, aware := figure.Series{Name: "noise ignored", Dashed: true}, figure.Series{Name: "noise-aware"}
	for _, x := range r.Rows {
		naive.X, naive.Y = append(naive.X, x.Epsilon), append(naive.Y, x.NaiveCrossEntropy)
		aware.X, aware.Y = append(aware.X, x.Epsilon), append(aware.Y, x.CrossEntropy)
	}
	return &figure.Figure{Title: "Predictions with and without the noise", XLabel: "ε",
		YLabel: "cross-entropy, nats a row", LogX: true, Private: r.open == "", Caption: r.open.caption(r.setting()),
		Series: []figure.Series{aware, naive}}
}

// String is the table as text.
func (r *Readings) String() string { return table.Text(r) }

// PairErrors says how far the tables of every two columns of a released network are from those of rows: the total
// variation ½‖p − q‖₁ between shares in the rows and released probabilities. Private: do not publish.
type PairErrors struct {
	Columns  []string
	Released [][]float64 // by two columns, symmetric; 0 on the diagonal
	Apart    [][]float64 // the same, if the released columns were independent of one another: what its edges are worth
	together [][]float64 // ½‖p − p_a·p_b‖₁ of two columns, of the released probabilities alone: how dependent they are
	net      *bayesnet.Net
	shares   [][]float64 // one-way, in the rows
	margins  [][]float64 // one-way, released
	caption  string
	open     public
}

// ComparePairs puts the pairs of columns of a released network beside those of rows, which are read in the clear.
// Errors: *dp.ParameterError for a release that is no network, or no rows; those of counting the columns and of
// bayesnet.Net.Query, the context's.
func ComparePairs(ctx context.Context, r *release.Release, rows *frame.Frame) (*PairErrors, error) {
	if r == nil || rows == nil || rows.Len() == 0 {
		return nil, domain.Refuse("eval", "release and rows", "one is missing, or has no rows", "a release and rows")
	}
	net := r.Model().Network()
	if net == nil {
		return nil, domain.Refuse("eval", "model", r.Plan().Shape().Model().String(), "a network, given or learned")
	}
	out := &PairErrors{net: net, open: ofRows(rows), caption: r.Caption() + "; compared with " +
		safetext.Quote(rows.Schema().Dataset) + ", " +
		table.Count(rows.Len(), "row")}
	net = net.WithContext(ctx)
	d := net.DAG().Len()
	for i := range d {
		out.Columns = append(out.Columns, net.DAG().Node(i).Name)
		out.Released, out.Apart = append(out.Released, make([]float64, d)), append(out.Apart, make([]float64, d))
		out.together = append(out.together, make([]float64, d))
	}
	var sets [][]string
	for i := range d {
		sets = append(sets, []string{out.Columns[i]})
	}
	for i := range d {
		for k := range i {
			sets = append(sets, []string{out.Columns[k], out.Columns[i]})
		}
	}
	counted, err := rows.TablesPrivate(sets)
	if err != nil {
		return nil, err
	}
	for i := range d {
		p, err := net.Marginal(i)
		if err != nil {
			return nil, err
		}
		out.margins, out.shares = append(out.margins, p), append(out.shares, shares(counted[i]))
	}
	progress := cert.ProgressOf(ctx)
	for i, at := 0, d; i < d; i++ {
		if progress != nil {
			progress(int64(at-d), int64(len(sets)-d))
		}
		for k := range i {
			p, err := net.Query([]int{k, i}, nil)
			if err != nil {
				return nil, err
			}
			q := shares(counted[at])
			out.set(out.Released, i, k, variation(p, q))
			product := outer(out.margins[k], out.margins[i])
			out.set(out.Apart, i, k, variation(product, q))
			out.set(out.together, i, k, variation(product, p))
			at++
		}
	}
	return out, nil
}

func (p *PairErrors) set(of [][]float64, i, k int, v float64) { of[i][k], of[k][i] = v, v }

// shares are counts over their total; of no rows they are all 0.
func shares(counts []int64) []float64 {
	out, total := make([]float64, len(counts)), 0.0
	for _, n := range counts {
		total += float64(n)
	}
	for i, n := range counts {
		out[i] = float64(n) / math.Max(total, 1)
	}
	return out
}

// variation is ½‖p − q‖₁.
func variation(p, q []float64) (sum float64) {
	for i := range p {
		sum += math.Abs(p[i]-q[i]) / 2
	}
	return sum
}

// outer is the table of two independent columns, the second running fastest.
func outer(a, b []float64) (out []float64) {
	for _, x := range a {
		for _, y := range b {
			out = append(out, x*y)
		}
	}
	return out
}

// Mean is the mean distance over all pairs, released and with independent columns; 0 of fewer than two columns.
func (p *PairErrors) Mean() (released, apart float64) {
	pairs := 0.0
	for i := range p.Columns {
		for k := range i {
			released, apart, pairs = released+p.Released[i][k], apart+p.Apart[i][k], pairs+1
		}
	}
	return released / math.Max(pairs, 1), apart / math.Max(pairs, 1)
}

// mostShown is the most columns that the heat map shows: those that are furthest off.
const mostShown = 40

// HeatMap draws the distance of every pair of the release, each once; columns that depend on one another in the release
// stand together, whatever the rows say. Of more than 40 columns it shows the 40 whose
// pairs are furthest off; Table has all, beside those with independent columns.
func (p *PairErrors) HeatMap() *figure.HeatMap {
	shown := make([]int, len(p.Columns))
	for i := range shown {
		shown[i] = i
	}
	note := ""
	if len(shown) > mostShown {
		sums := make([]float64, len(shown))
		for i, r := range p.Released {
			for _, v := range r {
				sums[i] += v
			}
		}
		slices.SortStableFunc(shown, func(a, b int) int {
			switch {
			case sums[a] > sums[b]:
				return -1
			case sums[a] < sums[b]:
				return 1
			}
			return 0
		})
		shown = shown[:mostShown]
		slices.Sort(shown)
		note = fmt.Sprintf("; the %d columns that are furthest off, of %d", mostShown, len(p.Columns))
	}
	alike := make([][]float64, len(shown))
	for i, a := range shown {
		for _, b := range shown {
			alike[i] = append(alike[i], p.together[a][b])
		}
	}
	ordered := make([]int, len(shown))
	for i, at := range similar(alike) {
		ordered[i] = shown[at]
	}
	shown = ordered
	released, apart := p.Mean()
	h := &figure.HeatMap{Title: "Tables of two columns: how far the release is from the rows",
		Private: p.open == "",
		Value: "Total variation between the released table of two columns and that of the rows. Columns that the release " +
			"makes dependent stand together.",
		Caption: p.open.caption(fmt.Sprintf("%s%s. Mean of all pairs %.2g; with independent columns %.2g", p.caption, note,
			released, apart))}
	most := 0.0
	for i, a := range shown {
		h.Rows, h.Columns = append(h.Rows, p.Columns[a]), append(h.Columns, p.Columns[a])
		row := make([]float64, len(shown))
		for k, b := range shown {
			row[k] = math.NaN()
			if k < i {
				row[k] = p.Released[a][b]
			}
			if title := fmt.Sprintf("Furthest off: %s × %s, %.2g", p.Columns[b], p.Columns[a], row[k]); row[k] > most {
				if most = row[k]; len([]rune(title)) <= 62 {
					h.Title = title
				}
			}
		}
		h.Cells = append(h.Cells, row)
	}
	return h
}

// Margin draws one column: released probabilities beside the shares in the rows. Error: *dp.ParameterError for a column
// that the network does not have.
func (p *PairErrors) Margin(column string) (*figure.Forest, error) {
	i := slices.Index(p.Columns, column)
	if i < 0 {
		return nil, domain.Refuse("eval", "column", safetext.Quote(column), fmt.Sprintf("one of %q", p.Columns))
	}
	apart := variation(p.margins[i], p.shares[i])
	f := &figure.Forest{Title: fmt.Sprintf("%s: the released shares differ from the rows by %.2g %%", column, 100*apart),
		XLabel: "share", Percent: true, Private: p.open == "", Series: []string{"in the rows", "released"},
		Caption: p.open.caption(fmt.Sprintf("%s; total variation %.3g", p.caption, apart))}
	for l, state := range p.net.DAG().Node(i).States {
		released, rows := p.margins[i][l], p.shares[i][l]
		f.Rows = append(f.Rows, figure.ForestRow{Name: state, Text: figure.Share(released),
			Marks: []figure.Mark{{At: rows, From: rows, To: rows}, {At: released, From: released, To: released}}})
	}
	return f, nil
}

// Table has a row for every pair, the furthest first.
func (p *PairErrors) Table() *table.Table {
	t := table.New(p.open.title("Tables of two columns next to the rows"), "column", "column", "released",
		"independent columns")
	var pairs [][2]int
	for i := range p.Columns {
		for k := range i {
			pairs = append(pairs, [2]int{k, i})
		}
	}
	slices.SortStableFunc(pairs, func(a, b [2]int) int {
		switch x, y := p.Released[a[0]][a[1]], p.Released[b[0]][b[1]]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	for _, q := range pairs {
		t.Add(p.Columns[q[0]], p.Columns[q[1]], p.Released[q[0]][q[1]], p.Apart[q[0]][q[1]])
	}
	released, apart := p.Mean()
	return t.Note(fmt.Sprintf("Total variation; mean over all pairs %.4g released, %.4g if its columns were independent of "+
		"one another.", released, apart)).Note(p.caption)
}

// String is the table as text, its first 40 rows.
func (p *PairErrors) String() string {
	t := p.Table()
	if more := len(t.Rows) - mostShown; more > 0 {
		t.Rows = t.Rows[:mostShown]
		t.Note(fmt.Sprintf("%s more: Table has them all.", table.Count(more, "pair")))
	}
	return t.String()
}
