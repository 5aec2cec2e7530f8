package export

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

//go:embed programs/counts.py
var countsPython string

// depth is how far below the greatest log-probability of a cell's released number, in nats, counts are left out.
const depth = 23

// mostProducts bounds the products that one evaluation of a likelihood takes: a second or so in Stan.
const mostProducts = 2e7

// star is a class with tables of its counts by one other column each, of which the cells were released with noise. A
// table without a class is a star of one class.
type star struct {
	class  string
	labels []string // of the class
	tables []leaf
	data   starData
}

// leaf is one table: a distribution of its column's levels for every class.
type leaf struct {
	name   string
	labels []string
	column string
}

// starData are the numbers of a star, as both programs read them. Cells go by table, class and level.
type starData struct {
	Low         int64     `json:"n_low"` // of n: where it is public, n itself
	High        int64     `json:"n_high"`
	Classes     int       `json:"classes"`
	Levels      []int     `json:"levels"` // by table
	Shared      []int     `json:"shared"` // 1: the rows of the table share a centre
	Y           []int64   `json:"y"`
	Measured    []int     `json:"measured"` // 0: nothing was released of the cell
	CellLow     []int64   `json:"low"`      // the counts that are summed over
	Length      []int64   `json:"length"`
	TotalLow    []int64   `json:"total_low"` // the same of the classes
	TotalLength []int64   `json:"total_length"`
	Unit        int64     `json:"unit"` // steps of the noise in a record
	LogP0       float64   `json:"log_p0"`
	Rate        float64   `json:"rate"`      // log P(Z = z) = log_p0 − rate·|z| − precision·z²/2
	Precision   float64   `json:"precision"` // 1/σ²
	AlphaClass  []float64 `json:"alpha_class"`
	Alpha       []float64 `json:"alpha"` // by table and level, the same for every class

	// The levels with the largest released numbers, of which the coordinates of a distribution are ratios.
	LargestClass  int     `json:"largest_class"`
	LargestCentre []int   `json:"largest_centre"` // by table
	Largest       [][]int `json:"largest"`        // by table and class
}

// tables is the program of a star.
func tables(r *release.Release, to Form) ([]File, error) {
	s, dist, err := starOf(r, to)
	if err != nil {
		return nil, err
	}
	about := []string{"What was released are counts plus noise: " + dist.String() + "."}
	if s.data.Low == s.data.High {
		about = append(about, fmt.Sprintf("n = %d is public.", s.data.Low))
	} else {
		about = append(about, "n is private, with a flat prior.")
	}
	if s.data.Classes > 1 {
		about = append(about, "Classes: "+s.class+" = "+strings.Join(s.labels, ", ")+".")
	}
	for _, t := range s.tables {
		about = append(about, "Levels: "+t.column+" = "+strings.Join(t.labels, ", ")+".")
	}
	code := s.stan()
	if to == NumPyro {
		code = s.python() + countsPython
	}
	return files(r, to, about, code, s.data)
}

// python names the distributions, each table by the centre of its rows. Every site of NumPyro has a name of its own,
// whatever the names of columns and levels are: those that stand twice are primed, and so are the ends of the names of
// what is not a distribution.
func (s *star) python() string {
	quoted := func(text string) string {
		b, _ := json.Marshal(text) // of a string: no error
		return string(b)
	}
	taken := map[string]bool{}
	site := func(name string) string {
		for taken[name] {
			name += "'"
		}
		taken[name] = true
		return quoted(name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "CLASS = %s\nTABLES = [\n", site(s.class))
	for _, t := range s.tables {
		var rows []string
		for j := range s.labels {
			rows = append(rows, site(s.row(t, j)))
		}
		fmt.Fprintf(&b, "    (%s, [%s]),\n", site("centre of "+t.name), strings.Join(rows, ", "))
	}
	b.WriteString("]\n")
	for _, mark := range [][2]string{{"COORDINATES", " coordinates"}, {"PRIOR", " prior"}} {
		end := mark[1]
		for slices.ContainsFunc(slices.Collect(maps.Keys(taken)), func(name string) bool {
			return strings.HasSuffix(name, end)
		}) {
			end += "'"
		}
		fmt.Fprintf(&b, "%s = %s\n", mark[0], quoted(end))
	}
	return b.String() + "\n"
}

// row names the distribution of a table in a class.
func (s *star) row(t leaf, j int) string {
	if len(s.labels) == 1 {
		return t.name
	}
	return t.column + " | " + s.class + " = " + s.labels[j]
}

// starOf reads a release. Errors: *UnsupportedError.
func starOf(r *release.Release, to Form) (*star, noise.Distribution, error) {
	sh := r.Plan().Shape()
	measured, ok := r.Plan().Measured()
	raw := r.Raw()
	if !ok || measured.Parities != nil || len(raw) < len(sh.Tables()) {
		return nil, nil, unsupported(r, to, "this mechanism", programs)
	}
	dist := measured.Tables[0]
	for _, other := range measured.Tables[1:] {
		if other.String() != dist.String() {
			return nil, nil, unsupported(r, to, "noise of several distributions", programs)
		}
	}
	form := noise.FormOf(dist)
	if form == (noise.Form{}) {
		return nil, nil, unsupported(r, to, "noise without a closed form", programs)
	}
	s := &star{data: starData{Unit: dist.Unit(), LogP0: dist.LogProb(0), Rate: form.Rate}}
	if form.Sigma2 > 0 {
		s.data.Precision = 1 / form.Sigma2
	}
	if what := s.lay(sh, raw); what != "" {
		return nil, nil, unsupported(r, to, what, programs)
	}
	n, public := sh.N()
	top := int64(math.MaxInt32)
	switch public = public && r.Plan().Target().Adjacency.PublicN(); {
	case public:
		top = int64(n)
	case slices.Contains(s.data.Measured, 0):
		return nil, nil, unsupported(r, to, "a private n and a cell of which nothing was released", programs)
	}
	s.largest()
	s.windows(dist, top)
	if what := s.totals(int64(n), public); what != "" {
		return nil, nil, unsupported(r, to, what, "noise and records that one evaluation of the likelihood can sum over, in "+
			fmt.Sprintf("at most %.0g products", float64(mostProducts)))
	}
	return s, dist, nil
}

// lay sets tables, priors and released numbers; what says what stands in the way.
func (s *star) lay(sh *model.Shape, raw [][]int64) (what string) {
	hub := s.hub(sh)
	if hub == "" && (len(sh.Tables()) != 1 || sh.Graph() != nil && sh.Graph().Len() > 1) {
		return "a network that is not one node and its children"
	}
	s.data.Classes = max(len(s.labels), 1)
	if hub == "" {
		s.labels = []string{""}
	}
	prior, shares := sh.Model().Prior(), false
	if m, ok := sh.Model().(model.NetworkModel); ok {
		shares = m.ShareRows()
	}
	alpha := func(levels, rows int) (out []float64, shared int) {
		for l := range levels {
			switch {
			case !shares:
				out = append(out, prior.At(l))
			case rows == 2:
				out = append(out, 1/float64(levels))
			default:
				out = append(out, 2/float64(levels))
			}
		}
		if shares && rows > 2 {
			shared = 1
		}
		return out, shared
	}
	s.data.AlphaClass, _ = alpha(s.data.Classes, 1)
	for k, t := range sh.Tables() {
		of := slices.IndexFunc(t.Columns, func(c string) bool { return c == hub })
		own := leafOf(t, of)
		cells := len(own.labels)
		a, shared := alpha(cells, s.data.Classes)
		s.tables = append(s.tables, own)
		s.data.Levels, s.data.Shared = append(s.data.Levels, cells), append(s.data.Shared, shared)
		s.data.Alpha = append(s.data.Alpha, a...)
		for j := range s.data.Classes {
			for l := range cells {
				at := j*cells + l
				if of == 1 {
					at = l*s.data.Classes + j
				}
				y, measured := int64(0), 0
				if at < len(raw[k]) {
					y, measured = raw[k][at], 1
				}
				s.data.Y, s.data.Measured = append(s.data.Y, y), append(s.data.Measured, measured)
			}
		}
	}
	return ""
}

// hub finds the column of the class, and its labels: "" where there is none.
func (s *star) hub(sh *model.Shape) string {
	if sh.SharesClass() {
		c := sh.Columns()[0]
		s.class, s.labels = c.Name, c.Labels()
		return s.class
	}
	d := sh.Graph()
	if d == nil || d.Len() < 2 {
		return ""
	}
	root := -1
	for v := range d.Len() {
		switch parents := d.Parents(v); {
		case len(parents) == 0 && root < 0:
			root = v
		case len(parents) != 1:
			return ""
		}
	}
	for v := range d.Len() {
		if v != root && d.Parents(v)[0] != root {
			return ""
		}
	}
	if len(sh.Tables()) != d.Len()-1 { // a table for every node: that of the class, too
		return ""
	}
	s.class, s.labels = d.Node(root).Name, d.Node(root).States
	return s.class
}

// leafOf is a table without its class, which is its column of; of a whole table all cells are levels.
func leafOf(t model.Table, of int) leaf {
	if of >= 0 {
		other := 1 - of
		return leaf{t.Columns[other], t.Labels[other], t.Columns[other]}
	}
	out := leaf{name: strings.Join(t.Columns, ", "), column: strings.Join(t.Columns, ", "), labels: []string{""}}
	for c, own := range t.Labels {
		var next []string
		for _, before := range out.labels {
			for _, l := range own {
				if c > 0 {
					l = before + " & " + l
				}
				next = append(next, l)
			}
		}
		out.labels = next
	}
	return out
}

// largest finds the levels with the largest released numbers.
func (s *star) largest() {
	first := func(list []int64) int { return slices.Index(list, slices.Max(list)) }
	classes, cell := make([]int64, s.data.Classes), 0
	for _, levels := range s.data.Levels {
		all, rows := make([]int64, levels), []int(nil)
		for j := range s.data.Classes {
			row := s.data.Y[cell : cell+levels]
			for l, y := range row {
				all[l], classes[j] = all[l]+y, classes[j]+y
			}
			rows, cell = append(rows, first(row)), cell+levels
		}
		s.data.LargestCentre, s.data.Largest = append(s.data.LargestCentre, first(all)), append(s.data.Largest, rows)
	}
	s.data.LargestClass = first(classes)
}

// windows sets the counts of every cell that are summed over: those whose log-probability of what was released is
// within the depth of the greatest. Counts are at most top.
func (s *star) windows(dist noise.Distribution, top int64) {
	for c, y := range s.data.Y {
		low, high := int64(0), top
		if s.data.Measured[c] == 1 {
			best := min(max((y+dist.Unit()/2)/dist.Unit(), 0), top)
			z := y - dist.Unit()*best
			z = max(z, -z)
			least := dist.LogProb(z) - depth
			reach := int64(sort.Search(math.MaxInt32, func(k int) bool {
				return dist.LogProb(z+dist.Unit()*int64(k)) < least
			}))
			low, high = max(best-reach, 0), min(best+reach, top)
		}
		s.data.CellLow, s.data.Length = append(s.data.CellLow, low), append(s.data.Length, high-low+1)
	}
}

// totals sets the counts of the classes and of all records that are summed over: where what all tables say overlaps.
func (s *star) totals(n int64, public bool) (what string) {
	low, high := make([]int64, s.data.Classes), slices.Repeat([]int64{math.MaxInt64}, s.data.Classes)
	cell := 0
	for _, levels := range s.data.Levels {
		for j := range low {
			from, to := int64(0), int64(0)
			for range levels {
				from, to = from+s.data.CellLow[cell], to+s.data.CellLow[cell]+s.data.Length[cell]-1
				cell++
			}
			low[j], high[j] = max(low[j], from), min(high[j], to)
		}
	}
	sum := func(list []int64) (total int64) {
		for _, x := range list {
			total += x
		}
		return total
	}
	s.data.Low, s.data.High = sum(low), sum(high)
	if public {
		lows, highs := s.data.Low, s.data.High
		s.data.Low, s.data.High = n, n
		for j := range low {
			low[j], high[j] = max(low[j], n-highs+high[j]), min(high[j], n-lows+low[j])
		}
	}
	for j := range low {
		if low[j] > high[j] {
			return "noisy counts that no table of n records explains"
		}
		s.data.TotalLow = append(s.data.TotalLow, low[j])
		s.data.TotalLength = append(s.data.TotalLength, high[j]-low[j]+1)
	}
	if work := s.work(); work > mostProducts {
		return fmt.Sprintf("a likelihood of %.2g products", work)
	}
	return ""
}

// work is how many products the sums of one evaluation take.
func (s *star) work() (products float64) {
	cell := 0
	for _, levels := range s.data.Levels {
		for j := range s.data.Classes {
			have := 0.0
			for range levels {
				own := float64(s.data.Length[cell])
				products += have * own
				have = math.Min(have+own, float64(s.data.TotalLow[j]+s.data.TotalLength[j]))
				cell++
			}
		}
	}
	have := 0.0
	for _, own := range s.data.TotalLength {
		products += have * float64(own)
		have += float64(own)
	}
	return products
}
