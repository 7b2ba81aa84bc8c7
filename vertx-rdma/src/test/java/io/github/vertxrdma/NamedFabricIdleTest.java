package io.github.vertxrdma;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@link IdleConnectionsTest} measures, with half as many connections: some devices have few queue pairs. */
@NamedFabric
@Timeout(600)
class NamedFabricIdleTest {
  private static final int CONNECTIONS = 50;

  @TempDir
  Path folder;

  @Test
  void anIdleProcessUsesLessThanOneHundredthOfACore() throws Exception {
    IdleConnectionsTest.measure(System.getProperty(NamedFabric.PROPERTY), CONNECTIONS, folder);
  }
}
