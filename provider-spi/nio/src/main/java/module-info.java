/** The provider SPI over Java sockets. */
module io.github.vertxrdma.provider.nio {
  requires io.github.vertxrdma.provider.software;

  exports io.github.vertxrdma.provider.nio;

  provides io.github.vertxrdma.provider.Provider with io.github.vertxrdma.provider.nio.NioProvider;
}
