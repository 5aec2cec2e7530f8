//go:build !browser

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/audit/program"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

const auditSynopsis = `audit --cells N --n N --epsilon NUMBER [flags] -- PROGRAM [ARGUMENTS]

Starts a mechanism of any language and finds out what it spends on all data sets of N records of K kinds. A program
that states its probabilities is audited exactly. If it draws as well, its draws are compared with them. One that only
draws is audited by draws, which can refute a claim and not prove it. docs/howto/auditing.md has the lines that are
spoken, and an example in Python. A claim that fails is exit code 4. The program runs with your rights, and no private
data is needed.`

var auditExamples = []string{
	"privbayes audit --cells 2 --n 4 --epsilon 1 -- python3 mechanism.py",
	"privbayes audit --cells 2 --n 4 --epsilon 1 --delta 1e-3 --samples 100000 -- ./mechanism --scale 2",
}

func auditCommand(args []string, out, errs io.Writer) error {
	flags, asJSON := longFlags("audit", auditSynopsis)
	var level planFlags
	level.addLevel(flags)
	cells := flags.Int("cells", 0, "how many kinds of records there are")
	n := flags.Int("n", 0, "number of records; with add-remove, the most")
	samples := flags.Int("samples", 20_000, "outputs drawn from each data set, and again on either side of each test")
	alarm := flags.Float64("false-alarm", 1e-9, "probability, at most, of refuting by draws what is true")
	tolerance := flags.Float64("tolerance", audit.DefaultTolerance, "a stated distribution may exceed a claimed ε by "+
		"this times 1 + ε")
	silence := flags.Duration("silence", 10*time.Second, "how long the program may go without a line that is due")
	command := []string(nil)
	if i := slices.Index(args, "--"); i >= 0 {
		args, command = args[:i], args[i+1:]
	}
	rest, err := parse(flags, args)
	if err != nil {
		return err
	}
	if command == nil {
		command = rest
	} else if len(rest) > 0 {
		return wrongUsage("audit: unexpected argument %q before --", rest[0])
	}
	if len(command) == 0 || *cells == 0 || *n == 0 {
		return wrongUsage("audit: want --cells, --n, a claim such as --epsilon 1, and after -- the program with its " +
			"arguments")
	}
	claim, err := level.privacy()
	flags.reads("cells", "n", "samples", "false-alarm", "tolerance", "silence")
	if err == nil {
		err = flags.unread()
	}
	if err != nil {
		return err
	}
	ctx, end := flags.interruptible(errs, "audited")
	defer end()
	a := auditRun{flags: flags, tolerance: *tolerance, sampled: audit.Sampled{
		Name: strings.Join(command, " "), Claim: claim.Parameters, Draws: *samples, FalseAlarm: *alarm,
		Space: finite.Space{Cells: *cells, N: *n, Adjacency: claim.Adjacency},
	}}
	if err := a.run(ctx, command, program.Limits{Silence: *silence}); err != nil {
		return err
	}
	if *asJSON {
		err = writeJSON(out, a.json())
	} else {
		err = a.write(out)
	}
	if err == nil && !a.ok() {
		err = errUnverified
	}
	return err
}

// auditRun is an audit of a program: by its law, by its draws, or both.
type auditRun struct {
	flags     *flagSet
	sampled   audit.Sampled
	tolerance float64

	verdict   *audit.Verdict
	agreement *audit.Agreement
	evidence  *audit.Evidence
}

// run asks the program. Nothing of it counts unless the program kept the protocol to its end.
func (a *auditRun) run(ctx context.Context, command []string, l program.Limits) error {
	p, err := program.Start(ctx, command, l)
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }()
	for flag, used := range map[string]bool{"samples": p.Draws(), "false-alarm": p.Draws(),
		"tolerance": p.Outputs() > 0} {
		if a.flags.given(flag) && !used {
			return wrongUsage("audit: --%s: it is about %s, and the program has none; leave it out", flag,
				map[bool]string{true: "a stated distribution", false: "draws"}[flag == "tolerance"])
		}
	}
	a.sampled.Sampler = p
	var law finite.Mechanism
	if p.Outputs() > 0 {
		if law, err = p.Law(ctx, a.sampled.Space); err != nil {
			return err
		}
		if a.verdict, err = audit.Run(ctx, audit.Subject{Name: a.sampled.Name, Mechanism: law, Space: a.sampled.Space,
			Claim: a.sampled.Claim}, audit.Tolerance(a.tolerance)); err != nil {
			return err
		}
	}
	switch {
	case p.Draws() && law != nil:
		a.agreement, err = audit.Agree(ctx, law, a.sampled)
	case p.Draws():
		a.evidence, err = audit.Sample(ctx, a.sampled)
	}
	if err != nil {
		return err
	}
	return p.Close()
}

// ok reports that nothing speaks against the claim.
func (a *auditRun) ok() bool {
	return (a.verdict == nil || a.verdict.Holds()) && (a.agreement == nil || a.agreement.Agrees()) &&
		(a.evidence == nil || !a.evidence.Refuted())
}

func (a *auditRun) write(out io.Writer) error {
	if a.verdict != nil {
		if err := display(out, a.verdict); err != nil {
			return err
		}
	}
	switch {
	case a.agreement != nil:
		fmt.Fprintln(out)
		return display(out, a.agreement)
	case a.evidence != nil:
		return display(out, a.evidence)
	}
	_, err := fmt.Fprintln(out, "No draws: whether the program draws from the distribution it states is not checked.")
	return err
}

// auditJSON is the result for programs.
type auditJSON struct {
	Program   string         `json:"program"`
	Claim     dp.Parameters  `json:"claim"`
	Space     string         `json:"space"`
	OK        bool           `json:"ok"`
	Law       []auditFinding `json:"law,omitempty"`
	Agreement *auditAgree    `json:"agreement,omitempty"`
	Draws     []auditTest    `json:"draws,omitempty"`
}

type auditFinding struct {
	Quantity string      `json:"quantity"`
	Exact    cert.Number `json:"exact"`
	Claimed  bool        `json:"claimed"`
	Holds    bool        `json:"holds"`
	X        []int       `json:"x,omitempty"`
	Y        []int       `json:"y,omitempty"`
}

type auditAgree struct {
	Agrees     bool    `json:"agrees"`
	X          []int   `json:"x"`
	Output     int     `json:"output"`
	Stated     float64 `json:"stated"`
	Share      float64 `json:"share"`
	Tail       float64 `json:"tail"`
	Compared   int     `json:"compared"` // shares of outputs
	FalseAlarm float64 `json:"false_alarm"`
}

type auditTest struct {
	X          []int   `json:"x"`
	Y          []int   `json:"y"`
	Event      string  `json:"event"`
	Hits       [2]int  `json:"hits"`
	AtLeast    float64 `json:"probability_at_x_at_least"`
	AtMost     float64 `json:"probability_at_y_at_most"`
	Spent      float64 `json:"spent_at_least"`
	FalseAlarm float64 `json:"false_alarm"`
}

func (a *auditRun) json() auditJSON {
	s := a.sampled
	j := auditJSON{Program: s.Name, Claim: s.Claim, OK: a.ok(), Space: fmt.Sprintf("%d cells, n = %d, %s", s.Space.Cells,
		s.Space.N, s.Space.Adjacency)}
	if a.verdict != nil {
		for _, f := range a.verdict.Findings {
			j.Law = append(j.Law, auditFinding{f.Quantity, cert.Number(f.Value), f.Claimed, f.Holds, f.At.X, f.At.Y})
		}
	}
	if g := a.agreement; g != nil {
		j.Agreement = &auditAgree{g.Agrees(), g.X, g.Output, g.Stated, g.Share, g.Tail, g.Sets * g.Outputs, g.FalseAlarm}
	}
	if a.evidence != nil {
		for _, t := range a.evidence.Tests {
			j.Draws = append(j.Draws, auditTest{t.X, t.Y, t.Event, t.Hits, t.AtLeast, t.AtMost, t.Spent,
				a.evidence.FalseAlarm})
		}
	}
	return j
}
