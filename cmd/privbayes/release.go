package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

const releaseSynopsis = "" +
	`release --schema FILE --data FILE --target COLUMN --epsilon NUMBER --out RELEASE [--budget BUDGET] [flags]

Reads the table, makes the plan, charges the budget, adds the noise once, and saves the release in the file of --out. If
you run it again, it loads that file: no new noise, no charge. A budget that does not have the release yet records it.
With another plan it refuses. --seed is for tests and tutorials: such a release is marked "seeded: not private".`

var releaseExamples = []string{
	"privbayes release --schema survey.schema.json --data survey.csv --target answer --epsilon 1 " +
		"--budget survey.budget --out survey.release.json",
	"privbayes release --data votes --target Class --epsilon 1 --split 0.7,1 --out votes.release.json",
	"privbayes release --data cps1988 --model linear-regression --target wage --features education,experience " +
		"--mechanism moments --epsilon 1 --delta 1e-6 --out wage.release.json",
}

// releaseFlags are a plan's, with the table and the files.
type releaseFlags struct {
	planFlags
	table              tableFlags
	budget, out, split string
	part, slot         string
	seed               uint64
	planOnly           bool // of learn
	detailed           bool

	ledger *privbayes.Budget // of --budget; nil without
	known  int               // its charges beforehand
}

func releaseCommand(args []string, out, errs io.Writer) error {
	var r releaseFlags
	return r.run("release", releaseSynopsis, r.addAll, args, out, errs)
}

// addAll declares mechanism, model and level.
func (r *releaseFlags) addAll(f *flagSet) {
	r.addMechanism(f)
	r.addModel(f)
	r.addLevel(f)
}

// run is the command: release, or learn, which has other flags of the model.
func (r *releaseFlags) run(name, synopsis string, model func(f *flagSet), args []string, out,
	errs io.Writer) error {
	f, asJSON := longFlags(name, synopsis)
	model(f)
	r.table.add(f, "")
	f.StringVar(&r.split, "split", "", "learn from a `share` of the rows, chosen by a seed, such as 0.7,1; report then "+
		"scores on the rest")
	r.addPresent(f, ", before --split")
	f.StringVar(&r.part, "part", "", partWords)
	f.StringVar(&r.budget, "budget", "", budgetWords)
	f.StringVar(&r.slot, "slot", "", slotWords)
	f.StringVar(&r.out, "out", "", "the `release` file to save")
	f.Uint64Var(&r.seed, "seed", 0, "fix the noise by this number: for tests and tutorials, not private")
	detailed := details(f)
	if _, err := parse(f, args); err != nil {
		return err
	}
	r.detailed = *detailed
	for name, value := range map[string]string{"budget": r.budget, "split": r.split, "present": r.present,
		"part": r.part, "slot": r.slot} {
		if f.given(name) && value == "" { // such as of a variable that is not set
			return wrongFlag(name, "", "a value, or no --%s", name)
		}
	}
	if err := r.readSpec(); err != nil {
		return err
	}
	if r.planOnly {
		return r.planned(out, errs, *asJSON)
	}
	if f.given("n") {
		return wrongUsage("--n: it is for --plan; a release counts the rows that it is of")
	}
	f.reads("split", "present", "part", "budget", "out", "seed", "plan", "slot")
	p, err := r.privatize(errs, f.given("seed"))
	if err != nil {
		return err
	}
	if *asJSON {
		return r.writeJSON(out, p)
	}
	return r.shown(out, errs, p)
}

// shown writes the release, where it is saved, and what is left of the budget.
func (r *releaseFlags) shown(out, errs io.Writer, p *privbayes.Privatized) error {
	made, err := p.Release()
	if err != nil {
		return err
	}
	ctx, end := r.flags.interruptible(errs, "prepared")
	defer end()
	what := r.kept(p.Loaded())
	if made.Guarantee().Notion != dp.None {
		what += " It may be published, and so may anything computed from it."
	}
	return r.ends(out, fmt.Sprintf("%s\n%s%s\n", releaseText(ctx, made, p.Warnings(), r.detailed, fitted(out)), r.named(),
		what))
}

// kept says whether what was asked for is new, and whether the budget was charged for it now.
func (r *releaseFlags) kept(loaded bool) string {
	switch {
	case !loaded:
		return fmt.Sprintf("Saved now in %s.", r.out)
	case r.recorded(loaded):
		return fmt.Sprintf("Loaded %s: no new noise. Its charge is now recorded in %s.", r.out, r.budget)
	}
	return fmt.Sprintf("Loaded %s: no new noise, no charge.", r.out)
}

// recorded reports whether what was there already is new to the budget.
func (r *releaseFlags) recorded(loaded bool) bool {
	return r.ledger != nil && loaded && len(r.ledger.Charges()) > r.known
}

// ends writes what was made, what is left of the budget, and how to check the file.
func (r *releaseFlags) ends(out io.Writer, text string) error {
	if b := r.ledger; b != nil {
		text += fmt.Sprintf("Budget %s: %s used of %s, left: %s\n", r.budget, b.Spent(), b.Limit(), b.Left())
	}
	return tell(out, fmt.Sprintf("%sTo check it: privbayes verify %s\n", text, r.out))
}

// pays has the budget of --budget pay for what is drawn from a table.
func (r *releaseFlags) pays(table *privbayes.Frame) (*privbayes.Frame, error) {
	if r.budget == "" {
		return table, nil
	}
	b, err := openBudget(r.budget, r.schema, r.table.data)
	if err != nil {
		return nil, err
	}
	r.ledger, r.known = b, len(b.Charges())
	return table.WithBudget(b), nil
}

// privatize is the chain of the façade.
func (r *releaseFlags) privatize(errs io.Writer, seeded bool) (*privbayes.Privatized, error) {
	if r.out == "" {
		return nil, wrongFlag("out", nil, "the release file to save: without it a second run would add new noise and "+
			"charge again")
	}
	mech, err := r.choose()
	if err != nil {
		return nil, err
	}
	slot, err := r.reserved()
	if err != nil {
		return nil, err
	}
	target, err := r.privacy()
	if err != nil {
		return nil, err
	}
	s, err := r.table.schemaOf(r.schema)
	if err != nil {
		return nil, err
	}
	spec, err := r.specOf(s)
	if err != nil {
		return nil, err
	}
	ctx, end := r.flags.interruptible(errs, "prepared")
	defer end()
	r.table.rows = r.split != "" || r.present != "" || r.unweighted || r.part != "" ||
		r.learned.on && r.learned.algorithm == "cliques"
	r.countsOnly(spec)
	table := r.table.read(ctx, s)
	if table, err = r.ofPart(table); err != nil {
		return nil, err
	}
	if r.unweighted {
		table = table.Unweighted()
	}
	if r.present != "" {
		table = table.Present(r.present)
	}
	if err := table.Err(); err != nil {
		return nil, err
	}
	if table, err = r.train(table, target.Adjacency); err != nil {
		return nil, err
	}
	if table, err = r.pays(table); err != nil {
		return nil, err
	}
	m := table.Model(spec)
	if err := misused(m.Err()); err != nil {
		return nil, err
	}
	if mech, err = r.orUsualOf(ctx, mech, m, target); err != nil {
		return nil, err
	}
	p := m.Privatize(mech, target, r.options(ctx, seeded, slot)...)
	return p, p.Err()
}

// orUsualOf is the mechanism that was chosen, or the usual one of a model.
func (r *releaseFlags) orUsualOf(ctx context.Context, mech privbayes.Mechanism, m *privbayes.Model, t dp.Request) (
	privbayes.Mechanism, error) {
	if mech != nil {
		return mech, nil
	}
	sh, err := m.Shape()
	if err != nil {
		return nil, err
	}
	return r.orUsual(ctx, nil, sh, t)
}

// options are how the release is drawn, and where it is kept.
func (r *releaseFlags) options(ctx context.Context, seeded bool, slot *publication.Slot) []privbayes.Option {
	out := []privbayes.Option{privbayes.WithContext(ctx), privbayes.KeepIn(r.out)}
	if seeded {
		out = append(out, privbayes.Seeded(r.seed))
	}
	if slot != nil {
		out = append(out, privbayes.FromSlot(slot))
	}
	return out
}

// slotWords is the flag --slot.
const slotWords = "a reserved `slot` of a publication, such as survey.publication.json#later: its charge contains " +
	"this one, and the level is the slot's unless a smaller one is given; with --budget"

// reserved is the slot of --slot, nil without. The level and the adjacency that are not given are those of the slot.
func (r *releaseFlags) reserved() (*publication.Slot, error) {
	if r.slot == "" {
		return nil, nil
	}
	at := strings.LastIndexByte(r.slot, '#')
	switch {
	case at <= 0 || at == len(r.slot)-1:
		return nil, wrongFlag("slot", r.slot, "the file of a publication and the name of a slot, such as "+
			"survey.publication.json#later")
	case r.budget == "":
		return nil, wrongFlag("budget", nil, "the budget that was charged for the publication: it knows whether the slot "+
			"was used")
	}
	p, err := privbayes.LoadPublication(r.slot[:at])
	if err != nil {
		return nil, err
	}
	s, err := p.Slot(r.slot[at+1:])
	if err != nil {
		return nil, err
	}
	t := s.Request()
	return s, r.flags.take(&spec{Adjacency: &t.Adjacency, Level: &t.Parameters})
}

// specOf is the model of the rows that are kept; every flag was read then.
func (r *releaseFlags) specOf(s *frame.Schema) (spec model.Model, err error) {
	if s, err = r.withPresent(s); err != nil {
		return nil, err
	}
	if spec, err = r.spec(s); err == nil {
		err = r.flags.unread()
	}
	return spec, err
}

// openBudget opens the ledger of a data set; one that is not there is made by the command budget, with its limit.
func openBudget(path, schema string, tables []string) (*privbayes.Budget, error) {
	b, err := budget.Existing(path)
	if errors.Is(err, fs.ErrNotExist) {
		of := "--schema " + schema
		switch {
		case schema == "": // then the table is an embedded one
			of = "--data " + tables[0]
		case strings.HasPrefix(schema, "{"): // it stands in the argument
			of = "--schema FILE"
		}
		return nil, wrongFlag("budget", path, "a file that is there: \"privbayes budget %s %s --epsilon 1\" makes it, with "+
			"the limit of all releases together", path, of)
	}
	return b, err
}

// train is the part of the table to learn from. An empty part is refused where the number of rows is public.
func (r *releaseFlags) train(table *privbayes.Frame, adjacency dp.Adjacency) (*privbayes.Frame, error) {
	if r.split == "" {
		return table, nil
	}
	share, seed, comma := strings.Cut(r.split, ",")
	fraction, err1 := strconv.ParseFloat(strings.TrimSpace(share), 64)
	s, err2 := strconv.ParseUint(strings.TrimSpace(seed), 10, 64)
	if !comma || err1 != nil || err2 != nil || !(fraction > 0 && fraction < 1) || math.IsNaN(fraction) {
		return nil, wrongFlag("split", r.split, "a share between 0 and 1 and a seed, such as 0.7,1")
	}
	if adjacency == dp.AddRemove { // how many rows there are decides nothing
		table = table.WithoutN()
	}
	train, test := table.Split(fraction, s)
	if err := errors.Join(train.Err(), test.Err()); err != nil {
		return nil, err
	}
	if adjacency != dp.AddRemove && (train.Data().Len() == 0 || test.Data().Len() == 0) {
		return nil, wrongFlag("split", r.split,
			"a share that leaves rows to learn from and rows to score on: one part is without rows")
	}
	return train, nil
}

// releaseJSON is what release writes with --json: all of it public.
type releaseJSON struct {
	File      string         `json:"file"`
	Loaded    bool           `json:"loaded"`
	Recorded  bool           `json:"budget_recorded,omitempty"` // loaded, and new to the budget
	ID        string         `json:"id"`
	Mechanism string         `json:"mechanism"` // as --mechanism asks for it
	Guarantee dp.Guarantee   `json:"guarantee"`
	Spent     *dp.Parameters `json:"budget_spent,omitempty"`
	Limit     *dp.Parameters `json:"budget_limit,omitempty"`
	Warnings  warning.List   `json:"warnings,omitempty"`
}

func (r *releaseFlags) writeJSON(out io.Writer, p *privbayes.Privatized) error {
	made, err := p.Release()
	if err != nil {
		return err
	}
	return writeJSON(out, r.output(made, r.mechanism, p.Loaded(), p.Warnings()))
}

// output is what was made, for programs.
func (r *releaseFlags) output(made interface {
	ID() string
	Guarantee() dp.Guarantee
}, mechanism string, loaded bool, warnings warning.List) releaseJSON {
	j := releaseJSON{File: r.out, Loaded: loaded, Recorded: r.recorded(loaded), ID: made.ID(), Mechanism: mechanism,
		Guarantee: made.Guarantee(), Warnings: worded(warnings)}
	if r.ledger != nil {
		spent, limit := r.ledger.Spent(), r.ledger.Limit()
		j.Spent, j.Limit = &spent, &limit
	}
	return j
}

// writeNew writes a file that is not there yet, for everyone to read.
func writeNew(path string, b []byte) error { return writeNewAs(path, b, 0o644) }

func writeNewAs(path string, b []byte, mode os.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err = f.Write(b); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
