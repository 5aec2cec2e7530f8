module github.com/privbayes/privbayes-go/tools/vuln

go 1.26.0

toolchain go1.26.11

// Of this tool only the module matters: the database in its data/osv.
tool golang.org/x/vulndb/cmd/forks

require golang.org/x/vuln v1.9.0

require (
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/telemetry v0.0.0-20261010193011-f71dc92da45e // indirect
	golang.org/x/tools v0.52.0 // indirect
	golang.org/x/vulndb v0.0.0-20261105234957-e22db6528018 // indirect
)
