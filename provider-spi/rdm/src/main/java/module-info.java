/** Connections over connectionless endpoints, made once for all providers that have such endpoints. */
module io.github.vertxrdma.provider.rdm {
  requires transitive io.github.vertxrdma.provider;

  exports io.github.vertxrdma.provider.rdm;
}
