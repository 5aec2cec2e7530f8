package release

// The mechanisms whose release files this version reads register themselves.
import (
	_ "github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	_ "github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	_ "github.com/privbayes/privbayes-go/privbayes/mechanism/gridmap"
	_ "github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	_ "github.com/privbayes/privbayes-go/privbayes/mechanism/linear"
	_ "github.com/privbayes/privbayes-go/privbayes/mechanism/posteriorsample"
)
