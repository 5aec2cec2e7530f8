module github.com/privbayes/privbayes-go/bench

go 1.26.0

require (
	github.com/privbayes/privbayes-go v0.2.0
	github.com/privbayes/privbayes-go/papers v0.2.0
)
