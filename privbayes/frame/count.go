package frame

const (
	maxCells   = 1 << 27 // largest table: 1 GiB of counts
	countBlock = 1 << 14 // rows whose class codes stay in the first-level cache
)

// Table1 counts each code of a column. The counts are private. Error: *ColumnError.
func (f *Frame) Table1(name string) ([]int64, error) {
	col, _, err := f.coded("Table1", name)
	if err != nil {
		return nil, err
	}
	t := make([]int64, col.codes.Levels)
	for i := range f.n {
		t[col.codes.At(i)]++
	}
	return t, nil
}

// Count makes the contingency table of two columns: cell a·levels(b)+b counts the rows with codes a and b. The counts
// are private. Errors: *ColumnError; *dp.ParameterError above 2^27 cells.
func (f *Frame) Count(a, b string) ([]int64, error) {
	t, err := f.TablesByClass(a, []string{b})
	if err != nil {
		return nil, err
	}
	return t[0], nil
}

// TablesByClass makes, for each attribute, the table of class × attribute: cell class·C+value counts the rows with that
// class and value, C being the attribute's levels. The counts are private. Errors are those of Tables.
func (f *Frame) TablesByClass(class string, attrs []string) ([][]int64, error) {
	sets := make([][]string, len(attrs))
	for i, a := range attrs {
		sets[i] = []string{class, a}
	}
	return f.Tables(sets)
}
