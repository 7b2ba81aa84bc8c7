/** The provider SPI of vertx-rdma. */
module io.github.vertxrdma.provider {
  exports io.github.vertxrdma.provider;

  uses io.github.vertxrdma.provider.ErrorWords;
  uses io.github.vertxrdma.provider.Provider;
}
