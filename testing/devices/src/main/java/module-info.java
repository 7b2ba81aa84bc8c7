/** Devices for tests of code above the SPI: in memory, strict, and faulty. */
module io.github.vertxrdma.provider.devices {
  requires transitive io.github.vertxrdma.provider;
  requires io.github.vertxrdma.provider.rdm;
  requires io.github.vertxrdma.provider.software;

  exports io.github.vertxrdma.provider.devices.fault;
  exports io.github.vertxrdma.provider.devices.forward;
  exports io.github.vertxrdma.provider.devices.memory;
  exports io.github.vertxrdma.provider.devices.relay;
  exports io.github.vertxrdma.provider.devices.strict;

  provides io.github.vertxrdma.provider.Provider
    with io.github.vertxrdma.provider.devices.memory.InMemoryProvider;
}
