/** Queues and tables of providers that have no hardware and carry out their peers' operations themselves. */
module io.github.vertxrdma.provider.software {
  requires transitive io.github.vertxrdma.provider;

  exports io.github.vertxrdma.provider.software;
}
