package parity

// Watch keeps long work within limits. It is for one goroutine.
type Watch struct {
	// Step is told of elementary steps as the work goes on, and ends it with the error it returns; nil: nobody is told.
	Step func(steps int) error
	// Bytes is what one computation may allocate; 0: what there is. More is refused with *SizeError.
	Bytes float64
	// Steps is how many elementary steps one computation may take; 0: any number. More are refused with *SizeError.
	Steps float64
}

// stopped carries a watch's error out of nested loops to the exported function that they serve.
type stopped struct{ err error }

// at tells the watch of steps.
func (w Watch) at(steps int) {
	if w.Step == nil {
		return
	}
	if err := w.Step(steps); err != nil {
		panic(stopped{err})
	}
}

// allocate refuses what would take more bytes than the watch allows.
func (w Watch) allocate(what string, vars []int, bytes float64) {
	if w.Bytes > 0 && !(bytes <= w.Bytes) {
		panic(stopped{&SizeError{"bytes of " + what, vars, bytes, w.Bytes}})
	}
}

// spend refuses what would take more steps than the watch allows.
func (w Watch) spend(what string, steps float64) {
	if w.Steps > 0 && !(steps <= w.Steps) {
		panic(stopped{&SizeError{"steps of " + what, nil, steps, w.Steps}})
	}
}

// end turns what at and allocate threw into the error of an exported function that defers it.
func end(err *error) {
	switch r := recover().(type) {
	case nil:
	case stopped:
		*err = r.err
	default:
		panic(r)
	}
}

// Watched is the same spectrum, whose long computations go on under w; under the zero Watch they are free.
func (s *Spectrum) Watched(w Watch) *Spectrum {
	c := *s
	c.watch = w
	return &c
}
