/** Runs code that uses the provider SPI in virtual time, for tests. */
module io.github.vertxrdma.simulator {
  requires transitive io.github.vertxrdma.base;
  requires transitive io.github.vertxrdma.provider;
  requires transitive io.github.vertxrdma.provider.devices;
  requires transitive org.junit.jupiter.api;

  exports io.github.vertxrdma.simulator.referee;
  exports io.github.vertxrdma.simulator.world;
}
