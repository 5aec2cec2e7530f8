package bench

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

//go:embed structure/nine.jsonl
var nine []byte

// Run is one finished run of bench/structure.sh on the nine tables: a line of nine.jsonl.
type Run struct {
	Peer      string     `json:"peer"`
	Table     string     `json:"table"`
	Notion    string     `json:"notion"` // pure, or approx: (ε, 1e-9)
	Epsilon   float64    `json:"epsilon"`
	Adjacency string     `json:"adjacency"`
	Seed      int        `json:"seed"`
	TV        [3]float64 `json:"tv"`          // mean total variation of columns, pairs, triples
	Model     *float64   `json:"model_pairs"` // pairs of our model, without the error of synthetic rows
	AUC       *float64   `json:"auc"`
	Accuracy  *float64   `json:"accuracy"`
	KMarginal *float64   `json:"k_marginal"` // NIST's score, of national2019
	KWay      *float64   `json:"k_way"`      // largest error of a cell's share, of births
	Rows      int        `json:"rows"`
	Seconds   float64    `json:"seconds"` // of a wall clock
	CPU       *float64   `json:"cpu"`     // seconds, start and scoring included; of the first runs not kept
	Declined  bool       `json:"declined"`
	Batches   bool       `json:"batches"`
	Error     string     `json:"error"`
	Limit     float64    `json:"limit"` // seconds that the run might take, of the processor since 29 November 2026
	Date      string     `json:"date"`
	Load      int        `json:"load"` // of the machine, when the run ended
}

// Nine are the committed runs on the nine tables, in the order in which they ended. Error: a line that is no run.
func Nine() (runs []Run, err error) {
	d := json.NewDecoder(bytes.NewReader(nine))
	d.DisallowUnknownFields()
	for {
		var r Run
		switch err := d.Decode(&r); {
		case err == io.EOF:
			return runs, nil
		case err != nil:
			return nil, err
		}
		runs = append(runs, r)
	}
}

// swift are figures of SWIFT (google/dpsynth), which is in no package registry: from an earlier measurement on the same
// rows at (1, 1e-9), add-remove. They were not run here.
var swift = []NineResult{
	{StructureResult: StructureResult{Table: "births", Pairs: spread(.0075, .0078), Triples: spread(.0277)}},
	{StructureResult: StructureResult{Table: "national2019", Pairs: spread(.0165, .0167)}},
	{StructureResult: StructureResult{Table: "titanic", Pairs: spread(.0136, .0190)}},
}

// NineResult is what the runs of one library on one table at one guarantee gave.
type NineResult struct {
	StructureResult
	Model, KMarginal, KWay, CPU *Measure
	Quoted                      bool
}

// spread is the mean of numbers with its standard error; nil of none.
func spread(x ...float64) *Measure {
	if len(x) == 0 {
		return nil
	}
	m := &Measure{}
	for _, v := range x {
		m.Mean += v / float64(len(x))
	}
	for _, v := range x {
		m.SE += (v - m.Mean) * (v - m.Mean)
	}
	if m.SE > 0 { // of one number it is 0
		m.SE = math.Sqrt(m.SE / float64(len(x)-1) / float64(len(x)))
	}
	return m
}

// key is what the runs of one result have in common.
func (r Run) key() string {
	return fmt.Sprint(r.Table, r.Notion, r.Epsilon, r.Adjacency, r.Peer)
}

// NineResults puts the runs of a library, a table and a guarantee together, with the quoted figures: the nearest first
// within a setting, and last those without a finished run.
func NineResults(runs []Run) []NineResult {
	var out []NineResult
	for _, q := range swift {
		q.Peer, q.Notion, q.Epsilon, q.Adjacency, q.Quoted = "SWIFT", "approx", 1, "add-remove", true
		q.Runs = 1
		if q.Pairs.SE > 0 {
			q.Runs = 2
		}
		out = append(out, q)
	}
	groups, order := map[string][]Run{}, []string{}
	for _, r := range runs {
		if groups[r.key()] == nil {
			order = append(order, r.key())
		}
		groups[r.key()] = append(groups[r.key()], r)
	}
	for _, key := range order {
		out = append(out, together(groups[key]))
	}
	slices.SortStableFunc(out, func(a, b NineResult) int {
		if c := strings.Compare(a.setting(Delta), b.setting(Delta)); c != 0 {
			return c
		}
		switch {
		case a.Pairs == nil || b.Pairs == nil:
			return strings.Compare(fmt.Sprint(a.Pairs == nil), fmt.Sprint(b.Pairs == nil))
		case a.Pairs.Mean < b.Pairs.Mean:
			return -1
		}
		return 1
	})
	return out
}

// Delta is the δ of the guarantees on the nine tables that are not pure.
const Delta = 1e-9

// together is the result of runs of one key.
func together(runs []Run) NineResult {
	first := runs[0]
	n := NineResult{StructureResult: StructureResult{Peer: first.Peer, Table: first.Table, Notion: first.Notion,
		Epsilon: first.Epsilon, Adjacency: first.Adjacency}}
	var pairs, triples, auc, model, marginal, way, cpu []float64
	for _, r := range runs {
		if r.Error != "" {
			n.Errors = append(n.Errors, r.Error)
			continue
		}
		n.Runs++
		n.Seconds, n.Declined = max(n.Seconds, r.Seconds), n.Declined || r.Declined
		pairs, triples = append(pairs, r.TV[1]), append(triples, r.TV[2])
		for _, m := range []struct {
			to *[]float64
			v  *float64
		}{{&auc, r.AUC}, {&model, r.Model}, {&marginal, r.KMarginal}, {&way, r.KWay}, {&cpu, r.CPU}} {
			if m.v != nil {
				*m.to = append(*m.to, *m.v)
			}
		}
	}
	n.Pairs, n.Triples, n.AUC = spread(pairs...), spread(triples...), spread(auc...)
	n.Model, n.KMarginal, n.KWay, n.CPU = spread(model...), spread(marginal...), spread(way...), spread(cpu...)
	return n
}

// NineTable has a row for every setting and library.
func NineTable(runs []Run) *table.Table {
	t := table.New("Synthetic rows of nine tables", "table, guarantee", "library", "TV of pairs", "of the model's pairs",
		"of triples", "AUC", "K-marginal", "k-way, %", "runs", "s", "CPU s")
	for _, r := range NineResults(runs) {
		cpu := "–"
		if r.CPU != nil {
			cpu = fmt.Sprintf("%.0f", r.CPU.Mean)
		}
		name, ran, s := r.Peer, fmt.Sprint(r.Runs), fmt.Sprintf("%.0f", r.Seconds)
		switch {
		case r.Quoted:
			name, s = name+" (quoted, not run here)", "–"
		case r.Declined:
			name += " (declined: columns by themselves)"
		case r.Runs == 0:
			ran, s = "0: "+r.Errors[len(r.Errors)-1], "–"
		}
		t.Add(r.setting(Delta), name, r.Pairs.String(), r.Model.String(), r.Triples.String(), r.AUC.String(),
			r.KMarginal.rounded(1, 1), r.KWay.rounded(100, 2), ran, s, cpu)
	}
	return t
}

// rounded is the mean times a factor, with digits behind the point, and its standard error.
func (m *Measure) rounded(factor float64, digits int) string {
	switch {
	case m == nil:
		return "–"
	case m.SE == 0:
		return fmt.Sprintf("%.*f", digits, m.Mean*factor)
	}
	return fmt.Sprintf("%.*f ± %.*f", digits, m.Mean*factor, digits, m.SE*factor)
}

// Losses says where a peer's rows are nearer in pairs than ours, with a private and with a declared size, and whether
// by more than two standard errors.
func Losses(runs []Run) (out []string) {
	results := NineResults(runs)
	for _, o := range results {
		for _, p := range results {
			if strings.HasPrefix(o.Peer, "ours") && !strings.HasPrefix(p.Peer, "ours") &&
				o.setting(Delta) == p.setting(Delta) && o.Pairs != nil && p.Pairs != nil && p.Pairs.Mean < o.Pairs.Mean {
				out = append(out, loss(o, p))
			}
		}
	}
	return out
}

// loss says in a sentence how much nearer a peer is.
func loss(ours, peer NineResult) string {
	verdict, quoted := "within two standard errors", ""
	switch se := math.Hypot(peer.Pairs.SE, ours.Pairs.SE); {
	case peer.Runs < 2 || ours.Runs < 2:
		verdict = "a side has one run, so the difference has no standard error"
	case ours.Pairs.Mean-peer.Pairs.Mean > 2*se:
		verdict = "more than two standard errors"
	}
	if peer.Quoted {
		quoted = " (quoted)"
	}
	return fmt.Sprintf("%s: %s%s is at %s, %s at %s: %s.", ours.setting(Delta), peer.Peer, quoted, peer.Pairs, ours.Peer,
		ours.Pairs, verdict)
}

// NineMarkdown is the table and the losses as bench/README.md has them.
func NineMarkdown(runs []Run) string {
	b := &strings.Builder{}
	b.WriteString(markdown(NineTable(runs)))
	b.WriteString("\nWhere a peer's rows are nearer in pairs than ours:\n\n")
	for _, l := range Losses(runs) {
		b.WriteString("* " + l + "\n")
	}
	return b.String()
}
