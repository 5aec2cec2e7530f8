module example.com/warner

go 1.26.0

require github.com/privbayes/privbayes-go v0.0.0

replace github.com/privbayes/privbayes-go => ../../../..
