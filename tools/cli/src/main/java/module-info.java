/** The command line of vertx-rdma: what is on this machine, and what is wrong with it. */
module io.github.vertxrdma.cli {
  requires java.logging;
  requires io.github.vertxrdma;
  requires io.github.vertxrdma.cluster;
  requires io.github.vertxrdma.commands;
  requires io.github.vertxrdma.page;
  requires io.github.vertxrdma.provider;
  requires io.github.vertxrdma.provider.ffi;
  requires io.github.vertxrdma.provider.libfabric;
  requires io.vertx.core;

  exports io.github.vertxrdma.cli;

  uses io.github.vertxrdma.provider.Provider;
}
