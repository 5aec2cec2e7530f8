package keep

import (
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// ChargeOf is the charge for what is released of some shapes of one table under a guarantee, without its name: with
// the part of the data that a step named, the design by which its schema says that rows were drawn, and under
// replace-value with the columns that are protected, within strata with these. Errors: *dp.ParameterError for columns
// that cannot be told from those of other releases.
func ChargeOf(what string, g dp.Guarantee, mode budget.ChargeMode, shapes ...*model.Shape) (budget.Charge, error) {
	c := budget.Charge{What: safetext.Clip(what, 4000), Level: g.Parameters, Adjacency: g.Adjacency,
		Unit: budget.UnitOf(shapes[0].Schema()), State: mode, Part: partOf(shapes[0].Rows()),
		Design: designOf(shapes[0], g.Adjacency)}
	if g.Adjacency == dp.WithinStrata {
		c.Strata = shapes[0].Schema().StrataName()
	}
	if g.Adjacency != dp.ReplaceValue {
		return c, nil
	}
	var err error
	c.Columns, err = columnsOf(shapes)
	return c, err
}

// columnsOf are the columns that the shapes protect under replace-value, and those that they do not.
func columnsOf(shapes []*model.Shape) (*budget.Columns, error) {
	c := &budget.Columns{}
	for _, sh := range shapes {
		if step := sh.Schema().StepOf(frame.StepRename, frame.StepDerive, frame.StepGroupBy, frame.StepLookup); step != "" {
			return nil, domain.Refuse("budget", "columns", "those after "+step, "the columns of the table that was read: under "+
				"replace-value a budget tells columns apart by their names")
		}
		class := sh.Unprotected()
		for _, col := range sh.Columns() {
			to := &c.Protected
			if col.Name == class {
				to = &c.Class
			}
			if !slices.Contains(*to, col.Name) {
				*to = append(*to, col.Name)
			}
		}
	}
	slices.Sort(c.Class)
	slices.Sort(c.Protected)
	return c, nil
}

// designOf is how the rows were drawn, where they are those of the sample that the schema describes: none appended, and
// where their number is public all of them, and so many.
func designOf(sh *model.Shape, adj dp.Adjacency) string {
	for _, step := range sh.Rows() {
		if adj != dp.AddRemove || !step.Known() || strings.HasPrefix(step.Name, "Append") {
			return ""
		}
	}
	rows, public := sh.N()
	if !public || adj == dp.AddRemove {
		rows = 0
	}
	return sh.Schema().DesignName(rows)
}

// partOf is the part that the steps put all rows in, where exactly one of them did.
func partOf(steps []frame.RowStep) (part *budget.Part) {
	for _, s := range steps {
		rule, name, ok := s.InPart()
		if !ok {
			continue
		}
		if part != nil {
			return nil
		}
		part = &budget.Part{Rule: rule, Name: name}
	}
	return part
}
