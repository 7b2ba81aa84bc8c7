/** The provider SPI of vertx-rdma. */
module io.github.vertxrdma.provider {
  requires transitive io.github.vertxrdma.base;

  exports io.github.vertxrdma.provider;

  uses io.github.vertxrdma.provider.ErrorWords;
  uses io.github.vertxrdma.provider.Provider;
}
