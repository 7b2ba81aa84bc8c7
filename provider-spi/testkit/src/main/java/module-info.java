/** The provider contract as tests, and the providers that test the layers above: in-memory, strict, faulty, and profiles. */
module io.github.vertxrdma.provider.testkit {
  requires transitive io.github.vertxrdma.provider;
  // Not needed by the providers in here, which demos use without JUnit.
  requires static transitive org.junit.jupiter.api;
  requires static org.opentest4j;
  requires static org.junit.platform.engine;
  requires static org.junit.platform.launcher;

  exports io.github.vertxrdma.provider.testkit;
  exports io.github.vertxrdma.provider.testkit.fault;
  exports io.github.vertxrdma.provider.testkit.forward;
  exports io.github.vertxrdma.provider.testkit.memory;
  exports io.github.vertxrdma.provider.testkit.profile;
  exports io.github.vertxrdma.provider.testkit.strict;

  uses io.github.vertxrdma.provider.testkit.ResourceProbe;

  provides io.github.vertxrdma.provider.Provider
    with io.github.vertxrdma.provider.testkit.memory.InMemoryProvider, io.github.vertxrdma.provider.testkit.profile.ProfileProvider;
}
