package program

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The words of the protocol.
const (
	greeting = "privbayes-audit"
	version  = "1"
	wordLaw  = "law"
	wordDraw = "draw"
)

// The lengths of what a line may hold.
const (
	maxOutput  = 200     // bytes of an output of a draw
	maxNumber  = 40      // bytes of a log-probability with its space
	maxOutputs = 1 << 20 // outputs of a stated law
	maxGreet   = 200     // bytes of the greeting
)

// abilities are what a program says it can do.
type abilities struct {
	outputs int // of the stated law; 0: it states none
	draws   bool
}

// String is the greeting of a program with these abilities.
func (a abilities) String() string {
	s := greeting + " " + version
	if a.outputs > 0 {
		s += fmt.Sprintf(" %s %d", wordLaw, a.outputs)
	}
	if a.draws {
		s += " " + wordDraw
	}
	return s
}

const wantGreeting = `the greeting "privbayes-audit 1", then "law" and the number of outputs, or "draw", or both`

// parseGreeting reads the first line of a program. The error says what is wrong with it.
func parseGreeting(line string) (abilities, error) {
	words := strings.Fields(line)
	if len(words) < 3 || words[0] != greeting {
		return abilities{}, fmt.Errorf("want %s", wantGreeting)
	}
	if words[1] != version {
		return abilities{}, fmt.Errorf("want version %s of the protocol", version)
	}
	var a abilities
	rest := words[2:]
	if rest[0] == wordLaw {
		if len(rest) < 2 {
			return abilities{}, fmt.Errorf("want the number of outputs after %q", wordLaw)
		}
		k, err := count(rest[1])
		if err != nil || k < 1 || k > maxOutputs {
			return abilities{}, fmt.Errorf("want a number of outputs from 1 to %d", maxOutputs)
		}
		a.outputs, rest = k, rest[2:]
	}
	if len(rest) > 0 && rest[0] == wordDraw {
		a.draws, rest = true, rest[1:]
	}
	if len(rest) > 0 || a == (abilities{}) {
		return abilities{}, fmt.Errorf("want %s", wantGreeting)
	}
	return a, nil
}

// parseLaw reads the answer to a request for a law of k outputs.
func parseLaw(line string, k int) ([]float64, error) {
	words := strings.Fields(line)
	if len(words) != k {
		return nil, fmt.Errorf("want %d log-probabilities, have %d words", k, len(words))
	}
	out := make([]float64, k)
	for i, w := range words {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("want the log-probability of output %d, a number below infinity or -inf", i)
		}
		out[i] = v
	}
	return out, nil
}

// parseOutput reads one output of a draw.
func parseOutput(line string) (string, error) {
	text := strings.TrimSpace(line)
	switch {
	case text == "":
		return "", fmt.Errorf("want an output, have an empty line")
	case len(text) > maxOutput:
		return "", fmt.Errorf("want an output of at most %d bytes", maxOutput)
	case !utf8.ValidString(text):
		return "", fmt.Errorf("want an output in UTF-8")
	}
	return text, nil
}

// request is one line to a program.
type request struct {
	draws int // 0: the law is asked for
	x     []int
}

// String is the line.
func (r request) String() string {
	words := []string{wordLaw}
	if r.draws > 0 {
		words = []string{wordDraw, strconv.Itoa(r.draws)}
	}
	for _, c := range r.x {
		words = append(words, strconv.Itoa(c))
	}
	return strings.Join(words, " ")
}

// parseRequest reads a line to a program.
func parseRequest(line string) (request, error) {
	words := strings.Fields(line)
	var r request
	if len(words) > 0 && words[0] == wordDraw && len(words) > 1 {
		k, err := count(words[1])
		if err != nil || k < 1 {
			return r, fmt.Errorf("want a number of draws")
		}
		r.draws, words = k, words[1:]
	} else if len(words) == 0 || words[0] != wordLaw {
		return r, fmt.Errorf("want %q or %q", wordLaw, wordDraw+" M")
	}
	if len(words) < 2 {
		return r, fmt.Errorf("want the counts of a data set")
	}
	for _, w := range words[1:] {
		c, err := count(w)
		if err != nil {
			return r, fmt.Errorf("want counts, which are integers ≥ 0")
		}
		r.x = append(r.x, c)
	}
	return r, nil
}

// count reads an integer ≥ 0 in digits alone.
func count(word string) (int, error) {
	k, err := strconv.ParseUint(word, 10, 31)
	return int(k), err
}
