/** Connections over connectionless endpoints, for all providers with such endpoints. */
module io.github.vertxrdma.provider.rdm {
  requires transitive io.github.vertxrdma.provider;

  exports io.github.vertxrdma.provider.rdm;
}
