package wholenetworks

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// What pages tell analysts of one synthetic set and of T_f is what the committed results say, to the figure.
func TestPagesSayTheCommittedErrors(t *testing.T) {
	r, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	span := func(methods ...Method) string {
		lo, hi := 1.0, 0.0
		for _, n := range r.Nulls {
			for _, m := range methods {
				lo, hi = min(lo, n.Share(m)), max(hi, n.Share(m))
			}
		}
		return fmt.Sprintf("%.1f to %.1f %%", 100*lo, 100*hi)
	}
	one, many := span(OneSet, OneLarge), span(ByTf)
	for name, want := range map[string][]string{
		"privbayes/synthetic/text/combine.md": {one + " of the cases, and T_f in " + many + "."},
		"privbayes/synthetic/text/one.md":     {one + " of the cases."},
		"docs/warnings.md":                    {one + " of the cases"},
		"docs/noise_aware.md":                 append(rowsOfErrors(r), rowsOfCoverage(r)),
	} {
		b, err := os.ReadFile("../../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range want {
			if strings.Count(string(b), s) != 1 {
				t.Errorf("%s does not say once %q", name, s)
			}
		}
	}
	if one == many || len(r.Nulls) != 3 {
		t.Error(one, many, len(r.Nulls))
	}
}

// rowsOfCoverage are all rows of the page's table of coverage, network by network.
func rowsOfCoverage(r *Result) (out string) {
	for _, full := range []bool{false, true} {
		for _, name := range Networks() {
			for _, m := range r.Of(name).Means() {
				if m.Full == full {
					out += fmt.Sprintf("| %s | %s | %d | %.3f | %.4f | %.3f | %.3f | %.3f |\n", name, contractName(full),
						m.Points, m.Tables, m.SE, m.Questions, m.NaiveTables, m.NaiveQuestions)
				}
			}
		}
	}
	return out + "\n"
}

// rowsOfErrors are the rows of the page's table of Type I errors.
func rowsOfErrors(r *Result) (out []string) {
	names := map[Method]string{ByTp: "T_p (Reiter), 20 sets of 5n", ByTs: "T_s (Raab, Nowok, Dibben)",
		ByTm: "Rubin's rule", OfInterval: "the posterior's own interval"}
	for _, m := range Methods() {
		name, format := names[m], " | %.3f"
		if name == "" {
			name = string(m)
		}
		if m == ByTf {
			name, format = "**"+name+"**", " | **%.3f**"
		}
		row := "| " + name
		for _, n := range r.Nulls {
			row += fmt.Sprintf(format, n.Share(m))
		}
		out = append(out, row+" |\n")
	}
	return out
}
