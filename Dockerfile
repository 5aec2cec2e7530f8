# The image for Binder and for local use; Dockerfile and binder/Dockerfile are the
# same file, and a test keeps them so.
#   docker build -t privbayes .
#   docker run --rm -p 8888:8888 privbayes
FROM docker.io/library/golang:1.26-bookworm

ARG NB_USER=jovyan
ARG NB_UID=1000

# Jupyter from Debian: notebook 6.4.12, nbconvert 6.5.3, and nbformat 5.5.0 for "jupyter trust"; venv for JupyterLab.
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      jupyter-notebook jupyter-nbconvert jupyter-nbformat python3-venv adduser \
 && rm -rf /var/lib/apt/lists/* \
 && adduser --disabled-password --gecos "Default user" --uid ${NB_UID} ${NB_USER}

# The repository is the home directory: caches go to names with a dot, which "./..."
# does not enter.
ENV USER=${NB_USER} NB_UID=${NB_UID} HOME=/home/${NB_USER} \
    GOPATH=/home/${NB_USER}/.go GOFLAGS=-buildvcs=false GOTOOLCHAIN=local \
    PATH=/usr/local/bin:/usr/local/go/bin:/usr/bin:/bin:/home/${NB_USER}/.go/bin \
    PRIVBAYES=/home/${NB_USER}

# The kernel and goimports, pinned by tools/go.mod, and gopls, which completes and documents in a cell, pinned by
# tools/gopls/go.mod, for all users of the image. This step runs as root: with a home of its own it leaves nothing of
# root's in the user's.
COPY tools/go.mod tools/go.sum /opt/tools/
COPY tools/gopls /opt/tools/gopls
RUN cd /opt/tools \
 && export HOME=/tmp/home GOPATH=/tmp/home/go \
 && GOBIN=/usr/local/bin GOFLAGS="-modcacherw -ldflags=-s" \
      go install github.com/janpfeifer/gonb golang.org/x/tools/cmd/goimports \
 && (cd gopls && GOBIN=/usr/local/gopls GOFLAGS="-modcacherw -ldflags=-s" go install tool) \
 && install -m 755 gopls/gopls.sh /usr/local/bin/gopls \
 && JUPYTER_DATA_DIR=/usr/local/share/jupyter gonb --install --force_deps \
 && rm -rf /tmp/home

# JupyterLab as "make lab" has it, pinned with its hashes, for all users and beside the classic notebook; at its first
# start it asks no server for news.
COPY tools/lab/requirements.txt /opt/tools/lab.txt
RUN /usr/bin/python3 -m venv /opt/lab \
 && /opt/lab/bin/python -m pip install --no-cache-dir --quiet --disable-pip-version-check --require-hashes -r /opt/tools/lab.txt \
 && mkdir -p /opt/lab/share/jupyter/lab/settings \
 && printf '{"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false}}\n' \
      > /opt/lab/share/jupyter/lab/settings/overrides.json \
 && ln -s /opt/lab/bin/jupyter-lab /usr/local/bin/jupyter-lab

# The repository, owned by the user that runs the server.
COPY --chown=${NB_UID} . ${HOME}
RUN chown ${NB_UID}:${NB_UID} ${HOME}
USER ${NB_USER}
WORKDIR ${HOME}

# Fill the module and build caches, so that the image works without a network, install the command that the notebooks'
# first cell runs, trust the notebooks, and execute the tour: the build fails when a cell does or an output is another.
RUN GOWORK=off go mod download \
 && go build work \
 && go install ./cmd/privbayes \
 && jupyter trust notebooks/*.ipynb \
 && go run ./tools/nbtool check notebooks/00_tour.ipynb \
 && rm -rf build

EXPOSE 8888
# Binder appends its own arguments to "jupyter-notebook": there must be no entry point.
ENTRYPOINT []
CMD ["jupyter", "lab", "--ip", "0.0.0.0", "--no-browser"]
