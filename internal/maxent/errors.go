package maxent

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/junction"
)

// ImpossibleError says that the forbidden cells leave no record that could be.
type ImpossibleError struct{}

func (*ImpossibleError) Error() string {
	return "maxent: the forbidden cells rule out every record; want at least one that can be"
}

// ErrNotFitted says that a model has tables that no Fit has taken up.
var ErrNotFitted = errors.New("maxent: margins of a model that is not fitted; want Fit first")

// refuse is the error of an argument.
func refuse(of, parameter string, value any, want string) error {
	return domain.Refuse("maxent: "+of, parameter, value, want)
}

// checkVars refuses sets of variables that are none.
func (m *Model) checkVars(of string, vars []int) error {
	for i, v := range vars {
		if v < 0 || v >= len(m.levels) {
			return refuse(of, "vars", v, fmt.Sprintf("variables 0 to %d", len(m.levels)-1))
		}
		if slices.Contains(vars[:i], v) {
			return refuse(of, "vars", fmt.Sprintf("%d twice", v), "each variable once")
		}
	}
	if cells := junction.Cells(vars, m.levels); cells > MaxCells {
		return refuse(of, "vars", "a table of "+junction.CellText(cells)+" cells", fmt.Sprintf("at most %d", MaxCells))
	}
	return nil
}

// checkTable refuses a table of another shape or with cells that are no numbers.
func (m *Model) checkTable(of string, vars []int, table []float64) error {
	if len(vars) == 0 {
		return refuse(of, "vars", "none", "at least one variable")
	}
	if err := m.checkVars(of, vars); err != nil {
		return err
	}
	if cells := junction.Cells(vars, m.levels); len(table) != cells {
		return refuse(of, "table", fmt.Sprintf("%d cells", len(table)), fmt.Sprintf("%d, the product of the levels", cells))
	}
	for _, y := range table {
		if math.IsNaN(y) || math.Abs(y) > 1e18 {
			return refuse(of, "table", y, "numbers of at most 1e18")
		}
	}
	return nil
}
