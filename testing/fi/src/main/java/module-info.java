/** Test providers for libfabric that behave like those of adapters. */
module io.github.vertxrdma.fi {
  requires io.github.vertxrdma.nic;

  exports io.github.vertxrdma.fi;
}
