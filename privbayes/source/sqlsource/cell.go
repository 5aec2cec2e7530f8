package sqlsource

import (
	"math"
	"strconv"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// cell takes the values of one column as a driver gives them, and encodes them as reading a file does. As a sql.Scanner
// it gets them before database/sql would put them into an error, and never returns one.
type cell struct {
	coder   *frame.Coder
	numeric bool
	scratch []byte
	// of the last value
	code  int32
	value float64
	ok    bool // it fits the column
}

// Scan implements sql.Scanner.
func (c *cell) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		c.code, c.value, c.ok = c.coder.Null()
	case string:
		c.text(append(c.scratch[:0], v...))
	case []byte:
		c.text(append(c.scratch[:0], v...))
	case int64:
		c.whole(v)
	case int32:
		c.whole(int64(v))
	case int16:
		c.whole(int64(v))
	case int8:
		c.whole(int64(v))
	case float64:
		c.number(v)
	case bool:
		c.text(strconv.AppendBool(c.scratch[:0], v))
	default:
		c.ok = false
	}
	return nil
}

func (c *cell) text(b []byte) {
	c.scratch = b
	c.code, c.value, c.ok = c.coder.Text(b)
}

// whole takes the shorter way where it gives the same: a whole number of up to 53 bits.
func (c *cell) whole(v int64) {
	if c.numeric && -1<<53 <= v && v <= 1<<53 {
		c.number(float64(v))
		return
	}
	c.text(strconv.AppendInt(c.scratch[:0], v, 10))
}

func (c *cell) number(x float64) {
	if math.IsNaN(x) {
		c.ok = false
		return
	}
	c.code, c.value, c.ok = c.coder.Number(x)
}

// appendNumber writes a number the way it would stand in a file.
func appendNumber(b []byte, x float64) []byte { return strconv.AppendFloat(b, x, 'f', -1, 64) }
