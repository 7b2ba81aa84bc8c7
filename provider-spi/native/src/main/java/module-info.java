/** Native access for providers, with the foreign function and memory API. */
module io.github.vertxrdma.provider.ffi {
  requires transitive io.github.vertxrdma.provider;

  exports io.github.vertxrdma.provider.ffi;

  provides io.github.vertxrdma.provider.ErrorWords with io.github.vertxrdma.provider.ffi.Strerror;
}
