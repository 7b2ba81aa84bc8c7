/** Provider for devices of libfabric, with connected endpoints (MSG) or connectionless ones with an address vector (RDM). */
module io.github.vertxrdma.provider.libfabric {
  requires io.github.vertxrdma.provider;
  requires io.github.vertxrdma.provider.ffi;
  requires io.github.vertxrdma.provider.rdm;

  exports io.github.vertxrdma.provider.libfabric;

  provides io.github.vertxrdma.provider.Provider with io.github.vertxrdma.provider.libfabric.LibfabricProvider;
}
