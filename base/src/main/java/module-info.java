/** Classes that all modules of vertx-rdma share. They need only the JDK. */
module io.github.vertxrdma.base {
  exports io.github.vertxrdma.base;
}
