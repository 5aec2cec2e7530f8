module github.com/privbayes/privbayes-go/papers

go 1.26.0

toolchain go1.26.11

require (
	github.com/privbayes/privbayes-go v0.2.0
	gonum.org/v1/gonum v0.17.0
	pgregory.net/rapid v1.3.0
)

require (
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/text v0.41.0 // indirect
)
