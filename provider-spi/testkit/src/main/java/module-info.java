/** The provider contract as tests, and what tests of providers share. */
module io.github.vertxrdma.provider.testkit {
  requires transitive io.github.vertxrdma.provider;
  requires transitive org.junit.jupiter.api;
  requires org.opentest4j;

  exports io.github.vertxrdma.provider.testkit;
}
