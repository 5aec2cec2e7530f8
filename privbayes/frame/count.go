package frame

const (
	maxCells   = 1 << 27 // largest table: 1 GiB of counts
	countBlock = 1 << 14 // rows whose class codes stay in the first-level cache
)

// Counts is the contingency table of some columns of a frame whose rows are public, such as synthetic records: cells as
// TablesPrivate lays them out. Errors: *PrivateRowsError for private rows, whose counts a release gives, and those of
// TablesPrivate.
func (f *Frame) Counts(columns ...string) ([]int64, error) {
	if f.public == "" {
		return nil, &PrivateRowsError{"Counts"}
	}
	return f.CountPrivate(columns...)
}

// CountPrivate is the contingency table of some columns: raw counts, a diagnostic. Private: do not publish. Errors are
// those of TablesPrivate.
func (f *Frame) CountPrivate(columns ...string) ([]int64, error) {
	t, err := f.TablesPrivate([][]string{columns})
	if err != nil {
		return nil, err
	}
	return t[0], nil
}
