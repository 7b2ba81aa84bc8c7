/** Simulated libfabric providers that behave like those of real adapters, for tests. */
module io.github.vertxrdma.fi {
  requires io.github.vertxrdma.nic;

  exports io.github.vertxrdma.fi;
}
