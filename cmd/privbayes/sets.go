package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/strictjson"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/synthetic"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

const setsSynopsis = `sets RELEASE --out FOLDER [--sets M] [--rows N] [flags]

Writes synthetic data sets that can be analysed: several, each drawn from another draw of the posterior that accounts
for the noise, as CSV. Of a learned structure each is drawn from a repetition of the release, on records of its own
fit and with fresh noise, and the README lists the pairs of columns that the sets can answer. The folder has a README,
sets.json and the rule that combines the estimates of the sets, for Python and R; the command combine has it, too. The
sets are as public as the release, and the same each time.`

var setsExamples = []string{
	"privbayes sets survey.release.json --out survey.sets",
	"privbayes sets survey.release.json --sets 40 --rows 5000 --out survey.sets",
}

// setsJSON is what sets writes with --json.
type setsJSON struct {
	Path string `json:"folder"`
	synthetic.Folder
	Warnings warning.List `json:"warnings,omitempty"`
}

func setsCommand(args []string, out, errs io.Writer) error {
	f, asJSON := longFlags("sets", setsSynopsis)
	m := f.Int("sets", 0, "number of sets (default: 20)")
	rows := f.Int("rows", 0, "records of each set (default: five times those of the table)")
	to := f.String("out", "", "the `folder` to write; one of sets that this command made is replaced")
	files, err := parse(f, args)
	switch {
	case err != nil:
		return err
	case *to == "":
		return wrongFlag("out", nil, "the folder to write, such as survey.sets")
	case *m < 0 || f.given("sets") && *m == 0:
		return wrongFlag("sets", *m, "at least 1")
	case *rows < 0 || f.given("rows") && *rows == 0:
		return wrongFlag("rows", *rows, "at least 1")
	}
	ctx, end := f.interruptible(errs, "prepared")
	defer end()
	r, err := releaseIn(ctx, files[0])
	if err != nil {
		return err
	}
	sets, err := setsOf(ctx, r, *m, *rows)
	if err != nil {
		return f.inFlag(err)
	}
	if err := sets.Write(ctx, *to); err != nil {
		return err
	}
	about, err := synthetic.Describe(*to)
	switch {
	case err != nil:
		return err
	case *asJSON:
		return writeJSON(out, setsJSON{*to, about, worded(sets.Warnings())})
	}
	said := fmt.Sprintf("Wrote %s.", safetext.File(*to))
	if r.Guarantee().Notion != dp.None {
		said += " It may be published."
	}
	fmt.Fprintln(out, said)
	return display(out, sets)
}

// setsOf are those of a learned structure, or else of the posterior that accounts for the noise.
func setsOf(ctx context.Context, r *release.Release, m, rows int) (*synthetic.Sets, error) {
	if s := r.Structure(); s != nil && len(s.Measured) > 0 {
		return r.SyntheticSets(ctx, m, rows)
	}
	p, err := noiseaware.OfNetwork(ctx, r)
	if err != nil {
		return nil, err
	}
	return p.SyntheticSets(m, rows)
}

const combineSynopsis = `combine SETS --estimates FILE [--level NUMBER] [--rule RULE] [flags]

Combines the estimates of synthetic sets, which the command sets wrote to the folder SETS, into one with an interval
that accounts for the noise of the release, the sampling of the table and that of the sets. FILE is JSON: a list with a
value and a variance, the square of a standard error, for each set, in the order of the sets.`

var combineExamples = []string{"privbayes combine survey.sets --estimates odds.json"}

// combinedJSON is what combine writes with --json. Infinite numbers are texts.
type combinedJSON struct {
	Rule     synthetic.Rule `json:"rule"`
	Value    float64        `json:"value"`
	SE       float64        `json:"se"`
	DF       cert.Number    `json:"df"`
	Level    float64        `json:"level"`
	Lower    cert.Number    `json:"lower"`
	Upper    cert.Number    `json:"upper"`
	P        float64        `json:"p"` // two-sided, that the value is 0
	Between  cert.Number    `json:"between"`
	Within   float64        `json:"within"`
	Fallback bool           `json:"fallback"`
}

func combineCommand(args []string, out, _ io.Writer) error {
	f, asJSON := newFlags("combine", combineSynopsis)
	from := f.String("estimates", "", "the `file` of the estimates, JSON: [{\"value\": 0.4, \"variance\": 0.01}, …]")
	level := f.Float64("level", .95, "the probability that the interval has, above 0 and below 1")
	rule := f.String("rule", string(synthetic.FullySynthetic), "how: T_f, and others to compare it with")
	folders, err := parse(f, args)
	switch {
	case err != nil:
		return err
	case *from == "":
		return wrongFlag("estimates", nil, "the file of the estimates, JSON")
	}
	about, err := synthetic.Describe(folders[0])
	if err != nil {
		return err
	}
	list, err := estimatesIn(*from, about.Sets())
	if err != nil {
		return err
	}
	design := synthetic.Design{Records: about.Records, Rows: about.Rows}
	c, err := synthetic.CombineBy(synthetic.Rule(*rule), design, list...)
	if err != nil {
		return f.inFlag(err)
	}
	lower, upper, err := c.Interval(*level)
	switch {
	case err != nil:
		return f.inFlag(err)
	case *asJSON:
		return writeJSON(out, combinedJSON{c.Rule, c.Value, c.SE(), cert.Number(c.Freedom), *level, cert.Number(lower),
			cert.Number(upper), c.P(0), cert.Number(c.Between), c.Within, c.Fallback})
	case f.given("level"):
		return wrongUsage("combine: --level is for --json; the table has the 95 %% interval")
	}
	return display(out, c)
}

// estimatesIn reads the estimates of so many sets.
func estimatesIn(path string, sets int) ([]synthetic.Estimate, error) {
	b, err := readWithin(path, maxDocument)
	if err != nil {
		return nil, err
	}
	var list []struct{ Value, Variance *float64 }
	err = cmp.Or(strictjson.Shallow(b), json.Unmarshal(b, &list))
	var out []synthetic.Estimate
	for _, e := range list {
		if e.Value != nil && e.Variance != nil {
			out = append(out, synthetic.Estimate{Value: *e.Value, Variance: *e.Variance})
		}
	}
	if err != nil || len(list) != sets || len(out) != sets {
		return nil, &fileError{path, fmt.Errorf(`want a list of %d, one for each set, such as [{"value": 0.4, "variance": `+
			"0.01}, …]", sets)}
	}
	return out, nil
}
