package claims

import (
	"context"
	"runtime"
	"sync"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Result is one executed claim, as the tables show it.
type Result struct {
	ID             string   `json:"id"`
	Document       string   `json:"document"`
	Place          string   `json:"place"`
	Items          []string `json:"items,omitempty"` // the numbered items of the document that it is about
	Assumes        string   `json:"assumes,omitempty"`
	Statement      string   `json:"statement"`
	Verdict        Verdict  `json:"verdict"`
	True           string   `json:"true,omitempty"`
	Counterexample string   `json:"counterexample,omitempty"` // the smallest one found
	Remark         string   `json:"remark,omitempty"`
	Reason         string   `json:"reason,omitempty"` // why it is not a claim
	Ours           bool     `json:"ours,omitempty"`   // this library's own statement beside the document's
	Margin         string   `json:"margin,omitempty"` // bound ÷ truth
	Cases          int64    `json:"cases"`
	Agrees         bool     `json:"agrees"`
	Derived        bool     `json:"derived"`        // the verdict follows from the evidence
	Test           string   `json:"test,omitempty"` // what executes it
	Notebook       string   `json:"notebook"`
	Source         string   `json:"source"`
}

// Execute runs claims, several at a time, and lists what they found in the order given. Errors: the first of the
// claims' own.
func Execute(ctx context.Context, list []Claim) ([]Result, error) {
	found, err := runEach(ctx, list)
	if err != nil {
		return nil, err
	}
	out := make([]Result, len(list))
	for i, c := range list {
		out[i] = resultOf(c, found[i])
	}
	return out, nil
}

// runEach is Claim.Run of each.
func runEach(ctx context.Context, list []Claim) ([]*Finding, error) {
	found, errs := make([]*Finding, len(list)), make([]error, len(list))
	work := make(chan int)
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		wait.Go(func() {
			for i := range work {
				found[i], errs[i] = list[i].Run(ctx)
			}
		})
	}
	for i := range list {
		work <- i
	}
	close(work)
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func resultOf(c Claim, f *Finding) Result {
	r := Result{
		ID: c.ID, Document: c.Document, Place: c.Place, Items: c.Items, Assumes: c.Assumes, Statement: c.Statement,
		Verdict: c.Verdict, True: c.True, Counterexample: c.Counterexample, Remark: c.Remark, Reason: c.Reason,
		Margin: f.margin(), Cases: f.Cases, Agrees: f.Agrees(), Derived: f.Derived() != "", Notebook: c.Notebook(),
		Source: c.Source, Ours: c.Ours || c.Document == Library,
	}
	if !f.nothing {
		r.Test = "TestClaimsAgree/" + c.ID
	}
	return r
}

// Notebook is the file under notebooks/ that shows the claim: the one that its row names, or that of its document.
func (c Claim) Notebook() string {
	for _, d := range documents {
		if c.notebook == "" && d.name == c.Document {
			return d.notebook
		}
	}
	return c.notebook
}

// evidence is the smallest counterexample, or the margin, or the number of cases, or why there is none.
func (r Result) evidence() string {
	switch {
	case r.Reason != "":
		return r.Reason
	case r.Counterexample != "":
		return r.Counterexample
	case r.Margin != "":
		return r.Margin
	}
	return table.Count(r.Cases, "case")
}

// status is the verdict, and a warning where execution disagrees with it.
func (r Result) status() string {
	if !r.Agrees {
		return string(r.Verdict) + " (execution DISAGREES)"
	}
	return string(r.Verdict)
}

// Summary shows results as one table.
func Summary(results []Result) *table.Table {
	t := table.New("Claims, executed", "id", "place", "assumes", "statement", "verdict", "true form", "evidence")
	for _, r := range results {
		t.Add(r.ID, r.Place, r.Assumes, r.Statement, r.status(), r.True, r.evidence())
	}
	return t
}
