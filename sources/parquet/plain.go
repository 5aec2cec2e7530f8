package parquet

// plainCache keeps the codes of numbers met in plain pages: columns of few different numbers are common, and encoding
// one takes longer than finding it.
type plainCache struct {
	keys    []uint64
	entries []entry
	values  []float64
}

const cacheBits = 10

// plain decodes m values in plain encoding.
func plain[C uint8 | uint16](c *column, m int, to []C, at []float64) (met entry, err error) {
	switch {
	case c.convert.kind == typeBoolean:
		return truths(c, m, to, at)
	case c.convert.size == 4 || c.convert.size == 8:
		return fixed(c, m, to, at)
	}
	for i := range m {
		raw, rest, ok := c.cut(c.plain)
		if !ok {
			return 0, damaged("the values of a page")
		}
		c.plain = rest
		code, value, fits := c.convert.one(raw)
		if !fits {
			return refused, nil
		}
		if to != nil {
			to[i] = C(code)
		} else {
			at[i] = value
		}
	}
	return 0, nil
}

// fixed decodes numbers of four or eight bytes, through the cache.
func fixed[C uint8 | uint16](c *column, m int, to []C, at []float64) (met entry, err error) {
	size := c.convert.size
	if m > len(c.plain)/size {
		return 0, damaged("the values of a page")
	}
	if c.seen.keys == nil {
		c.seen = plainCache{make([]uint64, 1<<cacheBits), make([]entry, 1<<cacheBits), make([]float64, 1<<cacheBits)}
		for i := range c.seen.entries {
			c.seen.entries[i] = outOfRange // empty
		}
	}
	b := c.plain[:m*size]
	c.plain = c.plain[m*size:]
	for i := range m {
		raw := b[i*size : (i+1)*size]
		var key uint64
		if size == 4 {
			key = uint64(le32(raw))
		} else {
			key = le64(raw)
		}
		slot := key * 0x9e3779b97f4a7c15 >> (64 - cacheBits)
		e := c.seen.entries[slot]
		if e == outOfRange || c.seen.keys[slot] != key {
			code, value, fits := c.convert.one(raw)
			if !fits {
				return refused, nil
			}
			e = entry(code)
			c.seen.keys[slot], c.seen.entries[slot], c.seen.values[slot] = key, e, value
		}
		if to != nil {
			to[i] = C(e)
		} else {
			at[i] = c.seen.values[slot]
		}
	}
	return 0, nil
}

// truths decodes truth values, eight to a byte.
func truths[C uint8 | uint16](c *column, m int, to []C, at []float64) (met entry, err error) {
	if m > 8*len(c.plain)-c.bit {
		return 0, damaged("the values of a page")
	}
	var known [2]bool
	var entries [2]entry
	var values [2]float64
	for i := range m {
		k := c.plain[c.bit>>3] >> (c.bit & 7) & 1
		c.bit++
		if !known[k] {
			code, value, fits := c.convert.one([]byte{k})
			if !fits {
				return refused, nil
			}
			known[k], entries[k], values[k] = true, entry(code), value
		}
		if to != nil {
			to[i] = C(entries[k])
		} else {
			at[i] = values[k]
		}
	}
	return 0, nil
}
