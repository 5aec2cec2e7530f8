package dp

import (
	crand "crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
)

// Stream is a source of uniform random words that knows whether it is secure. One stream serves one release. It is not
// safe for concurrent use.
type Stream struct {
	src    *rand.ChaCha8
	seeded bool
	seed   uint64
}

// RandomnessError says that the operating system gave no randomness. A release asks for it before anything is charged,
// and never draws without it.
type RandomnessError struct{ Err error }

func (e *RandomnessError) Error() string { return "dp: secure randomness: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *RandomnessError) Unwrap() error { return e.Err }

var errStuck = errors.New("the source repeats itself; want 512 random bits")

// Secure is a ChaCha8 stream keyed with 256 bits of crypto/rand.Reader, the operating system's. That is all it ever
// asks for: a stream cannot fail in the midst of a draw. If the source fails, gives too little, or gives the same bits
// twice in a row, which a working one does with probability 2⁻²⁵⁶, there is no stream: *RandomnessError.
func Secure() (*Stream, error) {
	var key, next [32]byte
	for _, b := range []*[32]byte{&key, &next} {
		// the reader itself: rand.Read ends the program where this gives an error
		if _, err := io.ReadFull(crand.Reader, b[:]); err != nil {
			return nil, &RandomnessError{err}
		}
	}
	if key == next {
		return nil, &RandomnessError{errStuck}
	}
	return &Stream{src: rand.NewChaCha8(key)}, nil
}

// Seeded is a reproducible stream for tests and tutorials. What is drawn from it is not private: anyone who knows or
// guesses the seed can subtract the noise.
func Seeded(seed uint64) *Stream {
	key := [32]byte{'p', 'r', 'i', 'v', 'b', 'a', 'y', 'e', 's'}
	binary.LittleEndian.PutUint64(key[24:], seed)
	return &Stream{src: rand.NewChaCha8(key), seeded: true, seed: seed}
}

// Uint64 is the next word.
func (s *Stream) Uint64() uint64 { return s.src.Uint64() }

// Seed returns the seed of a seeded stream; ok is false for a secure one.
func (s *Stream) Seed() (seed uint64, ok bool) { return s.seed, s.seeded }

// Identifier draws 128 bits as hexadecimal: the name of a release, fixed before anything private is read.
func (s *Stream) Identifier() string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], s.Uint64())
	binary.BigEndian.PutUint64(b[8:], s.Uint64())
	return hex.EncodeToString(b[:])
}

// String names the origin: "secure" or "seeded: not private".
func (s *Stream) String() string {
	if s.seeded {
		return "seeded: not private"
	}
	return "secure"
}
