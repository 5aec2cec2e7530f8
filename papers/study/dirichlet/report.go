package dirichlet

import (
	"bytes"
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

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/release"
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
	if o.Bins == Quantile {
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
	if b == Quantile {
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
