package program

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// Speaker is the other side of the protocol: a mechanism in Go that can be audited as a program. A nil field is what it
// does not offer.
type Speaker struct {
	Law  finite.Mechanism
	Draw func(x []int) (string, error) // one output, up to 200 bytes of one line; with Law, its number
}

// maxRequest is the length of the longest request that is read, in bytes.
const maxRequest = 1 << 20

// Serve greets, and answers requests until in ends: the main function of a program to audit. The error is that of a
// request that is none (*dp.ParameterError), of Draw, of a write, or of a Speaker that offers nothing.
func Serve(in io.Reader, out io.Writer, s Speaker) error {
	can := abilities{draws: s.Draw != nil}
	if s.Law != nil {
		can.outputs = s.Law.Outputs()
	}
	if can == (abilities{}) {
		return domain.Refuse("program: Serve", "speaker", nil, "a law or draws")
	}
	w := bufio.NewWriter(out)
	fmt.Fprintln(w, can)
	if err := w.Flush(); err != nil {
		return err
	}
	r := bufio.NewReaderSize(in, maxRequest)
	for {
		part, err := r.ReadSlice('\n')
		line := string(part)
		if line == "" && err == io.EOF {
			return nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		q, err := parseRequest(line)
		if err != nil || q.draws > 0 && s.Draw == nil || q.draws == 0 && s.Law == nil {
			return domain.Refuse("program: Serve", "request", strings.TrimSpace(line), "one that the greeting offers")
		}
		if err := s.answer(w, q); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
}

// answer writes the lines that a request asks for.
func (s Speaker) answer(w *bufio.Writer, q request) error {
	for range q.draws {
		text, err := s.Draw(append([]int(nil), q.x...))
		if err != nil {
			return err
		}
		fmt.Fprintln(w, text)
	}
	if q.draws > 0 {
		return nil
	}
	law := make([]float64, s.Law.Outputs())
	s.Law.LogLaw(q.x, law)
	for i, v := range law {
		if i > 0 {
			_ = w.WriteByte(' ') // a write that fails is reported by Flush
		}
		_, _ = w.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return w.WriteByte('\n')
}
