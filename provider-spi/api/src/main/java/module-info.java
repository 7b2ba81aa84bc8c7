/** The provider SPI of vertx-rdma. */
module io.github.vertxrdma.provider {
  exports io.github.vertxrdma.provider;
  exports io.github.vertxrdma.provider.rdm;

  uses io.github.vertxrdma.provider.Provider;
}
