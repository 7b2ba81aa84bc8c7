/** The tests that every provider must pass. */
module io.github.vertxrdma.provider.contract {
  requires transitive io.github.vertxrdma.provider;
  requires transitive org.junit.jupiter.api;
  requires transitive org.junit.jupiter.params;
  requires static io.vertx.core;
  requires java.logging;
  requires jdk.management;
  requires org.opentest4j;
  requires org.junit.platform.engine;
  requires org.junit.platform.launcher;

  exports io.github.vertxrdma.provider.contract;
  exports io.github.vertxrdma.provider.contract.attack;
  exports io.github.vertxrdma.provider.contract.parsers;
  exports io.github.vertxrdma.provider.contract.plants;
  exports io.github.vertxrdma.provider.contract.tracing;

  uses io.github.vertxrdma.provider.contract.ResourceProbe;
}
