#!/usr/bin/env bash
# site.sh [build | test | release]: builds the site into build/site/html and follows every internal link of it; with
# "test" it runs its pages in a browser, but that which releases, which runs with "release" in two. docs/contributing/site.md says how it is made. Nothing is fetched but what
# setup.sh installs.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/steps.sh
root=$PWD
out=build/site

# The same bytes from the same sources: no paths, no times. Without inlining the verifier is an eighth shorter, zipped;
# the planner has more to compute.
wasm() {
  rm -rf $out/static && mkdir -p $out/static && cp site/static/* $out/static/
  local name inline
  for name in planner verifier; do
    inline=
    [ $name = planner ] || inline=-l
    GOOS=js GOARCH=wasm GOFLAGS='' CGO_ENABLED=0 \
      go build -trimpath -buildvcs=false -tags $name -gcflags=all=$inline -ldflags="-s -w -buildid=" \
        -o $out/$name.wasm ./site/wasm
    gzip -9n <$out/$name.wasm >$out/static/$name.wasm.gz
  done
  # the command itself, for the page that releases
  GOOS=js GOARCH=wasm GOFLAGS='' CGO_ENABLED=0 go build -trimpath -buildvcs=false -tags browser -gcflags=all=-l \
    -ldflags="-s -w -buildid=" -o $out/privbayes.wasm ./cmd/privbayes
  gzip -9n <$out/privbayes.wasm >$out/static/privbayes.wasm.gz
  cp "$(go env GOROOT)/lib/wasm/wasm_exec.js" $out/static/
}

pages() { go run ./site/stage -to $out/source -extra $out/extra; }

# Every warning is an error: a link that Sphinx cannot resolve, a page in no menu. Pages that are gone leave nothing.
sphinx() {
  rm -rf $out/html
  PRIVBAYES_STATIC=$root/$out/static PRIVBAYES_EXTRA=$root/$out/extra \
    build/sphinx/bin/python -m sphinx -q -W --keep-going -j auto -b html -c site -d $out/doctrees $out/source $out/html
  touch $out/html/.nojekyll
}

links() { go run ./site/check $out/html; }

browser() {
  go build -buildvcs=false -o build/bin/privbayes ./cmd/privbayes
  go run ./site/browser -to $out/releases
  NODE_PATH=$root/build/browser/node_modules node site/browser/test.js $out/html $out/releases $out/_copied "$1"
}

case ${1:-build} in
  build)
    step "checker and planner for the browser" 300 wasm
    step "pages" 120 pages
    step "site" 300 sphinx
    step "links" 120 links
    du -sh $out/html | awk '{ print "== size: " $1 }'
    ;;
  test) step "browser" 1200 browser verify,plan,pages,audit ;;
  release) step "a release in the browser" 1200 browser files,release,firefox ;;
  *) echo "usage: site.sh [build | test | release]" >&2; exit 2 ;;
esac
