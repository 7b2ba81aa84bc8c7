/** The provider SPI over shared memory of one host: ring buffers, and memory that peers map. */
module io.github.vertxrdma.provider.shm {
  requires io.github.vertxrdma.provider;
  requires io.github.vertxrdma.provider.ffi;
  requires io.github.vertxrdma.provider.software;

  exports io.github.vertxrdma.provider.shm;

  provides io.github.vertxrdma.provider.Provider with io.github.vertxrdma.provider.shm.ShmProvider;
}
