package privbayes_test

import (
	"os"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// Releases without a seed are drawn here by the hundred: which ones is the same in every run of the suite.
func TestMain(m *testing.M) {
	must.Repeatable(1)
	os.Exit(m.Run())
}
