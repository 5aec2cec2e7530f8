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
	"github.com/privbayes/privbayes-go/privbayes/frame"
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
	// Closed are pairs that could not be measured beside what was chosen: the cliques of the fit would be larger than
	// MaxCells. Nothing but the columns' other pairs is known of them. Listed for up to 64 columns.
	Closed   [][2]string
	Measured []NoisyCounts // every table, as drawn
	// NoiseChosen says that how much noise a chosen table has depends on what was chosen: in batches, and where a table
	// may be chosen in phases of other noise or together with more columns.
	NoiseChosen bool
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
		t.Note(fmt.Sprintf("%s could not be measured beside these: %s. Reserve them, or raise MaxCells.",
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

// drawnRows are the records behind simulated statistics: each stands for so many rows, the first more for one else.
type drawnRows struct {
	columns []frame.Column
	codes   [][]uint16 // by column
	times   int64
	more    int
}

// count is the table of some columns, the last running fastest.
func (d *drawnRows) count(ctx context.Context, columns ...string) ([]int64, error) {
	codes, levels, cells := make([][]uint16, len(columns)), make([]int, len(columns)), 1
	for j, name := range columns {
		i := slices.IndexFunc(d.columns, func(c frame.Column) bool { return c.Name == name })
		if i < 0 {
			return nil, &MismatchError{name, "missing", "a column of the simulated records"}
		}
		codes[j], levels[j] = d.codes[i], d.columns[i].Levels()
		if cells *= levels[j]; cells > maxCells {
			return nil, &Error{Model: "simulated records", Column: strings.Join(columns, " × "),
				Value: "too many cells", Want: fmt.Sprintf("at most %d", maxCells)}
		}
	}
	out := make([]int64, cells)
	for r := range len(d.codes[0]) {
		if r%(1<<16) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		cell := 0
		for j, k := range levels {
			cell = cell*k + int(codes[j][r])
		}
		if out[cell] += d.times; r < d.more {
			out[cell]++
		}
	}
	return out, nil
}

// statistics counts the tables of a shape.
func (d *drawnRows) statistics(ctx context.Context, sh *Shape) (*Statistics, error) {
	tables := make([][]int64, len(sh.tables))
	for k, t := range sh.tables {
		var err error
		if tables[k], err = d.count(ctx, t.Columns...); err != nil {
			return nil, err
		}
	}
	st, err := FromCounts(sh, tables)
	if err == nil {
		st.drawn = d
	}
	return st, err
}

// Under are the statistics of another shape on the same simulated records, so that models are compared on the same
// data. Errors: *Error where the statistics are not those that Simulate gives of a learned structure, *MismatchError
// for other columns, and the context's.
func (s *Statistics) Under(ctx context.Context, sh *Shape) (*Statistics, error) {
	if s.drawn == nil {
		return nil, wrong(s.shape.model, "", "no simulated records", "what Simulate makes of a learned structure")
	}
	if err := sh.acceptsAll(s.shape.schema, sh.columns); err != nil {
		return nil, err
	}
	return s.drawn.statistics(ctx, sh)
}

// SimulationBytes is about what the records behind simulated statistics take.
func (l *Learning) SimulationBytes() float64 {
	columns := len(l.shape.columns)
	return 2 * float64(columns) * float64(networkRowsOf(columns, l.shape.n))
}

// WithModel is the shape of another model of the same columns, n and rows: a learned structure, or a given network.
// Errors: *Error for other models and columns.
func (s *Shape) WithModel(m Model) (*Shape, error) {
	switch m.(type) {
	case LearnedModel, NetworkModel:
	case nil:
		return nil, wrong(s.model, "", "no model with it", "a learned structure or a Network")
	default:
		return nil, wrong(m, "", "no distribution of the pairs of columns",
			"a learned structure such as Tree(), or a Network")
	}
	sh, err := NewShape(s.schema, m, s.n, s.publicN, s.nStep)
	if err != nil {
		return nil, err
	}
	own, other := s.columnNames(), sh.columnNames()
	for _, name := range other {
		if !slices.Contains(own, name) {
			return nil, wrong(m, name, "not a column of "+s.model.String(), safetext.OneOf(name, own))
		}
	}
	for _, name := range own {
		if !slices.Contains(other, name) {
			return nil, wrong(m, name, "not in the model",
				"the columns of "+s.model.String()+": "+strings.Join(quoted(own), ", "))
		}
	}
	return sh.OfRows(s.rows...), nil
}

// AllPairs is the shape that models of the columns are compared under: its tables are of all pairs of columns that may
// be measured, also where the structure is a public star, and [Fitted.PairsUnder] is of these.
func (l *Learning) AllPairs() *Shape {
	s := l.shape
	all := MaxEntropy().Classifying(l.model.target).MaxCells(l.MaxCells).Always().Evenly()
	all.settings.Columns = s.columnNames()
	sh, err := NewShape(s.schema, all, s.n, s.publicN, s.nStep)
	if err != nil { // of a star: all pairs have too many cells
		return s
	}
	return sh.OfRows(s.rows...)
}

// Alternatives are what a learned structure is to be compared with: MaxEntropy, Tree, and every column by itself, of
// the same columns; the first two with the same public knowledge, workload and bounds.
func (l *Learning) Alternatives() (out []Model) {
	for _, a := range []LearnedModel{MaxEntropy(), Tree()} {
		set := l.model.settings
		if l.Algorithm == Greedy || set.MaxCells == l.model.MaxCells(0).settings.MaxCells { // the usual of each
			set.MaxCells = 0
		}
		set.Algorithm, set.Star, set.Width, set.Always, set.Greedy = a.settings.Algorithm, "", 0, false, nil
		if set.Algorithm != Pairs {
			set.Reserve = nil
		}
		if l.Algorithm == Greedy { // which has no sums within bins
			set.WithinBins = a.settings.WithinBins
		}
		a.settings, a.target = set, l.model.target
		a = a.MaxCells(set.MaxCells)
		out = append(out, a)
	}
	s := l.shape
	families := make([]Family, len(s.columns))
	for i, c := range s.columns {
		families[i] = Node(c.Name)
	}
	return append(out, Network(s.columns[0].Name, families...))
}

// PairsUnder are the fitted distributions of the pairs of a learned structure's shape, in the order of its Pairs, from
// a model of its columns, whatever its structure. Errors: *Error for a model that is no network, those of
// bayesnet.Net.Query where a pair cannot be computed, and the context's.
func (f *Fitted) PairsUnder(ctx context.Context, sh *Shape) (out [][]float64, err error) {
	if f.net == nil {
		return nil, wrong(f.shape.model, "", "no network", "a learned structure, or a Network")
	}
	own := map[[2]string]int{}
	if f.pairsOf != nil {
		for i, p := range f.of.pairs() {
			own[[2]string{f.of.columns[p[0]].Name, f.of.columns[p[1]].Name}] = i
		}
	}
	for _, p := range sh.pairs() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a, b := sh.columns[p[0]], sh.columns[p[1]]
		var t []float64
		if i, ok := own[[2]string{a.Name, b.Name}]; ok {
			t, err = f.pairsOf(i)
		} else if i, ok := own[[2]string{b.Name, a.Name}]; ok {
			if t, err = f.pairsOf(i); err == nil {
				t = transposed(t, b.Levels(), a.Levels())
			}
		} else {
			t, err = f.pair(ctx, a.Name, b.Name)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// pair is the distribution of two columns, the second running fastest, by the network.
func (f *Fitted) pair(ctx context.Context, a, b string) ([]float64, error) {
	net := f.Network()
	i, okA := net.DAG().Index(a)
	j, okB := net.DAG().Index(b)
	if !okA || !okB {
		return nil, &MismatchError{a + " × " + b, "missing", "a pair of the network's columns"}
	}
	return net.WithContext(ctx).Query([]int{i, j}, nil)
}
