# ferry's build environment for those who have Docker: Debian 13 with the packages of scripts/packages.txt.
#
#   docker build -t ferry .
#   docker run --rm -it -v "$PWD:/ferry" ferry                 # scripts/test
#   docker run --rm -it -v "$PWD:/ferry" ferry scripts/demo
#
# This file needs a Docker engine and has not been tried with one. What it runs, scripts/env on a bare Debian 13, has.
FROM debian:trixie-slim

WORKDIR /ferry
COPY scripts/env scripts/packages.txt scripts/
COPY scripts/lib/*.sh scripts/lib/
RUN scripts/env true && rm -rf /var/lib/apt/lists/*

CMD ["scripts/test"]
