/** Mechanisms that all modules of vertx-rdma share, based on the JDK alone. */
module io.github.vertxrdma.base {
  exports io.github.vertxrdma.base;
}
