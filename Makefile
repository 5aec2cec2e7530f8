# privbayes: everything a contributor needs. "make" lists the targets.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# The checkout's own kernel and tools come first, then Go's usual place.
export PATH := $(CURDIR)/build/bin:$(PATH):/usr/local/go/bin
export JUPYTER_PATH := $(CURDIR)/build/jupyter$(if $(JUPYTER_PATH),:$(JUPYTER_PATH))
# Without paths, so that what one folder compiled serves in every other: packages for users leave them out, too.
export GOFLAGS := $(strip $(GOFLAGS) -buildvcs=false -trimpath)

FUZZTIME ?= 10s
BENCH ?= .
IMAGE ?= privbayes
DIR ?= notebooks
PORT ?= 8888

SITE_PORT ?= 8000

.PHONY: help tour test check check-rest test-sources test-python test-r wheel test-machines test-modules proofs site site-test site-open lab docker bench fuzz fmt notebooks-update api measure clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

tour: ## run the tour notebook, write build/tour.html, print its headline numbers
	@scripts/setup.sh jupyter kernel
	@go run ./tools/nbtool html notebooks/00_tour.ipynb

test: ## of the library: vet, staticcheck, all tests and Examples; the README's commands and the tour notebook
	@scripts/setup.sh jupyter kernel
	@scripts/test.sh

check: test ## the whole gate: make test, race detector, all notebooks, the other modules, site, sources, machines, proofs
	@$(MAKE) --no-print-directory check-rest

check-rest: ## what "make check" runs after "make test" (PRIVBAYES_DATA=folder of the tables that are not embedded)
	@scripts/setup.sh cc jupyter kernel complete lab site python r programs browser machines
	@scripts/test.sh rest

test-sources: ## vet and test the modules of sources/: Parquet, SQL, Beam on Flink (Debian packages, Maven)
	@scripts/sources.sh

wheel: ## the wheel of the Python package for this machine, in build/wheel
	@scripts/python.sh wheel

test-python: ## install the wheel into empty environments and test it there, without and with frames, and run its notebook
	@scripts/setup.sh python
	@scripts/python.sh test

test-r: ## build the R package, check it as CRAN does, and test it
	@scripts/setup.sh r
	@scripts/r.sh test

test-programs: ## run exported programs in NumPyro and Stan, and compare their posteriors with ours
	@scripts/setup.sh programs
	@scripts/programs.sh test

test-machines: ## verify on another processor and in WebAssembly what this machine releases, and the other way round
	@scripts/setup.sh machines
	@scripts/machines.sh

test-modules: ## build each module as its users get it: from a proxy of files, without go.work; look for known vulnerabilities
	@scripts/release.sh check

proofs: ## compile the machine proofs of proofs/ and compare what they state (Debian; Coq goes to build/coq)
	@scripts/proofs.sh

site: ## build the site into build/site/html and follow its links: notebooks, documents, API, planner, verifier
	@scripts/setup.sh site
	@scripts/site.sh build

site-test: site ## run the pages of the site in a browser (Debian's Chromium; the page that releases also in its Firefox)
	@scripts/setup.sh browser
	@scripts/site.sh test
	@scripts/site.sh release

site-open: site ## serve the site on this machine (SITE_PORT=8000)
	python3 -m http.server --bind 127.0.0.1 --directory build/site/html $(SITE_PORT)

lab: ## open a folder in JupyterLab, by default the notebooks (DIR=notebooks PORT=8888)
	@scripts/setup.sh lab kernel complete
	@build/bin/privbayes lab --port $(PORT) '$(DIR)'

docker: ## build the image and say how to run it (IMAGE=privbayes)
	@command -v docker >/dev/null || { echo "docker is not installed" >&2; exit 1; }
	docker build -t $(IMAGE) .
	@echo "docker run --rm -p $(PORT):8888 $(IMAGE)"

bench: ## benchmarks with allocations (BENCH=regexp)
	go test -run '^$$' -bench '$(BENCH)' -benchmem work

fuzz: ## every fuzz target in turn (FUZZTIME=10s each)
	@scripts/fuzz.sh $(FUZZTIME)

fmt: ## gofmt and import order
	@scripts/setup.sh kernel
	goimports -local github.com/privbayes -w bench cmd data internal papers privbayes proofs site sources tools

notebooks-update: ## rebuild every notebook from its .md, execute it, write the outputs and the gallery
	@scripts/setup.sh jupyter kernel
	go run ./tools/nbtool run notebooks/[0-9]*.md
	go run ./tools/nbtool gallery

api: ## list what the library exports, a section for each package
	@for p in $$(go list ./privbayes/...); do echo "# $$p"; go doc -short $$p; done

measure: ## exported names of each package, lines of code, lines that are too long
	@go run ./tools/nbtool/measure

clean: ## remove build/
	rm -rf build
