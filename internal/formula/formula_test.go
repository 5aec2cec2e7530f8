package formula

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// schema has numbers a, b, u and "of sum", the factors f, g, h of 3, 4, 2 levels and one of named levels.
func schema(column string) ([]string, error) {
	switch column {
	case "a", "b", "u", "y", "of sum":
		return nil, nil
	case "f", "g", "h":
		return []string{"0", "1", "2", "3"}[:map[string]int{"f": 3, "g": 4, "h": 2}[column]], nil
	case "school":
		return []string{"low", "middle", "high school"}, nil
	}
	return nil, fmt.Errorf("the schema has no column %q", column)
}

func code(text string) (*Design, error) {
	f, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return f.Code(schema)
}

// The first fifteen are golden values of theory/glm.json.
func TestDesigns(t *testing.T) {
	for _, c := range []struct {
		text       string
		d, columns int
		names      string
	}{
		{"y ~ a*b", 4, 4, "(intercept) a b a:b"},
		{"y ~ f*g", 4, 12, ""},
		{"y ~ f:a", 2, 4, "(intercept) a:f=0 a:f=1 a:f=2"},
		{"y ~ 0 + f", 1, 3, "f=0 f=1 f=2"},
		{"y ~ (a + b + h)^2", 7, 7, "(intercept) a b h=1 a:b a:h=1 b:h=1"},
		{"y ~ f:g", 2, 12, ""},
		{"y ~ 0 + f:g", 1, 12, ""},
		{"y ~ f + f:g", 3, 12, ""},
		{"y ~ f:g:h", 2, 24, ""},
		{"y ~ a + a:f:g", 3, 13, ""},
		{"y ~ poly(u, 3)", 4, 4, "(intercept) u P2(u) P3(u)"},
		{"y ~ poly(u, 2)*f", 6, 9, "(intercept) u P2(u) f=1 f=2 u:f=1 u:f=2 P2(u):f=1 P2(u):f=2"},
		{"y ~ C(f, ref=2)*a", 4, 6, "(intercept) f=0 f=1 a a:f=0 a:f=1"},
		{"y ~ a + b", 3, 3, "(intercept) a b"},
		{"y ~ a:b - 1", 1, 1, "a:b"},

		{"y ~ a*b*h - a:b:h", 7, 7, ""},
		{"y ~ -1 + f", 1, 3, "f=0 f=1 f=2"},
		{"y ~ 0 + f + g", 2, 6, "f=0 f=1 f=2 g=1 g=2 g=3"},
		{"y ~ 0 + f*g", 3, 12, ""},
		{"y ~ f + g - 1 + a", 3, 7, "f=0 f=1 f=2 g=1 g=2 g=3 a"},
		{"y ~ 0 + f + g:h", 2, 10, ""},
		{"y ~ 0 + a + f:a", 2, 3, "a a:f=1 a:f=2"},
		{"y ~ u + poly(u, 2)", 3, 3, "(intercept) u P2(u)"},
		{"y ~ I(u^2):u", 2, 2, "(intercept) u^3"},
		{"y ~ poly(u,2):poly(a,2)", 5, 5, "(intercept) u:a u:P2(a) a:P2(u) P2(u):P2(a)"},
		{"y ~ C(school, ref='high school') + C(school)", 2, 3, "(intercept) school=low school=middle"},
		{"y ~ C(school, ref=middle):a + a", 3, 4, "(intercept) a a:school=low a:school=high school"},
		{"y ~ `of sum` + a - a", 2, 2, "(intercept) of sum"},
		{"y ~ 1", 1, 1, "(intercept)"},
		{"y ~ a:a + a", 2, 2, "(intercept) a"},
		{"y ~ 1 + y + a - y", 2, 2, "(intercept) a"},
	} {
		d, err := code(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		names := strings.ReplaceAll(c.names, "P2(u):a", "a:P2(u)")
		if len(d.Terms) != c.d || len(d.Columns) != c.columns || names != "" && !sameNames(d.Names, names) {
			t.Errorf("%s: D = %d, %d columns %q, want %d, %d %s", c.text, len(d.Terms), len(d.Columns), d.Names, c.d,
				c.columns, names)
		}
	}
}

// A term all in full leaves out one cell, which is named; no other column is.
func TestOmittedCells(t *testing.T) {
	for text, want := range map[string][]string{
		"y ~ f:g": {"f=0:g=0"}, "y ~ C(f, ref=2):C(h, ref=1)": {"f=2:h=1"}, "y ~ a + a:f:g": {"a:f=0:g=0"},
		"y ~ f:g + a + a:f:g": {"f=0:g=0", "a:f=0:g=0"}, "y ~ f*g": nil, "y ~ f + f:g": nil, "y ~ 0 + f:g": nil,
		"y ~ f:a": nil,
	} {
		d, err := code(text)
		if err != nil || !slices.Equal(d.Omitted, want) {
			t.Errorf("%s: %v %q, want %q", text, err, d.Omitted, want)
			continue
		}
		for _, cell := range want {
			if slices.Contains(d.Names, cell) {
				t.Errorf("%s: %q is a column", text, cell)
			}
		}
	}
}

// sameNames compares lists, but for the order of the parts of a name.
func sameNames(names []string, want string) bool {
	parts := func(s string) string {
		p := strings.Split(s, ":")
		slices.Sort(p)
		return strings.Join(p, ":")
	}
	text := ""
	for _, n := range names {
		text += " " + parts(n)
	}
	var out string
	joined := strings.NewReplacer("of sum", "of_sum", "high school", "high_school").Replace(want)
	for _, n := range strings.Split(joined, " ") {
		out += " " + parts(strings.NewReplacer("of_sum", "of sum", "high_school", "high school").Replace(n))
	}
	return text == out
}

// Every refusal names its character, what stands there, and what may.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		text       string
		at         int
		what, want string
	}{
		{"", 1, "the end", "a column"},
		{"y", 2, "the end", "~"},
		{"~ a", 1, `"~"`, "a column"},
		{"y ~", 4, "the end", "a column"},
		{"y ~ a +", 8, "the end", "a column"},
		{"y ~ a b", 7, `"b"`, "+ or -"},
		{"y ~ .", 5, `"."`, "a column"},
		{"y ~ a / b", 7, `"/"`, "without arithmetic"},
		{"y ~ a %in% b", 7, `"%"`, "without arithmetic"},
		{"y ~ log(a)", 5, "the function", "poly("},
		{"y ~ offset(a)", 5, "the function", "poly("},
		{"y ~ 2*a", 5, `"2"`, "a column"},
		{"y ~ a^5", 7, `"5"`, "2 to 4"},
		{"y ~ (a + b)^1", 13, `"1"`, "2 to 4"},
		{"y ~ (a - b)", 8, `"-"`, "+ or )"},
		{"y ~ (0 + a)", 6, `"0"`, "a column"},
		{"y ~ (1 + a)", 6, `"1"`, "a column"},
		{"y ~ (-a)", 6, `"-"`, "a column"},
		{"y ~ -a", 6, `"a"`, "1 after"},
		{"y ~ a - 0", 9, `"0"`, "a column"},
		{"y ~ (a", 7, "the end", "+ or )"},
		{"y ~ poly(u, 5)", 13, `"5"`, "1 to 4"},
		{"y ~ poly(u)", 11, `")"`, "a comma"},
		{"y ~ I(u)", 8, `")"`, "^"},
		{"y ~ I(u^5)", 9, `"5"`, "2 to 4"},
		{"y ~ C(f, 2)", 10, `"2"`, "ref=level"},
		{"y ~ C(f, ref=)", 14, `")"`, "a level"},
		{"y ~ C(f, ref=1) + C(f, ref=2)", 28, "another reference", "one reference"},
		{"y ~ `a", 5, "not closed", "after it"},
		{"y ~ ``", 5, "an empty name", "between"},
		{"y ~ y + a", 5, "the response", "other columns"},
		{"y ~ I(y^2)", 7, "the response", "other columns"},
		{"y ~ poly(y, 2)", 10, "the response", "other columns"},
		{"y ~ a - a - 1", 1, "without a term", "at least one"},
		{"y ~ \xff", 1, "UTF-8", "UTF-8"},
		{"y ~ " + strings.Repeat(" ", 4093), 4097, "longer", "4096"},
		{"y ~ (a+b+c+d+e+f+g+h+i+j+k+l+m)^4", 5, "128 terms", "fewer"},

		{"y ~ a + zz", 9, "", ""},
		{"y ~ C(a)", 7, "a number, in C()", "categorical"},
		{"y ~ I(f^2)", 7, "a factor", "numeric"},
		{"y ~ poly(f, 2)", 10, "a factor", "numeric"},
		{"y ~ C(school, ref=hgih)", 7, `no level "hgih"`, "one of"},
		{"y ~ poly(a, 3):poly(b, 2)", 10, "degree 5", "at most 4"},
		{"y ~ a:b:u:`of sum`:I(a^2)", 5, "degree 6", "at most 4"},
		{"y ~ f:g:h:school", 5, "60 columns", "fewer"},
		{"y ~ f + f:g:h", 5, "follows from", "f*g"},
		{"y ~ u + poly(u, 2) + I(u^2)", 5, "follows from", "f*g"},
		{"y ~ I(u^3) + I(u^2):u", 7, "follows from", "f*g"},
		{"y ~ f:g + f:h", 5, "follows from", "f*g"},
		{"y ~ 0 + f:g + f:h", 9, "follows from", "f*g"},
	} {
		_, err := code(c.text)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q: %v, want *Error", c.text, err)
			continue
		}
		if e.At != c.at || !strings.Contains(e.What, c.what) || !strings.Contains(e.Want, c.want) {
			t.Errorf("%q: %v, want character %d, %q, %q", c.text, e, c.at, c.what, c.want)
		}
		if cause := errors.Unwrap(err) != nil; cause != strings.Contains(c.text, "zz") {
			t.Errorf("%q: a cause: %v", c.text, cause)
		}
	}
}

func TestCanonicalText(t *testing.T) {
	for text, want := range map[string]string{
		"y~a+b":                              "y ~ a + b",
		" y ~ -1+ f :g*( a+b )^ 2 ":          "y ~ -1 + f:g*(a + b)^2",
		"y ~ C( f ,ref = \"0\")-I(u^2)":      `y ~ C(f, ref="0") - I(u^2)`,
		"`y` ~ `of sum` + poly(`u`,2)":       "y ~ `of sum` + poly(u, 2)",
		"y ~ C(school, ref='high school')":   `y ~ C(school, ref="high school")`,
		"y ~ C(school, ref='a \"b\" level')": `y ~ C(school, ref='a "b" level')`,
	} {
		f, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if f.String() != want || f.Response() != "y" {
			t.Errorf("%s is %s, want %s", text, f, want)
		}
	}
}

// formulas are random ones.
func formulas(r *rapid.T) string {
	atom := rapid.SampledFrom([]string{"a", "b", "u", "f", "g", "h", "I(a^2)", "I(u^3)", "poly(u, 2)", "poly(b, 4)",
		"C(f, ref=2)", "`of sum`", "(a + f)", "(f + h)^2", "(a + b + u)^2"})
	text := "y ~ " + rapid.SampledFrom([]string{"", "0 + ", "-1 + ", "1 + "}).Draw(r, "start")
	for i := range rapid.IntRange(1, 4).Draw(r, "terms") {
		if i > 0 {
			text += rapid.SampledFrom([]string{" + ", " + ", " - "}).Draw(r, "sign")
		}
		text += atom.Draw(r, "atom")
		for range rapid.IntRange(0, 2).Draw(r, "more") {
			text += rapid.SampledFrom([]string{":", "*"}).Draw(r, "join") + atom.Draw(r, "atom")
		}
	}
	return text
}

// At every record the columns' squares add up to D at most, and the columns are multiples of 2^−23 of [−1, 1]. Over
// enough records the columns have full rank in floating point, which the check modulo a prime says.
func TestColumnsOfRandomFormulas(t *testing.T) {
	accepted := 0
	rapid.Check(t, func(r *rapid.T) {
		d, err := code(formulas(r))
		if err != nil {
			return
		}
		accepted++
		const rows = 2000
		numbers, levels := make([][]float64, len(d.Numbers)), make([][]int, len(d.Factors))
		out, src := make([][]float64, len(d.Columns)), rand.New(rand.NewPCG(1, 2))
		for range rows {
			for j := range numbers {
				numbers[j] = append(numbers[j], d.Round(2*src.Float64()-1))
			}
			for k, f := range d.Factors {
				levels[k] = append(levels[k], src.IntN(len(f.Levels)))
			}
		}
		for c := range out {
			out[c] = make([]float64, rows)
		}
		d.Fill(out, numbers, levels)
		for i := range rows {
			square := 0.
			for c := range out {
				x := out[c][i]
				if k := math.Ldexp(x, LatticeBits); k != math.Trunc(k) || math.Abs(x) > 1 {
					r.Fatalf("column %s is %v: no multiple of 2^−%d", d.Names[c], x, LatticeBits)
				}
				square += x * x
			}
			if square > float64(len(d.Terms)) {
				r.Fatalf("squares add up to %v, D = %d", square, len(d.Terms))
			}
		}
		var svd mat.SVD
		x := mat.NewDense(len(out), rows, slices.Concat(out...))
		if svd.Factorize(x, mat.SVDNone); svd.Values(nil)[len(out)-1] < 1e-9 {
			r.Fatalf("singular values %v", svd.Values(nil))
		}
	})
	if accepted < 3 { // of 100, a quarter of which are: 10⁻¹⁰
		t.Errorf("%d formulas accepted", accepted)
	}
}

// Patsy's columns of f:g in one term, and poly as one term, are caught by the checks on columns.
func TestChecksCatchOtherCodings(t *testing.T) {
	d, err := code("y ~ f + g + f:g")
	if err != nil {
		t.Fatal(err)
	}
	for c := range d.Of { // all but the intercept in one term
		d.Of[c] = min(c, 1)
	}
	if _, _, found := d.together(); !found {
		t.Error("main effects and cells in one term pass")
	}
	if d, err = code("y ~ poly(u, 2)"); err != nil {
		t.Fatal(err)
	}
	d.Of[2] = 1
	if i, j, found := d.together(); !found || i != 1 || j != 2 {
		t.Error("P₁ and P₂ in one term pass")
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"y ~ a*b + poly(u, 2)", "y ~ C(f, ref='x y') - 1", "`a b`~(a+b)^2:c",
		"y ~ -1 + I(x^3)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.At < 1 || e.What == "" || e.Want == "" {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		again, err := Parse(p.String())
		if err != nil || again.String() != p.String() || !slices.Equal(again.terms, p.terms) {
			t.Fatalf("%q: %q is read as %v, %v", text, p, again, err)
		}
		p.Code(func(name string) ([]string, error) {
			if len(name)%2 == 0 {
				return []string{"0", "1"}, nil
			}
			return nil, nil
		})
	})
}
