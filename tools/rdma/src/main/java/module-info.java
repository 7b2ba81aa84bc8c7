/** The commands of {@code ./rdma} with their options, and the implementation of those that inspect this machine and its nodes. */
module io.github.vertxrdma.cli {
  requires info.picocli;
  requires java.logging;
  requires io.github.vertxrdma;
  requires io.github.vertxrdma.cluster;
  requires io.github.vertxrdma.page;
  requires io.github.vertxrdma.provider;
  requires io.github.vertxrdma.provider.ffi;
  requires io.github.vertxrdma.provider.libfabric;
  requires io.vertx.core;

  exports io.github.vertxrdma.cli;
  exports io.github.vertxrdma.commands;

  opens io.github.vertxrdma.commands to info.picocli;

  uses io.github.vertxrdma.provider.Provider;
}
