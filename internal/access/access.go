// Package access holds the key that opens private statistics.
//
// Statistics are counts of raw data. Only a mechanism's draw and the non-private line of a diagnostic may read them;
// both live in this module. The package is internal, so no other module can call Mine: a notebook can hold statistics,
// but not open them. A zero Key, which a generic function of another module can make without naming the type, opens
// nothing.
package access

// Key opens model.Statistics if it is Mine. The field of functions keeps an unnamed struct of another module from being
// assigned to it.
type Key struct {
	mine bool
	_    [0]func()
}

// Mine is the key of this module.
func Mine() Key { return Key{mine: true} }

// Opens reports whether the key is Mine, and not a zero value.
func (k Key) Opens() bool { return k.mine }
