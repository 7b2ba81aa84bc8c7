# A node of the bus demo, with the command line. docker-compose.yml starts three; docs/running.adoc tells more.
#
#   docker build --build-arg COMMIT="$(git describe --always --dirty)" -t vertx-rdma-node .
#
# The first stage has the JDK and Maven, the second only what runs: a Java runtime of the modules that are used, the jars, and the
# libraries of libfabric and rdma-core. In the third nodes meet once, and leave an archive of the classes they loaded, with which the others
# start nearly twice as fast. It runs as a user without rights.

FROM eclipse-temurin:25-jdk AS build
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends maven \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
# Part of the version that nodes show; .git is not copied.
ARG COMMIT=
RUN mvn -q -B -ntp "-Dcommit.suffix=${COMMIT:++$COMMIT}" -pl tools/rdma,demos -am package -Dmaven.test.skip=true
RUN mkdir /app && for jars in tools/rdma/target/lib tools/rdma/target demos/target/lib demos/target; do cp "$jars"/*.jar /app; done
# By name: the order of a wildcard is the file system's.
RUN printf -- '-cp\n%s\n' "$(find /app -name '*.jar' -printf '/opt/vertx-rdma/%f\n' | sort | paste -sd:)" >/app/class-path.args
# What Hazelcast, Netty and Flight Recorder use of the JDK.
RUN "$JAVA_HOME/bin/jlink" --add-modules java.se,jdk.unsupported,jdk.management,jdk.jfr,jdk.crypto.ec,jdk.zipfs,jdk.net \
      --no-header-files --no-man-pages --generate-cds-archive --output /jre

FROM debian:bookworm-slim AS runtime
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends libfabric1 libibverbs1 ibverbs-providers librdmacm1 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin vertx \
 && install -d -m 700 -o vertx -g vertx /run/rdma
COPY --from=build /jre /opt/java
COPY --from=build /app /opt/vertx-rdma
COPY docker/node /usr/local/bin/node
COPY docker/rdma /usr/local/bin/rdma
COPY docker/java.args /opt/vertx-rdma/java.args
# Messages are UTF-8.
ENV LC_ALL=C.UTF-8

FROM runtime AS archive
COPY docker/archive /tmp/archive
RUN /tmp/archive /opt/vertx-rdma/node.jsa

FROM runtime
COPY --from=archive /opt/vertx-rdma/node.jsa /opt/vertx-rdma/node.jsa
USER vertx
# Healthy is who heard another node within the last ten seconds.
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 \
  CMD test -n "$(find /tmp/greeted -newermt '-10 seconds' 2>/dev/null)"
CMD ["node"]
