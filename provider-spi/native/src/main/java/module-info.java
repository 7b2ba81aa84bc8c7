/** Native access for providers, by the foreign function and memory API only. */
module io.github.vertxrdma.provider.ffi {
  requires transitive io.github.vertxrdma.provider;

  exports io.github.vertxrdma.provider.ffi;

  provides io.github.vertxrdma.provider.ErrorWords with io.github.vertxrdma.provider.ffi.Strerror;
}
