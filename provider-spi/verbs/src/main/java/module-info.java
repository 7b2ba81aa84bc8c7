/** Provider for InfiniBand, RoCE and iWARP devices, by libibverbs and librdmacm. */
module io.github.vertxrdma.provider.verbs {
  requires transitive io.github.vertxrdma.provider;
  requires io.github.vertxrdma.provider.ffi;

  exports io.github.vertxrdma.provider.verbs;

  provides io.github.vertxrdma.provider.Provider with io.github.vertxrdma.provider.verbs.VerbsProvider;
}
