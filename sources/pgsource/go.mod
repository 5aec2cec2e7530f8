module github.com/privbayes/privbayes-go/sources/pgsource

go 1.26.0

toolchain go1.26.11

require (
	github.com/jackc/pgx/v5 v5.12.0
	github.com/privbayes/privbayes-go v0.2.0
)

require (
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/text v0.41.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)

replace github.com/privbayes/privbayes-go => ../..
