package privbayes2017

import (
	"context"
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// sampler releases a network and its noisy tables. The rounds of a draw are the columns as they were taken, each after
// its parents, with the table's counts in steps of the lattice; none where the table is a margin of another.
type sampler struct {
	*problem
	pick  sample.Selection
	noise noise.Laplace
}

// tables reads the private table of some columns, the last running fastest.
type tables func(columns []int) ([]int64, error)

// Draw releases.
func (d *sampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (out mechanism.Output, err error) {
	table := d.read(data)
	network, err := d.network(ctx, table, int(sample.Uniform(src, uint64(len(d.levels)))), func(scores []int64) int {
		return d.pick.Draw(src, scores)
	})
	if err != nil {
		return out, err
	}
	for i, p := range network {
		r := mechanism.Round{Chosen: p.columns(), Counts: []int64{}}
		if d.measured(i) {
			counts, err := table(r.Chosen)
			if err != nil {
				return out, err
			}
			for _, c := range counts {
				r.Counts = append(r.Counts, lattice*c+d.noise.Draw(src))
			}
		}
		out.Rounds = append(out.Rounds, r)
	}
	return out, nil
}

// measured reports whether the table of the column taken at a place is.
func (d *sampler) measured(i int) bool { return i >= len(d.levels)-d.tables }

// network takes all columns, the first as given. choose is asked with the scores of the candidates, where there is more
// than one.
func (d *sampler) network(ctx context.Context, table tables, first int, choose func(scores []int64) int) ([]pair,
	error) {
	out, taken := []pair{{nil, first}}, []int{first}
	progress := cert.ProgressOf(ctx)
	for len(taken) < len(d.levels) {
		if progress != nil {
			progress(int64(len(taken)), int64(len(d.levels)))
		}
		list := d.candidates(taken)
		scores := make([]int64, len(list))
		for i, p := range list {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if len(p.parents) == 0 {
				continue // of no parents every score is 0
			}
			counts, err := table(p.columns())
			if err != nil {
				return nil, err
			}
			scores[i] = scoreOf(d.set.Greedy.Score, counts, d.levels[p.column])
		}
		p := list[0]
		if len(list) > 1 && d.chooses { // without parents their order is nothing
			p = list[choose(scores)]
		}
		out, taken = append(out, p), append(taken, p.column)
	}
	return out, nil
}

// read reads pairs as they were counted and counts larger tables once, whichever of their columns stands last.
func (d *sampler) read(data mechanism.Private) tables {
	all, names, kept := data.Tables(), d.shape.Columns(), map[string][]int64{}
	for i := range d.levels {
		kept[fmt.Sprint([]int{i})] = all[i]
	}
	for i, p := range d.shape.Learning().Pairs {
		kept[fmt.Sprint(p[:])] = all[len(d.levels)+i]
	}
	return func(columns []int) ([]int64, error) {
		sorted := slices.Clone(columns)
		slices.Sort(sorted)
		key := fmt.Sprint(sorted)
		t, ok := kept[key]
		if !ok {
			of := make([]string, len(sorted))
			for i, v := range sorted {
				of[i] = names[v].Name
			}
			var err error
			if t, err = data.Margin(of...); err != nil {
				return nil, err
			}
			kept[key] = t
		}
		return margin(t, sorted, columns, d.levels), nil
	}
}

// margin is a table over some columns, summed up over those that others does not name and laid out in their order.
func margin[T int64 | float64](t []T, columns, others []int, levels []int) []T {
	size, stride := 1, make([]int, len(columns))
	for k := len(others) - 1; k >= 0; k-- {
		stride[slices.Index(columns, others[k])] = size
		size *= levels[others[k]]
	}
	out, codes, at := make([]T, size), make([]int, len(columns)), 0
	for _, v := range t {
		out[at] += v
		for k := len(columns) - 1; k >= 0; k-- {
			codes[k]++
			at += stride[k]
			if codes[k] < levels[columns[k]] {
				break
			}
			at -= stride[k] * codes[k]
			codes[k] = 0
		}
	}
	return out
}

// Estimate checks that the rounds of a draw are such as the plan may make, and divides the tables' rows, negative
// counts set to 0, by their sums; a row without counts is uniform.
func (d *sampler) Estimate(ctx context.Context, drawn mechanism.Output) (e model.Estimate, err error) {
	network, err := d.legal(ctx, drawn)
	if err != nil {
		return e, err
	}
	noisy := make([][]float64, len(network))
	for i := len(network) - 1; i >= 0; i-- {
		columns := network[i].columns()
		if d.measured(i) {
			for _, v := range drawn.Rounds[i].Counts {
				noisy[i] = append(noisy[i], max(0, float64(v)/lattice))
			}
			continue
		}
		// the first measured table has all columns before it for parents
		whole := len(network) - d.tables
		noisy[i] = margin(noisy[whole], network[whole].columns(), columns, d.levels)
	}
	return d.estimate(network, noisy)
}

// legal are the pairs of a draw, which the plan's steps may have taken.
func (d *sampler) legal(ctx context.Context, drawn mechanism.Output) (network []pair, err error) {
	refuse := func(k int, have any, want string) error {
		return domain.Refuse("privbayes", "rounds", fmt.Sprintf("%v in round %d", have, k+1), want)
	}
	if len(drawn.Rounds) != len(d.levels) || drawn.Raw != nil {
		return nil, refuse(0, fmt.Sprintf("%d rounds and %d tables", len(drawn.Rounds), len(drawn.Raw)),
			fmt.Sprintf("%d rounds: the columns in the order in which they were taken", len(d.levels)))
	}
	var taken []int
	for k, r := range drawn.Rounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		list := d.candidates(taken)
		if k == 0 {
			list = nil
			for x := range d.levels {
				list = append(list, pair{nil, x})
			}
		}
		at := slices.IndexFunc(list, func(p pair) bool { return slices.Equal(p.columns(), r.Chosen) })
		if at < 0 || r.Stop || r.Report != nil {
			return nil, refuse(k, r.Chosen, "one of the candidates of that round")
		}
		cells := 0
		if d.measured(k) {
			cells = int(d.states(list[at].columns()))
		}
		if len(r.Counts) != cells {
			return nil, refuse(k, fmt.Sprintf("%d counts", len(r.Counts)), fmt.Sprint(cells))
		}
		network, taken = append(network, list[at]), append(taken, list[at].column)
	}
	return network, nil
}

// estimate is the network of noisy tables.
func (d *sampler) estimate(network []pair, noisy [][]float64) (e model.Estimate, err error) {
	columns := d.shape.Columns()
	s := &model.Structure{Size: d.n}
	nodes := make([]bayesnet.Node, len(columns))
	for _, c := range columns {
		s.Columns = append(s.Columns, c.Name)
	}
	names := func(of []int) (out []string) {
		for _, i := range of {
			out = append(out, columns[i].Name)
		}
		return out
	}
	e.Families, e.Conditionals = make([]model.Family, len(columns)), make([][]float64, len(columns))
	for i, p := range network {
		c := columns[p.column]
		nodes[p.column] = bayesnet.Node{Name: c.Name, States: c.Labels(), Parents: names(p.parents)}
		e.Families[p.column] = model.Node(c.Name, names(p.parents)...)
		e.Conditionals[p.column] = whole(noisy[i], d.levels[p.column], d.n)
		s.Rounds = append(s.Rounds, model.Round{Columns: names(p.columns())})
		for _, v := range p.parents {
			s.Edges = append(s.Edges, [2]string{columns[v].Name, c.Name})
		}
	}
	dag, err := bayesnet.NewDAG(nodes)
	if err != nil {
		return e, err
	}
	families, _ := dag.MaximalFamilies()
	for _, f := range families {
		slices.Sort(f)
		s.Cliques = append(s.Cliques, names(f))
	}
	e.Structure = s
	return e, nil
}

// whole scales a table to n records, with one record's weight in a row that has none.
func whole(t []float64, levels int, n float64) []float64 {
	total := 0.0
	for _, v := range t {
		total += v
	}
	out := make([]float64, len(t))
	for lo := 0; lo < len(t); lo += levels {
		row := 0.0
		for _, v := range t[lo : lo+levels] {
			row += v
		}
		for i, v := range t[lo : lo+levels] {
			if out[lo+i] = v * n / total; row == 0 {
				out[lo+i] = 1 / float64(levels)
			}
		}
	}
	return out
}
