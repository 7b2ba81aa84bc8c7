/** Base of providers without RDMA hardware. */
module io.github.vertxrdma.provider.software {
  requires transitive io.github.vertxrdma.provider;

  exports io.github.vertxrdma.provider.software;
}
