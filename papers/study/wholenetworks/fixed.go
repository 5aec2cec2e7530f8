package wholenetworks

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Truths are the networks with fixed probabilities, by name: "small" is disease, sick and age of child, twelve rows of
// three levels; asia is as published; those that are skewed have the graph of child, sachs or alarm and probabilities
// far from even ones, see truth.
func Truths() []string {
	return []string{"small", "asia", "child, skewed", "sachs, skewed", "alarm, skewed"}
}

// graphs are published graphs, by name: a node, its levels, its parents. child is of Spiegelhalter and Cowell (Learning
// in probabilistic expert systems, 1992), sachs of Sachs et al. (Science 308, 2005), alarm of Beinlich et al. (The ALARM
// monitoring system, 1989).
var graphs = map[string]string{
	"child, skewed": `BirthAsphyxia 2; Disease 6 BirthAsphyxia; Sick 2 Disease; Age 3 Disease Sick; LVH 2 Disease;
LVHreport 2 LVH; DuctFlow 3 Disease; CardiacMixing 4 Disease; LungParench 3 Disease; LungFlow 3 Disease;
HypDistrib 2 DuctFlow CardiacMixing; HypoxiaInO2 3 CardiacMixing LungParench; CO2 3 LungParench; CO2Report 2 CO2;
ChestXray 5 LungParench LungFlow; XrayReport 5 ChestXray; Grunting 2 LungParench Sick; GruntingReport 2 Grunting; LowerBodyO2 3 HypDistrib HypoxiaInO2;
RUQO2 3 HypoxiaInO2`,
	"sachs, skewed": `PKC 3; Plcg 3; PKA 3 PKC; Raf 3 PKA PKC; Mek 3 PKA PKC Raf; Erk 3 Mek PKA; Akt 3 Erk PKA;
Jnk 3 PKA PKC; P38 3 PKA PKC; PIP3 3 Plcg; PIP2 3 PIP3 Plcg`,
	"alarm, skewed": `HYPOVOLEMIA 2; LVFAILURE 2; HISTORY 2 LVFAILURE; LVEDVOLUME 3 HYPOVOLEMIA LVFAILURE;
CVP 3 LVEDVOLUME; PCWP 3 LVEDVOLUME; STROKEVOLUME 3 HYPOVOLEMIA LVFAILURE; ERRLOWOUTPUT 2; ERRCAUTER 2; INSUFFANESTH 2;
ANAPHYLAXIS 2; TPR 3 ANAPHYLAXIS; KINKEDTUBE 2; FIO2 2; PULMEMBOLUS 2; PAP 3 PULMEMBOLUS; INTUBATION 3;
SHUNT 2 INTUBATION PULMEMBOLUS; DISCONNECT 2; MINVOLSET 3; VENTMACH 4 MINVOLSET; VENTTUBE 4 DISCONNECT VENTMACH;
PRESS 4 INTUBATION KINKEDTUBE VENTTUBE; VENTLUNG 4 INTUBATION KINKEDTUBE VENTTUBE; MINVOL 4 INTUBATION VENTLUNG;
VENTALV 4 INTUBATION VENTLUNG; PVSAT 3 FIO2 VENTALV; SAO2 3 PVSAT SHUNT; ARTCO2 3 VENTALV; EXPCO2 4 ARTCO2 VENTLUNG;
CATECHOL 2 ARTCO2 INSUFFANESTH SAO2 TPR; HR 3 CATECHOL; HRBP 3 ERRLOWOUTPUT HR; HREKG 3 ERRCAUTER HR;
HRSAT 3 ERRCAUTER HR; CO 3 HR STROKEVOLUME; BP 3 CO TPR`,
}

// truth is the network of a name: *dp.ParameterError.
func truth(name string) (*bayesnet.Net, error) {
	graph, cpts := graphs[name], [][]float64(nil)
	switch name {
	case "asia":
		return bayesnet.Asia(), nil
	case "small":
		graph = "Disease 6; Sick 2 Disease; Age 3 Disease Sick"
		cpts = [][]float64{{.05, .33, .29, .23, .05, .05}, {.4, .6, .3, .7, .2, .8, .3, .7, .7, .3, .7, .3}, {}}
		for _, p := range []float64{.95, .85, .8, .7, .7, .25, .8, .8, .8, .7, .9, .8} {
			cpts[2] = append(cpts[2], p, (1-p)*2/3, (1-p)/3)
		}
	default:
		if graph == "" {
			return nil, domain.Refuse("wholenetworks", "Network", fmt.Sprintf("%q", name),
				fmt.Sprintf("one of %q", Truths()))
		}
	}
	var nodes []bayesnet.Node
	for _, line := range strings.Split(graph, ";") {
		words := strings.Fields(line)
		nodes = append(nodes, bayesnet.Node{Name: words[0], States: strings.Split("012345", "")[:words[1][0]-'0'],
			Parents: words[2:]})
	}
	d, err := bayesnet.NewDAG(nodes)
	if err != nil {
		return nil, err
	}
	for v := len(cpts); v < d.Len(); v++ { // .8 at the first level, of every third row .6 at the second
		var rows []float64
		levels := d.Arity(v)
		for row := range d.FamilyCells(v) / levels {
			at, p := 0, .8
			if row%3 == 2 {
				at, p = 1, .6
			}
			for l := range levels {
				rows = append(rows, (1-p)/float64(levels-1))
				if l == at {
					rows[len(rows)-1] = p
				}
			}
		}
		cpts = append(cpts, rows)
	}
	return bayesnet.NewNet(d, cpts)
}

// Fixed is one point at fixed probabilities.
type Fixed struct {
	Network string  `json:"network"`
	Records int     `json:"records"`
	Epsilon float64 `json:"epsilon"`
	// IndependentRows has α = 1 in every cell and not the default prior.
	IndependentRows bool `json:"independent_rows,omitempty"`
}

// Conditions are how a release is made and read; of the zero value by K-norm noise, pure ε, replace-one, n public, and
// under the short contract.
type Conditions struct {
	Noise    string `json:"noise,omitempty"`     // as in Spec
	PrivateN bool   `json:"private_n,omitempty"` // add-remove
	Full     bool   `json:"full_contract,omitempty"`
	Drawn    bool   `json:"drawn,omitempty"` // probabilities are drawn from the default prior for each release
}

// Kind is what a question is about.
type Kind string

// The kinds: the marginals of all levels of nodes with children and of leaves, and P(the first node with children =
// its first level | a leaf), given the leaf's likeliest level and given its rarest.
const (
	Inner  Kind = "inner marginals"
	Leaf   Kind = "leaf marginals"
	Common Kind = "common evidence"
	Rare   Kind = "rare evidence"
	All    Kind = "all questions"
)

// Kinds lists them.
func Kinds() []Kind { return []Kind{All, Inner, Leaf, Common, Rare} }

// FixedPoint is what was counted.
type FixedPoint struct {
	Fixed
	Conditions
	Replicates   int            `json:"replicates"`
	NotConverged int            `json:"not_converged"`
	Seconds      float64        `json:"cpu_seconds_each"`
	Of           map[Kind]Share `json:"of"`
	// Each has the releases so far, while there are to be more: an empty map is of chains that did not converge.
	Each []map[Kind]Counted `json:"each,omitempty"`
}

// Counted is the share of questions whose interval holds, and the mean width, of one release.
type Counted [2]float64

// Share is a coverage with the standard deviation of a replicate's share, and the mean width.
type Share struct {
	Held  float64 `json:"held"`
	SD    float64 `json:"sd"`
	Width float64 `json:"width"`
}

// asked is a question of a kind.
type asked struct {
	of  Kind
	ask *noiseaware.Question
}

// fixedQuestions leaves out what is exactly 0 or 1 in the network, which no interval of a posterior with a density
// covers.
func fixedQuestions(net *bayesnet.Net) (out []asked, err error) {
	d := net.DAG()
	first := 0
	for len(d.Children(first)) == 0 {
		first++
	}
	event := func(v, l int) noiseaware.Event { return noiseaware.Event{d.Node(v).Name: d.Node(v).States[l]} }
	add := func(of Kind, q *noiseaware.Question) error {
		x, err := q.Of(net)
		if err == nil && x > 1e-9 && x < 1-1e-9 {
			out = append(out, asked{of, q})
		}
		return err
	}
	for v := range d.Len() {
		of := Inner
		if len(d.Children(v)) == 0 {
			of = Leaf
		}
		for l := range d.Arity(v) {
			if !free(d, v, l) {
				continue
			}
			if err := add(of, noiseaware.Probability(event(v, l))); err != nil {
				return nil, err
			}
		}
		if of == Inner {
			continue
		}
		p, err := net.Marginal(v)
		if err != nil {
			return nil, err
		}
		for i, l := range []int{slices.Index(p, slices.Max(p)), slices.Index(p, slices.Min(p))} {
			if err := add([]Kind{Common, Rare}[i], noiseaware.Probability(event(first, 0), event(v, l))); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// CoverFixed counts how often 95 % intervals cover what a fixed network says, over releases of its records. Errors:
// those of Cover.
func CoverFixed(ctx context.Context, s Fixed, c Conditions, replicates int, seed uint64) (*FixedPoint, error) {
	p := &FixedPoint{Fixed: s, Conditions: c, Replicates: replicates}
	return p, p.Complete(ctx, seed, func() {})
}

// Complete makes the releases that a point does not have yet, and calls save after each. Errors: those of Cover.
func (p *FixedPoint) Complete(ctx context.Context, seed uint64, save func()) error {
	s, c := p.Fixed, p.Conditions
	net, err := truth(s.Network)
	if err != nil {
		return err
	}
	d := net.DAG()
	m := model.NetworkOf(d.Node(0).Name, d)
	if s.IndependentRows {
		m = m.WithPrior(1)
	}
	set, err := planOf(ctx, d, m, s.Records, !c.PrivateN, s.Epsilon, cmp.Or(c.Noise, "K-norm"), 1)
	if err != nil {
		return err
	}
	list, err := fixedQuestions(net)
	if err != nil {
		return err
	}
	var asks []*noiseaware.Question
	for _, q := range list {
		asks = append(asks, q.ask)
	}
	if !c.Full {
		ctx = simulate.Short.With(ctx)
	}
	var point any = s
	if c != (Conditions{}) {
		point = struct {
			Fixed
			Conditions
		}{s, c}
	}
	first := len(p.Each)
	_, err = simulate.Replicates(ctx, p.Replicates-first, 1, func(i int) error {
		src := simulate.Stream("wholenetworks", seed, point, first+i)
		net := net
		if c.Drawn {
			if net, err = fromDefault(d, src); err != nil {
				return err
			}
		}
		p.Each = append(p.Each, map[Kind]Counted{})
		of, seconds, err := intervals(ctx, set, net, src, asks, c.Full)
		if err == nil {
			p.Seconds += seconds / float64(p.Replicates)
			p.Each[first+i] = counted(of[len(of)-len(asks):], list)
			save()
		}
		return err
	})
	if err == nil {
		p.summarize()
	}
	return err
}

// counted is what intervals held, by kind.
func counted(of []interval, list []asked) map[Kind]Counted {
	sums, count := map[Kind]Counted{}, map[Kind]float64{}
	for j, x := range of {
		for _, k := range []Kind{All, list[j].of} {
			t := sums[k]
			sums[k] = Counted{t[0] + simulate.Held(x.lower, x.upper, x.truth), t[1] + x.upper - x.lower}
			count[k]++
		}
	}
	for k, t := range sums {
		sums[k] = Counted{t[0] / count[k], t[1] / count[k]}
	}
	return sums
}

// summarize replaces the releases by their means.
func (p *FixedPoint) summarize() {
	p.Of = map[Kind]Share{}
	for _, k := range Kinds() {
		var held, width simulate.Moments
		for _, of := range p.Each {
			if x, ok := of[k]; ok {
				held.Add(x[0])
				width.Add(x[1])
			}
		}
		if held.N > 0 {
			p.Of[k] = Share{held.Mean(), held.SD(), width.Mean()}
		}
	}
	for _, of := range p.Each {
		if len(of) == 0 {
			p.NotConverged++
		}
	}
	p.Each = nil
}

// FixedResult is what was run of CoverFixed.
type FixedResult struct {
	Library string       `json:"library,omitempty"`
	Command string       `json:"command,omitempty"`
	Seed    uint64       `json:"seed"`
	Points  []FixedPoint `json:"points"`
}

//go:embed fixed.json
var fixedResults []byte

// CommittedFixed reads the points that were run.
func CommittedFixed() (*FixedResult, error) { return simulate.Committed[FixedResult](fixedResults) }

// Table has a row for every point.
func (r *FixedResult) Table() *table.Table {
	head := []string{"network", "n", "ε", "noise", "contract", "prior", "releases"}
	for _, k := range Kinds() {
		head = append(head, string(k))
	}
	t := table.New("Coverage of 95 % intervals at fixed probabilities", append(head, "width", "CPU s")...)
	for _, p := range r.Points {
		if p.Each != nil {
			continue
		}
		prior := "shared rows"
		if p.IndependentRows {
			prior = "α = 1"
		}
		noise, contract, network := cmp.Or(p.Noise, "K-norm"), "short", p.Network
		if p.PrivateN {
			noise += ", private n"
		}
		if p.Full {
			contract = "full"
		}
		if p.Drawn {
			network += ", drawn"
		}
		row := []any{network, p.Records, p.Epsilon, noise, contract, prior, p.Replicates - p.NotConverged}
		for _, k := range Kinds() {
			row = append(row, fixed(p.Of[k].Held))
		}
		t.Add(append(row, fixed(p.Of[All].Width), fmt.Sprintf("%.2f", p.Seconds))...)
	}
	return t.Note("ε-DP, Gaussian noise (ε, 1e-6)-DP; replace-one, with a private n add-remove; simulated records. " +
		"drawn: probabilities from the default prior. " + contracts).Note("Regenerate: " + r.Command)
}
