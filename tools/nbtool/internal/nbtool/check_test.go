package nbtool

import (
	"strings"
	"testing"
)

// TestProblems: the states a cell can end in, and what its tags excuse.
func TestProblems(t *testing.T) {
	failed := Output{Type: "error", Ename: "ERROR", Evalue: "exit status 1"}
	stderr := Output{Type: "stream", Name: "stderr", Text: "sh: no\n"}
	stdout := Output{Type: "stream", Name: "stdout", Text: "fine\n"}
	for _, tc := range []struct {
		name string
		tags []string
		outs []Output
		want string // "" when there is no problem
	}{
		{"nothing", nil, nil, ""},
		{"stdout", nil, []Output{stdout}, ""},
		{"error", nil, []Output{stdout, failed}, "exit status 1"},
		{"stderr alone", nil, []Output{stderr}, "stderr: sh: no"},
		{"stderr allowed", []string{"allow-stderr"}, []Output{stderr}, ""},
		{"error is not excused by allow-stderr", []string{"allow-stderr"}, []Output{stderr, failed}, "exit status 1"},
		{"expected failure", []string{"raises-exception"}, []Output{stderr, failed}, ""},
		{"expected failure did not come", []string{"raises-exception"}, []Output{stdout}, "should fail"},
		{"nondeterminism excuses nothing", []string{"nondeterministic"}, []Output{failed}, "exit status 1"},
	} {
		c := Cell{Type: "code", ID: "a-1", Outputs: tc.outs, Metadata: map[string]any{"tags": tc.tags}}
		ps := (&Notebook{Cells: []Cell{c}}).Problems()
		switch {
		case tc.want == "" && len(ps) > 0:
			t.Errorf("%s: %v", tc.name, ps)
		case tc.want != "" && (len(ps) != 1 || !strings.Contains(ps[0], tc.want) || !strings.Contains(ps[0], "a-1")):
			t.Errorf("%s: %v, want one with %q", tc.name, ps, tc.want)
		}
	}
}

// TestDiff: every kind of change is seen, and no change is none.
func TestDiff(t *testing.T) {
	code := func(n *Notebook) *Cell { return &n.Cells[1] }
	for name, change := range map[string]func(*Notebook){
		"source":         func(n *Notebook) { code(n).Source += " " },
		"prose":          func(n *Notebook) { n.Cells[0].Source = "# B" },
		"id":             func(n *Notebook) { code(n).ID = "b-2" },
		"type":           func(n *Notebook) { code(n).Type = "raw" },
		"tags":           func(n *Notebook) { code(n).Metadata["tags"] = []string{} },
		"stream":         func(n *Notebook) { code(n).Outputs[0].Text += "x" },
		"stream's name":  func(n *Notebook) { code(n).Outputs[0].Name = "stderr" },
		"fewer outputs":  func(n *Notebook) { code(n).Outputs = nil },
		"figure":         func(n *Notebook) { n.Cells[2].Outputs[0].Data["image/png"] = "eA==" },
		"a form is gone": func(n *Notebook) { delete(n.Cells[2].Outputs[0].Data, "text/plain") },
		"fewer cells":    func(n *Notebook) { n.Cells = n.Cells[:2] },
	} {
		a, b := parsed(t), parsed(t)
		a.Normalize("")
		b.Normalize("")
		if ds := a.Diff(b); len(ds) > 0 {
			t.Fatalf("a notebook differs from itself: %v", ds)
		}
		change(a)
		if len(a.Diff(b)) == 0 || len(b.Diff(a)) == 0 {
			t.Errorf("%s: a change is not seen", name)
		}
	}
}

func TestDiffNondeterministic(t *testing.T) {
	a, b := parsed(t), parsed(t)
	for _, n := range []*Notebook{a, b} {
		n.Cells[2].Metadata = map[string]any{"tags": []any{"nondeterministic"}}
	}
	a.Cells[2].Outputs = nil
	if ds := a.Diff(b); len(ds) > 0 {
		t.Error(ds)
	}
	a.Cells[2].Source = "other"
	if len(a.Diff(b)) == 0 {
		t.Error("a changed source is not seen")
	}
}

func TestKeepOutputs(t *testing.T) {
	old := parsed(t)
	fresh := parsed(t)
	for i := range fresh.Cells {
		fresh.Cells[i].Outputs, fresh.Cells[i].Count = nil, nil
	}
	fresh.Cells[0].Source = "new prose"
	if !fresh.KeepOutputs(old) || len(fresh.Cells[1].Outputs) != 4 || *fresh.Cells[2].Count != 2 {
		t.Errorf("outputs were not kept: %+v", fresh.Cells[1:])
	}
	fresh.Cells[1].Outputs = nil
	fresh.Cells[2].Source = "other()"
	if fresh.KeepOutputs(old) || fresh.Cells[1].Outputs != nil {
		t.Error("outputs were kept although the code changed")
	}
	fresh.Cells = fresh.Cells[:2]
	if fresh.KeepOutputs(old) {
		t.Error("outputs were kept although a cell is gone")
	}
}
