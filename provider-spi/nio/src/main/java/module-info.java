/** The provider SPI over TCP sockets. */
module io.github.vertxrdma.provider.nio {
  requires io.github.vertxrdma.provider.ffi;
  requires io.github.vertxrdma.provider.software;

  exports io.github.vertxrdma.provider.nio;

  provides io.github.vertxrdma.provider.Provider with io.github.vertxrdma.provider.nio.NioProvider;
}
