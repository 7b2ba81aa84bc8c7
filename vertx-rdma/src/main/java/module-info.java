/** RDMA for Vert.x: connections, remote memory, and a transport for the stock network stack. */
module io.github.vertxrdma {
  requires transitive io.vertx.core;
  requires transitive io.github.vertxrdma.provider;
  requires io.vertx.core.logging;
  requires io.netty.buffer;
  requires io.netty.common;
  requires io.netty.transport;
  requires io.netty.transport.classes.epoll;
  requires io.netty.transport.unix.common;
}
