package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Structure is a learned structure as it was released: an output, not an input.
type Structure struct {
	Columns  []string // of the model
	Rounds   []Round  // what was chosen, in order
	Edges    [][2]string
	Cliques  [][]string // of the graph that the fit computes with
	Size     float64    // the number of records that the tables were fitted to
	Gap      float64    // how far the fit of maximum entropy is from its minimum: see the document on structures
	Declined string     // why nothing was chosen, "" if something might be
	Zeros    []ZeroTable
	// Closed are pairs that could not be measured next to what was chosen: the cliques of the fit would be larger than
	// MaxCells. Nothing but the columns' other pairs is known of them. Listed for up to 64 columns.
	Closed   [][2]string
	Measured []NoisyCounts // every table, as drawn
	// NoiseChosen says that how much noise a chosen table has depends on what was chosen: in batches, and where a table
	// may be chosen in phases of other noise or together with more columns.
	NoiseChosen bool
	Distances   *Distances // of the fit from the rows, where Statements measured them
}

// NoisyCounts are the noisy integers of a table over some columns: of its first cells, the last column running fastest,
// each with independent noise of one distribution.
type NoisyCounts struct {
	Columns []string
	Counts  []int64
	Noise   Noise
}

// Noise is a noise distribution as those who read noisy counts know it: see package mechanism/noise, whose
// distributions have these methods.
type Noise interface {
	LogProb(z int64) float64
	LogTail(z int64) float64
	Variance() float64
	Unit() int64
}

// ZeroTable is the structural zeros over some columns, with the number of records that noisy tables have there: noise,
// or records that contradict what was declared.
type ZeroTable struct {
	Columns   []string
	Cells     int
	Measured  bool    // a table of these columns was
	Noisy, SD float64 // sum over the cells, and the standard deviation of its noise
}

// Round is one round of a learner: the columns of the table that was measured.
type Round struct {
	Columns []string
	Stopped bool // nothing was worth choosing: the table of a column was measured once more
	Given   bool // public beforehand, as those of a star: nothing was chosen
}

// Stops counts the rounds in which nothing was worth choosing.
func (s *Structure) Stops() (n int) {
	for _, r := range s.Rounds {
		if r.Stopped {
			n++
		}
	}
	return n
}

// Table shows the rounds.
func (s *Structure) Table() *table.Table {
	t := table.New("Learned structure", "round", "measured", "chosen")
	if len(s.Rounds) == 0 {
		t = table.New("Learned structure")
	}
	for i, r := range s.Rounds {
		chosen := "yes"
		switch {
		case r.Stopped:
			chosen = "no: the table of a column once more"
		case r.Given:
			chosen = "no: given"
		}
		t.Add(i+1, strings.Join(plains(r.Columns), " × "), chosen)
	}
	if s.Declined != "" {
		t.Note(s.Declined)
	}
	for _, z := range s.Zeros {
		note := strings.Join(plains(z.Columns), " × ") + ": " + table.Count(z.Cells, "structural zero")
		if z.Measured {
			d := table.Decimals(z.SD)
			note += fmt.Sprintf("; the noisy tables have %s ± %s records there", table.Fixed(z.Noisy, d), table.Fixed(z.SD, d))
		}
		t.Note(note + ".")
	}
	if n := len(s.Closed); n > 0 {
		t.Note(fmt.Sprintf("%s could not be measured together with the chosen pairs: %s. Reserve them, or raise MaxCells.",
			table.Count(n, "pair"), few(s.Closed)))
	}
	return t.Note(table.Count(len(s.Edges), "edge") + " between columns; " +
		table.Count(len(s.Cliques), "clique") + " of the fit.")
}

// String shows the structure as text.
func (s *Structure) String() string { return table.Text(s) }

// expression is the Go expression that makes the model.
func (m LearnedModel) expression() string {
	s, out := m.settings, ""
	switch s.Algorithm {
	case Pairs:
		out = "MaxEntropy()"
	case Forest:
		out = "Tree()"
	case Greedy:
		out = "PrivBayes()"
	default:
		out = "Cliques(" + table.Number(float64(s.Width)) + ")"
	}
	add := func(method string, args ...string) { out += "." + method + "(" + strings.Join(args, ", ") + ")" }
	if s.Greedy != nil {
		s.Greedy.calls(add)
	}
	if m.target != "" {
		add("Classifying", safetext.Quote(m.target))
	}
	if len(s.Columns) > 0 {
		add("Of", quoted(s.Columns)...)
	}
	if s.Star != "" {
		add("Star", safetext.Quote(s.Star))
	}
	if s.MaxCells > 0 && (s.Algorithm != Pairs || s.MaxCells != usualClique) {
		add("MaxCells", table.Number(float64(s.MaxCells)))
	}
	if s.Size > 0 {
		add("Size", table.Number(float64(s.Size)))
	}
	if s.Always {
		add("Always")
	}
	if s.Algorithm != Greedy && !s.WithinBins {
		add("Evenly")
	} else if len(s.Evenly) > 0 {
		add("Evenly", quoted(s.Evenly)...)
	}
	if s.Statements {
		add("Statements")
	}
	for _, p := range s.Reserve {
		add("Reserve", quoted(p[:])...)
	}
	for _, q := range s.Workload {
		add("Workload", append([]string{table.Number(float64(q.Weight))}, quoted(q.Columns)...)...)
	}
	for _, cell := range s.StructuralZeros {
		add("StructuralZeros", stringMap(cell))
	}
	s.ruleCalls(add)
	return out
}

// fit is the network that was learned.
func (m LearnedModel) fit(sh *Shape, e Estimate) (*Fitted, error) {
	if len(e.Families) != len(sh.columns) || e.Conditionals == nil {
		return nil, wrong(m, "", "no learned structure", "families with their conditional distributions")
	}
	net, err := sh.network(e.Families)
	if err != nil {
		return nil, err
	}
	f, err := Fit(net, Estimate{Conditionals: e.Conditionals})
	if err != nil {
		return nil, err
	}
	f.bins = e.Within
	if f.pairsOf = e.Pairs; e.Pairs == nil {
		pairs := sh.pairs()
		f.pairsOf = func(i int) ([]float64, error) {
			return f.pair(context.Background(), sh.columns[pairs[i][0]].Name, sh.columns[pairs[i][1]].Name)
		}
	}
	if f.of = sh; len(sh.zeros) > 0 {
		f.exact, err = sh.without(f.net, e.Conditionals)
	}
	return f, err
}

// network is the shape of a network over the columns of a learned structure.
func (s *Shape) network(families []Family) (*Shape, error) {
	g := Network(s.columns[0].Name, families...)
	sh, err := NewShape(s.schema, g, s.n, s.publicN, s.nStep)
	if err != nil {
		return nil, err
	}
	return sh.OfRows(s.rows...), nil
}

// fitPlain is the tree of Chow and Liu (1968): that of the largest mutual information among the pairs.
func (m LearnedModel) fitPlain(st *Statistics) (*Fitted, error) {
	sh := st.shape
	parents := sh.chowLiu(st.tables)
	families := make([]Family, len(sh.columns))
	for i, c := range sh.columns {
		families[i] = Node(c.Name)
		if p := parents[i]; p >= 0 {
			families[i] = Node(c.Name, sh.columns[p].Name)
		}
	}
	net, err := sh.network(families)
	if err != nil {
		return nil, err
	}
	tables := make([][]float64, len(net.tables))
	for k, t := range net.tables {
		i := slices.IndexFunc(sh.tables, func(own Table) bool { return sameColumns(own.Columns, t.Columns) })
		tables[k] = asFloats([][]int64{st.tables[i]})[0]
		if own := sh.tables[i]; len(own.Columns) == 2 && own.Columns[0] != t.Columns[0] {
			tables[k] = transposed(tables[k], own.Levels[0], own.Levels[1])
		}
	}
	f, err := Fit(net, Estimate{Tables: tables})
	if err == nil {
		f.of = sh
	}
	return f, err
}

func sameColumns(a, b []string) bool {
	return len(a) == len(b) && (slices.Equal(a, b) || len(a) == 2 && a[0] == b[1] && a[1] == b[0])
}

func transposed(t []float64, rows, columns int) []float64 {
	out := make([]float64, len(t))
	for i := range rows {
		for j := range columns {
			out[j*rows+i] = t[i*columns+j]
		}
	}
	return out
}

// chowLiu gives every column its parent in the tree of the largest mutual information, −1 at roots.
func (s *Shape) chowLiu(tables [][]int64) []int {
	type edge struct {
		pair   [2]int
		weight float64
	}
	edges, d := []edge{}, len(s.columns)
	for i, p := range s.pairs() {
		edges = append(edges, edge{p, mutualInformation(tables[d+i], s.columns[p[0]].Levels(), s.columns[p[1]].Levels())})
	}
	slices.SortStableFunc(edges, func(a, b edge) int { return cmp.Compare(b.weight, a.weight) })
	neighbours, root := make([][]int, d), make([]int, d)
	for i := range root {
		root[i] = i
	}
	for _, e := range edges {
		a, b := root[e.pair[0]], root[e.pair[1]]
		if a == b {
			continue
		}
		for i := range root {
			if root[i] == b {
				root[i] = a
			}
		}
		neighbours[e.pair[0]] = append(neighbours[e.pair[0]], e.pair[1])
		neighbours[e.pair[1]] = append(neighbours[e.pair[1]], e.pair[0])
	}
	parents := make([]int, d)
	for i := range parents {
		parents[i] = -2
	}
	for i := range parents {
		if parents[i] != -2 {
			continue
		}
		parents[i] = -1
		for list := []int{i}; len(list) > 0; list = list[1:] {
			for _, v := range neighbours[list[0]] {
				if parents[v] == -2 {
					parents[v], list = list[0], append(list, v)
				}
			}
		}
	}
	return parents
}

// mutualInformation is Σ n_ij/n ln(n_ij n/(a_i b_j)), in nats.
func mutualInformation(t []int64, rows, columns int) float64 {
	a, b, n, sum := make([]float64, rows), make([]float64, columns), 0.0, 0.0
	for i, c := range t {
		a[i/columns] += float64(c)
		b[i%columns] += float64(c)
		n += float64(c)
	}
	for i, c := range t {
		if c > 0 {
			sum += float64(c) / n * math.Log(float64(c)*n/(a[i/columns]*b[i%columns]))
		}
	}
	return sum
}

// Structures differ from draw to draw, and so do the layouts of their laws: what is compared are the distributions of
// the pairs of columns.
func (m LearnedModel) conditionals(*Shape) []Conditional             { return nil }
func (m LearnedModel) conditionalCounts(*Shape, [][]int64) [][]int64 { return nil }
func (m LearnedModel) steps(sh *Shape, n int) float64 {
	rows := float64(networkRowsOf(len(sh.columns), n))
	return 5000 + 20*float64(sh.Cells()) + rows*(30*float64(len(sh.columns))+3*float64(len(sh.tables)))
}

// simulate draws records of a random tree: every column depends on one before it.
func (m LearnedModel) simulate(ctx context.Context, sh *Shape, n int, a0 float64, src rand.Source) (*Statistics, error) {
	families, r := []Family{Node(sh.columns[0].Name)}, rand.New(src)
	for i, c := range sh.columns[1:] {
		families = append(families, Node(c.Name, sh.columns[r.IntN(i+1)].Name))
	}
	inner, err := sh.network(families)
	if err != nil {
		return nil, err
	}
	d := inner.dag
	cpts := make([][]float64, d.Len())
	for i := range cpts {
		for range d.FamilyCells(i) / d.Arity(i) {
			cpts[i] = append(cpts[i], distribution(d.Arity(i), a0, src)...)
		}
	}
	net, err := bayesnet.NewNet(d, cpts)
	if err != nil {
		return nil, err
	}
	rows := networkRowsOf(d.Len(), n)
	codes := make([][]uint16, d.Len())
	for i := range codes {
		codes[i] = make([]uint16, rows)
	}
	if err := sh.records(ctx, net, src, codes); err != nil {
		return nil, err
	}
	drawn := &drawnRows{codes: codes, times: int64(n / max(rows, 1)), more: n % max(rows, 1)}
	for i := range codes {
		c, _, err := sh.schema.Column(d.Node(i).Name)
		if err != nil {
			return nil, err
		}
		drawn.columns = append(drawn.columns, *c)
	}
	return drawn.statistics(ctx, sh)
}

// networkRowsOf is the number of records that are drawn for columns.
func networkRowsOf(columns, n int) int { return min(n, max(networkDraws/columns, 1000)) }

// learnedPairs are the fitted distributions of all pairs that might have been measured; none where one cannot be made.
func (f *Fitted) learnedPairs() (out [][]float64) {
	for i := range f.of.pairs() {
		p, err := f.pairsOf(i)
		if err != nil {
			return nil
		}
		out = append(out, p)
	}
	return out
}

// exactMeans are the shares of the cells of every pair's table.
func (m LearnedModel) exactMeans(st *Statistics) (out [][]float64, err error) {
	first := len(st.shape.columns)
	for _, t := range st.tables[first : first+len(st.shape.pairs())] {
		total, p := 0.0, make([]float64, len(t))
		for _, v := range t {
			total += float64(v)
		}
		for i, v := range t {
			p[i] = float64(v) / math.Max(total, 1)
		}
		out = append(out, p)
	}
	return out, nil
}

// distance is the mean over pairs of columns of the total variation between their tables, ½Σ|p − q|, and of
// KL(plain ‖ released), nats.
func (m LearnedModel) distance(_ *Shape, plain, released [][]float64) (absolute, kl float64) {
	for i, x := range plain {
		for k, p := range x {
			absolute += math.Abs(p-released[i][k]) / 2 / float64(len(plain))
			if p > 0 {
				kl += p * math.Log(p/math.Max(released[i][k], 1e-300)) / float64(len(plain))
			}
		}
	}
	return absolute, kl
}

// words are those of count tables but for what is compared before a draw.
func (m LearnedModel) words() Words {
	w := m.ofCounts.words()
	w.Error, w.Source = "a pair of columns, in total variation", "a random tree, every distribution from Dirichlet(%g, …)"
	return w
}
