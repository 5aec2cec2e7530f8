package prove

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/parity"
)

// Odd are the families of a network of binary variables, and what one record changes of their parities: the order of
// the elimination that found it and a difference of records that attains it.
type Odd struct {
	families            [][]int
	order, witness      []int
	Coefficients, Bound int
}

// NewOdd finds odd(N). exact is false where the elimination would be too large: there is no number to check.
func NewOdd(families [][]int, variables int) (o *Odd, exact bool, err error) {
	arities := make([]int, variables)
	for v := range arities {
		arities[v] = 2
	}
	s, err := parity.NewSpectrum(arities, families)
	if err != nil {
		return nil, false, err
	}
	count, exact, z, err := s.OddSensitivity(0)
	if err != nil || !exact {
		return nil, false, err
	}
	order, err := s.OddOrder()
	if err != nil {
		return nil, false, err
	}
	var witness []int
	for v, b := range z {
		if b == 1 {
			witness = append(witness, v)
		}
	}
	return &Odd{families, order, witness, s.Size(), int(count)}, true, nil
}

// Definitions are the families, the order and the witness under names that begin with prefix.
func (o *Odd) Definitions(prefix string) string {
	rows := make([]string, len(o.families))
	for i, f := range o.families {
		rows[i] = Numbers(f)
	}
	return fmt.Sprintf(`Definition %[1]sfamilies : list (list nat) := %[2]s%%nat.
Definition %[1]sorder : list nat := %[3]s%%nat.
Definition %[1]switness : list nat := %[4]s%%nat.
`, prefix, List(rows), Numbers(o.order), Numbers(o.witness))
}

// Arguments are what the checker takes.
func (o *Odd) Arguments(prefix string) string {
	return fmt.Sprintf("%[1]sorder %[1]sfamilies %[1]switness %[2]d %[3]d", prefix, o.Coefficients, o.Bound)
}
