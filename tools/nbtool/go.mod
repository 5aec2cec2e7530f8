module github.com/privbayes/privbayes-go/tools/nbtool

go 1.26.0

toolchain go1.26.11

require (
	github.com/janpfeifer/gonb v0.11.5
	github.com/privbayes/privbayes-go v0.2.0
	github.com/privbayes/privbayes-go/cmd/privbayes v0.2.0
	golang.org/x/image v0.45.0
)

require (
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/text v0.41.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)
