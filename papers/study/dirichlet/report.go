package dirichlet

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Values are a method's scores in one cell: by metric, one per ε; one in all for the model that is not private.
type Values map[Metric][]float64

// Cell holds the scores of every method on one split. It reads raw rows: a diagnostic.
type Cell struct {
	Task   Task              `json:"task"`
	Data   string            `json:"data"`
	Seed   int               `json:"seed"`
	Train  int               `json:"n"`
	Test   int               `json:"held_out"`
	Tables int               `json:"tables"`
	Cells  int               `json:"cells"`
	Scores map[string]Values `json:"scores"`
}

// Settings are what the scores depend on, but for data set and seed.
type Settings struct {
	Bins      Bins      `json:"bins"`
	Order     float64   `json:"order"`
	Fraction  float64   `json:"train_fraction"`
	Quantiles int       `json:"quantile_bins,omitempty"`
	Epsilons  []float64 `json:"epsilons"`
	Methods   []string  `json:"methods"`
}

// Report holds what a run found, with its provenance.
type Report struct {
	Study    string            `json:"study"`
	Version  string            `json:"library_version"`
	Command  string            `json:"command"` // that makes it again
	Privacy  string            `json:"privacy"`
	Data     map[string]string `json:"data_sha256"` // of the uncompressed tables
	Settings Settings          `json:"settings"`
	Cells    []Cell            `json:"cells"` // by data set, task and seed
}

const studyName = "Dirichlet mechanism, naive Bayes and networks"

// newReport is an empty report of the options, or the cells to resume.
func newReport(o Options) (*Report, error) {
	sums, err := hashes(o.Data)
	if err != nil {
		return nil, err
	}
	r := &Report{
		Study: studyName, Version: release.Version, Privacy: privacyOf(o.Bins), Data: sums, Command: o.command(),
		Settings: Settings{Bins: o.Bins, Order: Order, Fraction: fraction, Epsilons: o.Epsilons, Methods: o.Methods},
	}
	if o.Bins.readsData() {
		r.Settings.Quantiles = QuantileBins
	}
	if o.Resume == nil {
		return r, nil
	}
	if err := r.agrees(o.Resume); err != nil {
		return nil, err
	}
	maps.Copy(r.Data, o.Resume.Data)
	r.Cells = slices.Clone(o.Resume.Cells)
	return r, nil
}

func privacyOf(b Bins) string {
	switch b {
	case Decile:
		return "NotPrivate: deciles and categories are computed from the data"
	case Quantile:
		return "NotPrivate: quantile bins and categories are computed from the data"
	}
	return "Every plan has (5, ε)-Rényi DP, replace-one; the draws come from seeds and are compared with raw rows: a " +
		"diagnostic on public data, not a release"
}

// command is the command line of a run.
func (o Options) command() string {
	c := "privbayes-papers study dirichlet"
	if len(o.Data) < len(data.StudyNames()) {
		c += " --data " + strings.Join(o.Data, ",")
	}
	if len(o.Methods) < len(methods) {
		c += " --methods " + strings.Join(o.Methods, ",")
	}
	return fmt.Sprintf("%s --bins %s --seeds %d --out FILE", c, o.Bins, o.Seeds)
}

// agrees checks that cells of another report may stand beside this one's.
func (r *Report) agrees(old *Report) error {
	if old.Version != r.Version {
		return &SettingsError{"library version", old.Version, r.Version}
	}
	have, _ := json.Marshal(old.Settings)
	want, _ := json.Marshal(r.Settings)
	if !bytes.Equal(have, want) {
		return &SettingsError{"settings", string(have), string(want)}
	}
	for name, sum := range old.Data {
		if now, ok := r.Data[name]; ok && now != sum {
			return &SettingsError{"SHA-256 of " + name, sum, now}
		}
	}
	return nil
}

func (r *Report) has(j job) bool {
	return slices.ContainsFunc(r.Cells, func(c Cell) bool {
		return c.Task == j.task && c.Data == j.name &&
			c.Seed == j.seed
	})
}

func (r *Report) add(c Cell) {
	r.Cells = append(r.Cells, c)
	slices.SortFunc(r.Cells, func(a, b Cell) int {
		if a.Data != b.Data {
			if a.Data < b.Data {
				return -1
			}
			return 1
		}
		if a.Task != b.Task {
			if a.Task == NaiveBayes {
				return -1
			}
			return 1
		}
		return a.Seed - b.Seed
	})
}

// rounded keeps seven digits: what is left out is far below every standard error.
func rounded(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 7, 64), 64)
	if err != nil {
		return x
	}
	return y
}

// Write writes the report as JSON, one line a cell.
func (r *Report) Write(w io.Writer) error {
	head := *r
	head.Cells = nil
	b, err := json.MarshalIndent(head, "", " ")
	if err != nil {
		return err
	}
	b = append(bytes.TrimSuffix(b, []byte("null\n}")), '[')
	for i, c := range r.Cells {
		line, err := json.Marshal(c)
		if err != nil {
			return err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, "\n  "...), line...)
	}
	_, err = w.Write(append(b, "\n ]\n}\n"...))
	return err
}

// Save writes the report to a file that is replaced in one step, so that an interrupted run leaves a whole one.
func (r *Report) Save(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".study-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err = r.Write(f); err == nil {
		err = f.Chmod(0o644)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Read reads a report that Write wrote; an unknown field or a score that is not finite is an error.
func Read(rd io.Reader) (*Report, error) {
	d := json.NewDecoder(rd)
	d.DisallowUnknownFields()
	var r Report
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("study: report: %w", err)
	}
	if r.Study != studyName {
		return nil, &SettingsError{"study", fmt.Sprintf("%q", r.Study), fmt.Sprintf("%q", studyName)}
	}
	for _, c := range r.Cells {
		for id, v := range c.Scores {
			for metric, x := range v {
				if len(x) != 1 && len(x) != len(r.Settings.Epsilons) ||
					slices.ContainsFunc(x, func(y float64) bool { return math.IsNaN(y) || math.IsInf(y, 0) }) {
					return nil, &SettingsError{fmt.Sprintf("%s, %s, %s of split %d:", c.Data, id, metric, c.Seed+1),
						fmt.Sprint(len(x), " values"), "one per ε"}
				}
			}
		}
	}
	return &r, nil
}

// ReadFile reads a report from a file.
func ReadFile(path string) (*Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f)
}

//go:embed results
var committed embed.FS

var parsed = map[Bins]func() (*Report, error){Public: load(Public), Decile: load(Decile), Quantile: load(Quantile)}

func load(b Bins) func() (*Report, error) {
	return sync.OnceValues(func() (*Report, error) {
		text, err := committed.ReadFile("results/" + string(b) + ".json")
		if err != nil {
			return nil, err
		}
		return Read(bytes.NewReader(text))
	})
}

// Results is the committed report of the whole study with ten splits. The report names the command that makes it again;
// it is shared: do not change it. *dp.ParameterError for other bins.
func Results(b Bins) (*Report, error) {
	get, ok := parsed[b]
	if !ok {
		return nil, domain.Refuse("dirichlet", "bins", string(b), "public, decile or quantile")
	}
	return get()
}

// Stat is a mean over splits with its standard error, the sample standard deviation over √N.
type Stat struct {
	Mean, SE float64
	N        int
}

// String shows mean ± s.e.
func (s Stat) String() string {
	if s.N < 2 {
		return table.Number(s.Mean)
	}
	return figure.Estimate(s.Mean, s.SE)
}

func statOf(x []float64) Stat {
	s := Stat{N: len(x)}
	for _, v := range x {
		s.Mean += v / float64(len(x))
	}
	if s.N > 1 {
		ss := 0.0
		for _, v := range x {
			ss += (v - s.Mean) * (v - s.Mean)
		}
		s.SE = math.Sqrt(ss / float64(s.N-1) / float64(s.N))
	}
	return s
}

// values are a method's scores at the i-th ε, one per split, in the order of the splits.
func (r *Report) values(task Task, name, id string, metric Metric, i int) (out []float64) {
	for _, c := range r.Cells {
		if c.Task != task || c.Data != name {
			continue
		}
		x := c.Scores[id][metric]
		switch {
		case len(x) == 1:
			out = append(out, x[0])
		case i >= 0 && i < len(x):
			out = append(out, x[i])
		}
	}
	return out
}

// Stat is the mean of a metric over the splits at the i-th ε of the settings; ok is false where the report has none.
// Naive Bayes has KL, CrossEntropy and Accuracy, networks have LogLikelihood.
func (r *Report) Stat(name, id string, metric Metric, i int) (s Stat, ok bool) {
	x := r.values(taskOf(metric), name, id, metric, i)
	return statOf(x), len(x) > 0
}

func taskOf(m Metric) Task {
	if m == LogLikelihood {
		return Network
	}
	return NaiveBayes
}

// DataSets lists the data sets that a task has cells of, in the order of the paper's Table 1.
func (r *Report) DataSets(task Task) (names []string) {
	for _, name := range data.StudyNames() {
		if slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Task == task && c.Data == name }) {
			names = append(names, name)
		}
	}
	return names
}

// metricNames are the metrics for people.
var metricNames = map[Metric]string{
	KL:            "parameter KL (nats)",
	CrossEntropy:  "cross-entropy on held-out records (nats)",
	Accuracy:      "accuracy on held-out records",
	LogLikelihood: "log-likelihood per held-out record (nats)",
}

// Table tabulates a metric: one row per data set and method, one column per ε, mean ± s.e. Without names it has all
// data sets. Errors: *dp.ParameterError for an unknown metric or a data set without cells.
func (r *Report) Table(metric Metric, names ...string) (*table.Table, error) {
	label, ok := metricNames[metric]
	if !ok {
		return nil, domain.Refuse("dirichlet", "metric", string(metric), "kl, ce, acc or ll")
	}
	have := r.DataSets(taskOf(metric))
	if len(names) == 0 {
		names = have
	}
	columns := []string{"data set", "method"}
	for _, e := range r.Settings.Epsilons {
		columns = append(columns, "ε = "+table.Number(e))
	}
	t := table.New(label, columns...)
	for _, name := range names {
		if !slices.Contains(have, name) {
			return nil, domain.Refuse("dirichlet", "data set", name, fmt.Sprintf("one of the report: %v", have))
		}
		for _, id := range r.Settings.Methods {
			row := []any{name, id}
			for i := range r.Settings.Epsilons {
				if s, ok := r.Stat(name, id, metric, i); ok {
					row = append(row, s.String())
				}
			}
			if len(row) > 2 {
				t.Add(row...)
			}
		}
	}
	return t.Note(r.footing()), nil
}

// footing says what every number stands on.
func (r *Report) footing() string {
	s := r.Settings
	return fmt.Sprintf("(λ, ε)-Rényi DP, λ = %g, δ = 0, replace-one; %s bins; mean ± s.e. over %d splits, %g for "+
		"training. %s.",
		s.Order, s.Bins, r.seeds(), s.Fraction, r.Privacy)
}

// seeds is the largest number of splits of a data set.
func (r *Report) seeds() (most int) {
	n := map[string]int{}
	for _, c := range r.Cells {
		key := string(c.Task) + c.Data
		n[key]++
		most = max(most, n[key])
	}
	return most
}

// Table1 is the paper's Table 1 of the data sets, with what this library knows about each.
func Table1() *table.Table {
	t := table.New("Table 1: the data sets", "data set", "records", "attributes", "classes", "positive", "citation")
	for _, o := range data.Study() {
		share := "—"
		if o.Positive != "" {
			share = fmt.Sprintf("%.0f %%", 100*float64(o.ClassCounts[o.Positive])/float64(o.Rows))
		}
		t.Add(o.PaperName, o.Rows, o.Features, o.Classes, share, o.Citation)
	}
	return t.Note("All from the UCI Machine Learning Repository, CC BY 4.0. Adult without fnlwgt.")
}

// statements are what the paper says of its figures, as contests of Algorithm 1 against others.
var statements = []struct {
	metric Metric
	words  string
}{
	{CrossEntropy, "Figure 3: lower cross-entropy"},
	{Accuracy, "Figure 4: higher accuracy (the paper: no clear winner)"},
	{LogLikelihood, "Figure 6: larger log-likelihood of networks"},
	{KL, "not in the paper: smaller KL of the parameters"},
}

// Statements tabulates what the paper says of its experiments: in how many comparisons, one per data set and ε,
// Algorithm 1 has the better mean. First against the paper's own baselines, then against posterior means of the same
// noise, which cost no privacy.
func (r *Report) Statements() *table.Table {
	t := table.New("Algorithm 1 is ahead", "in", "of the Gaussian, clipped", "of the Laplace, clipped",
		"of the Gaussian, posterior means", "of the Laplace, posterior means")
	for _, s := range statements {
		row := []any{s.words}
		for _, id := range []string{"gauss_paper", "lap_paper", "gauss_fix", "lap_fix"} {
			c := r.Contest(s.metric, "dir_alg1", id)
			row = append(row, fmt.Sprintf("%d of %d", c.Wins, c.Total))
		}
		t.Add(row...)
	}
	return t.Note("Clipped: noisy counts below 1e-6 become 1e-6, as in the paper's code.").Note(r.footing())
}

// Contest counts in how many comparisons, one per data set and ε, one method has a better mean than another.
type Contest struct {
	A, B        string
	Wins, Total int // A better than B
	Clear       int // of Wins, by more than two standard errors of the difference on the same splits
}

// Gap is by how much one method is better than another in a metric on one data set at the i-th ε: the mean difference
// over the same splits, positive where a is better; ok is false where the report has not both.
func (r *Report) Gap(name, a, b string, metric Metric, i int) (s Stat, ok bool) {
	x, y := r.values(taskOf(metric), name, a, metric, i), r.values(taskOf(metric), name, b, metric, i)
	if len(x) == 0 || len(x) != len(y) {
		return s, false
	}
	d := make([]float64, len(x))
	for k := range d {
		if d[k] = y[k] - x[k]; higherIsBetter(metric) {
			d[k] = -d[k]
		}
	}
	return statOf(d), true
}

// Contest compares two methods in a metric over all data sets and ε of the report.
func (r *Report) Contest(metric Metric, a, b string) Contest {
	c := Contest{A: a, B: b}
	for _, name := range r.DataSets(taskOf(metric)) {
		for i := range r.Settings.Epsilons {
			s, ok := r.Gap(name, a, b, metric, i)
			if !ok {
				continue
			}
			c.Total++
			if s.Mean > 0 {
				c.Wins++
				if s.Mean > 2*s.SE && s.N > 1 {
					c.Clear++
				}
			}
		}
	}
	return c
}

func higherIsBetter(m Metric) bool { return m == Accuracy || m == LogLikelihood }

// Best counts for every method in how many comparisons, one per data set and ε, its mean is the best of all private
// ones.
func (r *Report) Best(metric Metric) (wins map[string]int, total int) {
	wins = map[string]int{}
	for _, name := range r.DataSets(taskOf(metric)) {
		for i := range r.Settings.Epsilons {
			best, at := "", 0.0
			for _, id := range r.Settings.Methods {
				if id == MLE {
					continue
				}
				s, ok := r.Stat(name, id, metric, i)
				if ok && (best == "" || higherIsBetter(metric) && s.Mean > at || !higherIsBetter(metric) &&
					s.Mean < at) {
					best, at = id, s.Mean
				}
			}
			if best != "" {
				wins[best]++
				total++
			}
		}
	}
	return wins, total
}

// Summary tabulates how often every method is the best in parameter KL of naive Bayes and in log-likelihood of
// networks, and how often it is better than Algorithm 1; the notes say what follows.
func (r *Report) Summary() *table.Table {
	t := table.New("Who wins", "method", "title", "best in KL", "KL below Algorithm 1", "clearly",
		"best in log-likelihood", "log-likelihood above Algorithm 1", "clearly")
	kl, klTotal := r.Best(KL)
	ll, llTotal := r.Best(LogLikelihood)
	of := func(wins, total int) any {
		if total == 0 {
			return nil
		}
		return fmt.Sprintf("%d of %d", wins, total)
	}
	for _, id := range r.Settings.Methods {
		if id == MLE {
			continue
		}
		m, _ := methodOf(id)
		a, b := r.Contest(KL, id, "dir_alg1"), r.Contest(LogLikelihood, id, "dir_alg1")
		if id == "dir_alg1" {
			t.Add(id, m.Title, of(kl[id], klTotal), nil, nil, of(ll[id], llTotal), nil, nil)
			continue
		}
		t.Add(id, m.Title, of(kl[id], klTotal), of(a.Wins, a.Total), of(a.Clear, a.Total), of(ll[id], llTotal),
			of(b.Wins, b.Total), of(b.Clear, b.Total))
	}
	return t.Note(
		r.Verdict(),
	).Note(
		"Clearly: by more than two standard errors of the difference on the same splits.",
	).Note(
		r.footing(),
	)
}

// Verdict says in a sentence, from the numbers, what becomes of the advantage of Algorithm 1 over Gaussian noise in KL,
// which the paper does not show, when the noisy counts, of the same noise, are not clipped at 1e-6 but replaced by
// their posterior means, which is free.
func (r *Report) Verdict() string {
	clipped := r.Contest(KL, "dir_alg1", "gauss_clip")
	fixed := r.Contest(KL, "dir_alg1", "gauss_fix")
	if clipped.Total == 0 || fixed.Total == 0 {
		return "The report has not both Gaussian methods and Algorithm 1: no verdict."
	}
	s := fmt.Sprintf("In KL, Algorithm 1 beats Gaussian noise clipped at 1e-6 in %d of %d comparisons, and the same "+
		"noise with a posterior mean in %d of %d",
		clipped.Wins, clipped.Total, fixed.Wins, fixed.Total)
	switch {
	case fixed.Wins == 0 && clipped.Wins > 0:
		return s + ": the advantage in KL is that over clipped counts."
	case fixed.Wins < clipped.Wins && fixed.Clear == 0:
		return s + ", never by two standard errors: the advantage in KL is that over clipped counts."
	case fixed.Wins < clipped.Wins:
		return s + ": most of the advantage in KL is that over clipped counts."
	}
	return s + ": the advantage in KL does not come from clipping."
}
