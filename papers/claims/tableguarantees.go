package claims

// guarantee is one row of the true version of Table 1 of the network paper.
type guarantee struct {
	mechanism, level, how string
	claims                []string
}
