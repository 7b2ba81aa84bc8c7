/** JUnit 5 extension. */
module io.github.vertxrdma.junit5 {
  requires transitive io.github.vertxrdma;
  requires io.github.vertxrdma.provider.devices;
  requires transitive org.junit.jupiter.api;

  exports io.github.vertxrdma.junit5;
}
