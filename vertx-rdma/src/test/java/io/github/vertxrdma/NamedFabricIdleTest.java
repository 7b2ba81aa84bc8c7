package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@link IdleConnectionsTest} with half as many connections, because some devices have few queue pairs. The processor's speed is unknown,
 * so the result is compared with Java sockets.
 */
@NamedFabric
@Tag("alone")
@Timeout(900)
@Tag("polling")
class NamedFabricIdleTest {
  private static final int CONNECTIONS = 50;

  @TempDir
  Path first;
  @TempDir
  Path second;

  @Test
  void idleConnectionsCostNoMoreThanOverJavaSockets() throws Exception {
    double[] sockets = IdleConnectionsTest.measure("nio", CONNECTIONS, first);
    double[] percent = IdleConnectionsTest.measure(System.getProperty(NamedFabric.PROPERTY), CONNECTIONS, second);
    double ratio = (percent[0] + percent[1]) / (sockets[0] + sockets[1]);
    System.out.printf("idle: %.2f times what Java sockets take%n", ratio);
    assertTrue(ratio < 2, () -> ratio + " times what Java sockets take");
  }
}
