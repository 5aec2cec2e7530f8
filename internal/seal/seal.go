// Package seal holds the key that opens private statistics.
//
// Statistics are counts of raw data. Only a mechanism's draw and the non-private line of a diagnostic may read them;
// both live in this module. The key's type is internal, so no other module can name it: a notebook can hold statistics,
// but not open them.
//
// Place: imported by model, which seals, and by mechanisms, eval and the façade, which pass the key on.
package seal

// Key opens model.Statistics. Its zero value is the key. The field keeps an unnamed struct{} of another module from being
// assigned to it.
type Key struct{ _ [0]func() }
