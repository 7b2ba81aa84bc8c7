/** Test providers for libfabric that behave like the providers of adapters. */
module io.github.vertxrdma.fi {
  requires io.github.vertxrdma.nic;

  exports io.github.vertxrdma.fi;
}
