package formula

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// side is what an expression is parsed behind: no formula calls its response so.
const side = "` ` ~ 0 + "

// TermKeys are the keys of the terms of an expression such as "poly(age, 2)", "b:a" or "age + I(age^2)", in its order:
// as Design.Keys has those of a formula, whatever the order of the factors in a term. Errors: *Error, with the place in
// the expression.
func TermKeys(expression string) (keys []string, err error) {
	f, err := Parse(side + expression)
	if err != nil {
		var e *Error
		if errors.As(err, &e) {
			e.At = max(1, e.At-len(side))
		}
		return nil, err
	}
	for _, t := range f.terms {
		keys = append(keys, f.key(t))
	}
	return keys, nil
}

// ColumnKey is the key of the term that is one column as it is.
func ColumnKey(column string) string { return fmt.Sprintf("%q 1", column) }

// key names a term by its factors, sorted; that of the intercept is "".
func (f *Formula) key(t term) string {
	var words []string
	for _, x := range f.factorsOf(t) {
		word := fmt.Sprintf("%q %d", x.column, x.degree)
		if x.legendre {
			word += " Legendre"
		}
		words = append(words, word)
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

// KeyColumns are the columns of a term.
func KeyColumns(key string) (columns []string) {
	for key != "" {
		quoted, err := strconv.QuotedPrefix(key)
		column, err2 := strconv.Unquote(quoted)
		if err != nil || err2 != nil { // no key
			return columns
		}
		columns = append(columns, column)
		_, key, _ = strings.Cut(key[len(quoted):], ", ")
	}
	return columns
}
