/** Providers for libfabric that behave like those of adapters, for tests. */
module io.github.vertxrdma.fi {
  exports io.github.vertxrdma.fi;
}
