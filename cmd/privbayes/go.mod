module github.com/privbayes/privbayes-go/cmd/privbayes

go 1.26.0

require (
	github.com/goccy/go-yaml v1.19.2
	github.com/privbayes/privbayes-go v0.2.0
	go.yaml.in/yaml/v4 v4.0.0
	golang.org/x/sys v0.35.0
)

require (
	golang.org/x/text v0.28.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)
