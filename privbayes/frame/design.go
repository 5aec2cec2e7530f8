package frame

import (
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Design says how the rows were drawn from their population, where nobody who sees a release knows who was drawn. A
// budget has the whole ε either way. For those who do not know who was drawn it can say by how much less a release
// tells, see budget.Amplified. There is nothing to say of samples of areas, of strata, or that took every k-th.
type Design struct {
	Method Method `json:"method"`
	// Rate is the largest probability with which a row was drawn, such as "1/250" or "0.004". It was fixed before the
	// sample, by public facts.
	Rate string `json:"rate"`
	// Secret says that who was drawn is known to no reader: it is required to be true. Those who were drawn know it of
	// themselves, and so do their households and the field staff.
	Secret bool `json:"secret"`
}

// Method is how rows were drawn.
type Method string

// Every row was drawn by itself, or one of all sets of n rows was.
const (
	// Poisson draws every row independently of all others, with a probability of its own.
	Poisson Method = "poisson"
	// SimpleRandom draws n of the N rows of the population, all sets of n alike; n and N are public.
	SimpleRandom Method = "srs"
)

// maxDrawn bounds the rows of a unit that were drawn row by row.
const maxDrawn = 1 << 10

// rate reads the rate as a fraction of integers up to 10^15.
func (d *Design) rate() (num, den uint64, ok bool) {
	const most = 1_000_000_000_000_000
	a, b, ratio := strings.Cut(d.Rate, "/")
	if !ratio {
		num, ok = decimal9(d.Rate, 9)
		return num, billion, ok && num > 0 && num <= billion
	}
	whole := func(text string) uint64 {
		x, err := strconv.ParseUint(text, 10, 64)
		if err != nil || text[0] == '+' {
			return 0
		}
		return x
	}
	num, den = whole(a), whole(b)
	return num, den, num > 0 && num <= den && den <= most
}

// DesignName tells samples of one design from those of others of the data set: the method, the rate in lowest terms and
// the population, such as "srs, 5000 rows, rate 1/80, of 430000". A simple random sample has so many rows where that is
// public; 0 says that it is not, or not known. It is "" where the schema has no design. Charges have it, see
// budget.Charge.
func (s *Schema) DesignName(rows int) string {
	if s.Design == nil || s.checkDesign() != nil {
		return ""
	}
	num, den, _ := s.Design.rate()
	name := string(s.Design.Method)
	if rows > 0 && s.Design.Method == SimpleRandom {
		name += fmt.Sprintf(", %d rows", rows)
	}
	name += fmt.Sprintf(", rate %s", big.NewRat(int64(num), int64(den)))
	if s.Population > 0 {
		name += fmt.Sprintf(", of %d", s.Population)
	}
	return name
}

// checkDesign checks what the schema says about how rows were drawn.
func (s *Schema) checkDesign() *SchemaError {
	d := s.Design
	if d == nil {
		return nil
	}
	num, den, ok := d.rate()
	rows := strconv.Itoa(max(s.ApproximateRows, 0))
	switch w := s.Weight; {
	case d.Method != Poisson && d.Method != SimpleRandom:
		return bad("design.method", safetext.Quote(string(d.Method)), `"poisson" where every row was drawn by itself, `+
			`"srs" where n of N rows were drawn, all sets alike; nothing can be said of samples of areas, of strata, and of `+
			"every k-th row")
	case !ok:
		return bad("design.rate", safetext.Quote(d.Rate), `the largest probability with which a row was drawn, above 0 and `+
			`at most 1, such as "1/250" or "0.004"`)
	case !d.Secret:
		return bad("design.secret", "false", `true, where no reader knows who was drawn; else no "design"`)
	case s.Sampling == Census:
		return bad("sampling", `"census"`, `"sample" with a design: rows of a census were not drawn`)
	case s.Inferred:
		return bad("design", "set", "a schema from public knowledge, not one inferred from the rows")
	case s.Strata != nil:
		return bad("design", "set", `none with "strata": how likely a row was drawn is another question in each`)
	case s.UnitKey != "" || len(s.Tables) > 0:
		return bad("design", "set", `none with "unit_key" or "tables": a unit may have more rows in the population than `+
			"those that are kept, and is then drawn with a greater probability")
	case s.RowsPerUnit > 1 && (d.Method == SimpleRandom || s.RowsPerUnit > maxDrawn):
		return bad("rows_per_unit", strconv.Itoa(s.RowsPerUnit), `1 with the design "srs", at most 1024 with "poisson"`)
	case d.Method == Poisson && len(strings.TrimRight(rows, "0")) > 2:
		return bad("about_rows", rows, "a number of two digits before its zeros, such as 5100, with the design "+
			`"poisson": what it says holds only if nobody prints how many rows there are`)
	case w == nil:
		return nil
	case d.Method == SimpleRandom:
		return bad("design.method", `"srs"`, `none with a "weight", which says that rows were drawn with unequal `+
			`probabilities; or "poisson"`)
	case w.Computed == FromRespondents:
		return bad("design", "set", "weights from the design: those that were computed from the respondents change with "+
			"who else was drawn")
	case w.Clamp:
		return bad("design", "set", `a weight without "clamp": one below "min" was drawn with a greater probability than `+
			"the weight says")
	}
	least, _ := decimal9(s.Weight.Min, 9)
	hi, lo := bits.Mul64(num, least)
	needs, low := bits.Mul64(den, billion)
	if hi < needs || hi == needs && lo < low {
		return bad("design.rate", safetext.Quote(d.Rate), fmt.Sprintf(`at least 1/%s, one over the smallest weight: rows `+
			"with it were drawn with that probability", s.Weight.Min))
	}
	return nil
}

// Inclusion is the largest probability with which a unit of the population is in the sample, as the design says. Of n
// rows of which nobody knows how many they are it is 1 − (1 − q)^k, with q the rate and k the rows of a unit. Where n
// is public the sample is one of all sets of n rows, and it is n/N, N the population. Errors: *SchemaError where there
// is no design, for simple random samples of a private n, and for a public n if rows were drawn by themselves, whose
// probabilities may differ, if no population is declared, or if n/N is above the rate or 1.
func (s *Schema) Inclusion(n int, public bool) (*big.Rat, error) {
	if s.Design == nil {
		return nil, bad("design", "unset", `how rows were drawn, such as {"method": "poisson", "rate": "1/250", "secret": `+
			"true}")
	}
	if e := s.checkDesign(); e != nil {
		return nil, e
	}
	num, den, _ := s.Design.rate()
	rate := big.NewRat(int64(num), int64(den))
	if !public {
		if s.Design.Method == SimpleRandom {
			return nil, bad("design.method", `"srs"`, "releases under replace-one, where the number of rows is public")
		}
		one, none := big.NewRat(1, 1), big.NewRat(1, 1)
		for range max(s.RowsPerUnit, 1) {
			none.Mul(none, new(big.Rat).Sub(one, rate))
		}
		return one.Sub(one, none), nil
	}
	switch {
	case s.Design.Method != SimpleRandom:
		return nil, bad("design.method", `"poisson"`, `"srs" where the number of rows is published and all were drawn with `+
			"one probability, as then all sets of so many are alike; with several that number tells who was drawn: releases "+
			"under add-remove")
	case s.Population == 0:
		return nil, bad("population", "unset", "how many rows the sample was drawn from")
	case int64(n) > s.Population:
		return nil, bad("population", strconv.FormatInt(s.Population, 10), fmt.Sprintf("at least the %d rows that were drawn",
			n))
	}
	share := big.NewRat(int64(n), s.Population)
	if share.Cmp(rate) > 0 {
		return nil, bad("design.rate", safetext.Quote(s.Design.Rate), fmt.Sprintf("at least %d/%d: so many rows were drawn",
			n, s.Population))
	}
	return share, nil
}
