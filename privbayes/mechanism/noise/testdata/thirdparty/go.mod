module example.com/noises

go 1.26.0

require github.com/privbayes/privbayes-go v0.2.0
