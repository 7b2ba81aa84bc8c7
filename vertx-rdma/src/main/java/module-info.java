/** RDMA for Vert.x: connections, remote memory, a directory of nodes, and a transport for the event bus, servers and clients. */
module io.github.vertxrdma {
  requires transitive io.vertx.core;
  requires transitive io.github.vertxrdma.provider;
  requires static io.vertx.codegen.api;
  requires static io.vertx.codegen.json;
  requires io.vertx.core.logging;
  requires jdk.jfr;
  requires jdk.net;
  requires io.netty.buffer;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.transport;
  requires io.netty.transport.classes.epoll;
  requires static io.netty.transport.classes.io_uring;
  requires io.netty.transport.unix.common;

  exports io.github.vertxrdma;
  exports io.github.vertxrdma.directory;
  exports io.github.vertxrdma.statistics;
  exports io.github.vertxrdma.impl.process to io.github.vertxrdma.cli, io.github.vertxrdma.cluster, io.github.vertxrdma.functions;
  exports io.github.vertxrdma.bus;
  exports io.github.vertxrdma.impl.link to io.github.vertxrdma.cli, io.github.vertxrdma.grpc;
  exports io.github.vertxrdma.impl.peers to io.github.vertxrdma.cli, io.github.vertxrdma.cluster;
  exports io.github.vertxrdma.impl.poll to io.github.vertxrdma.cli, io.github.vertxrdma.cluster, io.github.vertxrdma.functions;
  exports io.github.vertxrdma.impl.calls to io.github.vertxrdma.functions, io.github.vertxrdma.grpc;

  uses io.github.vertxrdma.directory.DirectoryBackendFactory;

  provides io.vertx.core.spi.VerticleFactory with io.github.vertxrdma.impl.transport.RdmaVerticleFactory;
  provides io.vertx.core.spi.VertxServiceProvider with io.github.vertxrdma.impl.transport.RdmaVertxServiceProvider;
}
