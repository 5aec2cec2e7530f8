// Command structure is this library's side of bench/structure.sh, and the scorer of both sides: it writes the training
// rows of the study of learned structures as codes, learns from them, and scores synthetic rows of any origin.
//
//	structure export FOLDER TABLE...
//	structure ours TABLE MODEL pure|approx EPSILON replace-one|add-remove SEED
//	structure score TABLE FILE.csv
package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/privbayes/privbayes-go/papers/study/structure"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "structure:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) > 2 && args[0] == "export":
		return export(args[1], args[2:])
	case len(args) == 7 && args[0] == "ours":
		return ours(args[1], args[2], args[3], args[4], args[5], args[6])
	case len(args) == 3 && args[0] == "score":
		return scoreFile(args[1], args[2])
	}
	return fmt.Errorf("%q: want export, ours or score with their arguments", args)
}

// export writes TABLE.csv, the codes of the training rows, and TABLE.json, what is public of them.
func export(folder string, names []string) error {
	for _, name := range names {
		set, err := load(name)
		if err != nil {
			return err
		}
		c, err := structure.Code(set.Train)
		if err != nil {
			return err
		}
		file, err := os.Create(filepath.Join(folder, name+".csv"))
		if err != nil {
			return err
		}
		b := bufio.NewWriter(file)
		w := csv.NewWriter(b)
		_ = w.Write(c.Names)
		row := make([]string, len(c.Names))
		for r := range c.Rows {
			for i := range row {
				row[i] = strconv.Itoa(int(c.Columns[i][r]))
			}
			_ = w.Write(row)
		}
		w.Flush()
		if err := w.Error(); err != nil {
			return err
		}
		if err := b.Flush(); err != nil {
			return err
		}
		if err := file.Close(); err != nil {
			return err
		}
		about, err := json.Marshal(map[string]any{"columns": c.Names, "levels": c.Levels, "rows": c.Rows})
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name+".json"), about, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// score is what is said of one synthetic table.
type score struct {
	TV       [3]float64 `json:"tv"` // columns, pairs, triples
	AUC      *float64   `json:"auc,omitempty"`
	Accuracy *float64   `json:"accuracy,omitempty"`
	Model    float64    `json:"model_pairs,omitempty"` // pairs of our model, without what rows add
	Marginal float64    `json:"k_marginal,omitempty"`  // NIST's, of national2019
	KWay     float64    `json:"k_way,omitempty"`       // the largest error of a cell, of births
	Rows     int        `json:"rows"`
	Seconds  float64    `json:"seconds,omitempty"`
	Declined bool       `json:"declined,omitempty"`
	Batches  bool       `json:"batches,omitempty"` // pairs were chosen in batches, whose noise depends on the choice
}

func scored(set *structure.Set, j *structure.Scorer, c *structure.Coded) (s score, err error) {
	s.Rows = c.Rows
	if s.TV, err = j.Distances(c); err != nil {
		return s, err
	}
	switch set.Name {
	case "births":
		s.KWay = kWay(set, j.Train, c)
	case "national2019":
		s.Marginal, err = kMarginal(set, j.Train, c)
	default:
		if d, ok := j.Classify(c); ok {
			s.AUC, s.Accuracy = &d.AUC, &d.Accuracy
		}
	}
	return s, err
}

func scoreFile(name, path string) error {
	set, err := load(name)
	if err != nil {
		return err
	}
	j, err := structure.NewScorer(set)
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return err
	}
	if len(rows) == 0 || len(rows[0]) != len(j.Train.Names) {
		return fmt.Errorf("%s: want a head of %d columns", path, len(j.Train.Names))
	}
	c := &structure.Coded{Names: rows[0], Rows: len(rows) - 1}
	levels := map[string]int{}
	for i, n := range j.Train.Names {
		levels[n] = j.Train.Levels[i]
	}
	for i, n := range c.Names {
		col := make([]uint8, c.Rows)
		for r, row := range rows[1:] {
			k, err := strconv.Atoi(row[i])
			if err != nil || k < 0 || k >= levels[n] {
				return fmt.Errorf("%s: %s = %q in row %d; want a code below %d", path, n, row[i], r+1, levels[n])
			}
			col[r] = uint8(k)
		}
		c.Levels, c.Columns = append(c.Levels, levels[n]), append(c.Columns, col)
	}
	s, err := scored(set, j, c)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(s)
}

// ours releases with a seed and scores the records that the model gives with exact counts.
func ours(name, spec, notion, epsilon, adjacency, seed string) error {
	set, err := load(name)
	if err != nil {
		return err
	}
	j, err := structure.NewScorer(set)
	if err != nil {
		return err
	}
	eps, err := strconv.ParseFloat(epsilon, 64)
	if err != nil {
		return err
	}
	s, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return err
	}
	m, mechanism, target, err := asked(spec, notion, eps, j.Train.Rows)
	if err != nil {
		return err
	}
	train, err := categories(name, j.Train)
	if err != nil {
		return err
	}
	if adjacency == "add-remove" {
		target = target.Under(dp.AddRemove)
	}
	start := time.Now()
	r, err := privbayes.WrapFrame(train, nil).Model(m).Privatize(mechanism, target, privbayes.Seeded(s)).Release()
	if err != nil {
		return err
	}
	learned := r.Structure()
	synthetic, err := r.SynthesizeExact(int(learned.Size), dp.Seeded(s))
	if err != nil {
		return err
	}
	seconds := time.Since(start).Seconds()
	c, err := structure.Code(synthetic)
	if err != nil {
		return err
	}
	out, err := scored(set, j, c)
	if err != nil {
		return err
	}
	if out.Model, err = modelPairs(r.Model().Network(), j.Train); err != nil {
		return err
	}
	out.Seconds, out.Declined, out.Batches = seconds, learned.Declined != "", learned.NoiseChosen
	return json.NewEncoder(os.Stdout).Encode(out)
}

// asked is the model, the mechanism and the target of a run; rows are declared where the model is "sized".
func asked(spec, notion string, epsilon float64, rows int) (m privbayes.ModelSpec, mech privbayes.Mechanism,
	t privbayes.Target, err error) {
	mech, t = privbayes.DiscreteGaussian(), privbayes.ApproxDP(epsilon, structure.Delta)
	if notion == "pure" {
		mech, t = privbayes.Geometric(), privbayes.PureDP(epsilon)
	}
	switch spec {
	case "default":
		return privbayes.MaxEntropy(), mech, t, nil
	case "sized":
		return privbayes.MaxEntropy().Size(rows), mech, t, nil
	case "always":
		return privbayes.MaxEntropy().Always(), mech, t, nil
	case "tree":
		return privbayes.Tree(), mech, t, nil
	}
	// PrivBayes by a score, with a degree or by usefulness, at the paper's own formulas
	if m, ok := map[string]privbayes.ModelSpec{
		"privbayes-I-1": privbayes.PrivBayes().Scored(privbayes.ByInformation).Degree(1),
		"privbayes-I-2": privbayes.PrivBayes().Scored(privbayes.ByInformation).Degree(2),
		"privbayes-I":   privbayes.PrivBayes().Scored(privbayes.ByInformation),
		"privbayes-R-1": privbayes.PrivBayes().Degree(1),
		"privbayes-R-2": privbayes.PrivBayes().Degree(2),
		"privbayes-R":   privbayes.PrivBayes(),
	}[spec]; ok && notion == "pure" {
		return m, privbayes.LearnedAsPublished(), privbayes.AsPublished(epsilon), nil
	}
	return nil, nil, t, fmt.Errorf("model %q, %s: want default, sized, always, tree or, pure, privbayes-I or "+
		"privbayes-R, -1 or -2", spec, notion)
}
