/** Mechanisms of the JDK alone that all modules of vertx-rdma share. */
module io.github.vertxrdma.base {
  exports io.github.vertxrdma.base;
}
