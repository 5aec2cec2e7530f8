package source

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Part is one of the two parts of a division by key: rows go together whose key is the same text, and which part they
// are in is a function of the key's text and the public seed alone. So one unit moves no row of another, whoever comes
// or goes. It need not agree with frame.Frame.Split.
//
// The rule can be followed by a database: with prefix = Prefix(), a row is in the first part where the first 13
// hexadecimal digits of md5(prefix ‖ key), in lower case, are less than Below() in bytewise order, and in the rest
// where they are not. A row without a key, which is null, has the empty text for one.
type Part struct {
	Column   string
	fraction float64
	Seed     uint64
	rest     bool
}

// Divisible is a source that divides its rows by key.
type Divisible interface {
	Source
	// Part is the source of the rows of a part; their number is private, and their selection has the part's Step added.
	// Error: *frame.ColumnError if there is no such key column.
	Part(p Part) (Source, error)
}

// NewPart is the first part. Error: *dp.ParameterError unless 0 ≤ fraction ≤ 1.
func NewPart(column string, fraction float64, seed uint64) (Part, error) {
	if !(fraction >= 0 && fraction <= 1) {
		return Part{}, domain.Refuse("SplitByKey", "fraction", fraction, "0 to 1, such as 0.7")
	}
	return Part{Column: column, fraction: fraction, Seed: seed}, nil
}

// Rest is the other part.
func (p Part) Rest() Part { p.rest = !p.rest; return p }

// IsRest reports whether the part is the rest.
func (p Part) IsRest() bool { return p.rest }

// partDigits are the hexadecimal digits compared: 52 bits, which a float64 fraction holds.
const partDigits = 13

// Prefix stands before the key in what is hashed.
func (p Part) Prefix() string { return fmt.Sprintf("split %d:", p.Seed) }

// Below are the digits which those of the first part are less than; "g", which is above all digits, for the whole.
func (p Part) Below() string {
	if p.fraction >= 1 {
		return "g"
	}
	below := uint64(math.Round(math.Ldexp(p.fraction, 4*partDigits)))
	if below >= 1<<(4*partDigits) { // rounded up to the whole
		return "g"
	}
	return fmt.Sprintf("%0*x", partDigits, below)
}

// Keeps reports whether a row with that key is in the part.
func (p Part) Keeps(key []byte) bool {
	sum := md5.Sum(append([]byte(p.Prefix()), key...))
	first := hex.EncodeToString(sum[:])[:partDigits] < p.Below()
	return first != p.rest
}

// Step is the public step of a part, as selections and releases name it.
func (p Part) Step() frame.RowStep {
	return frame.RowStep{Name: frame.SplitByKey, Column: p.Column, Fraction: p.fraction, Seed: p.Seed, Test: p.rest}
}
