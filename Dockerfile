# KickDrift on a Debian of one's choice, ready to run:
#
#   docker build -t kickdrift --build-arg DEBIAN=debian:13 .
#   docker run --rm -v "$PWD/output:/kickdrift/output" kickdrift prm/two_elastic_bars.prm
#
# Without an argument it runs that case; results are in /kickdrift/output.
ARG DEBIAN=debian:12
FROM ${DEBIAN}

WORKDIR /kickdrift
# the packages first: they stay as they are when sources change
COPY contrib/setup.sh contrib/
RUN contrib/setup.sh && rm -rf /var/lib/apt/lists/*
COPY . .
RUN contrib/build.sh kickdrift

ENTRYPOINT ["contrib/run.sh"]
CMD ["prm/two_elastic_bars.prm"]
