package io.github.vertxrdma.impl.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.contract.LogLines;
import io.github.vertxrdma.statistics.PeerWay;
import io.github.vertxrdma.statistics.TcpConnections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Ways to peers, over a fabric or TCP: one log line for each change, with pauses, and the current ways. */
class WaysTest {
  private static final long FIRST_PAUSE_NANOS = Ways.PAUSES.initialBackoff().toNanos();

  private final LogLines log = new LogLines(Ways.class);
  private long now;
  private final Ways ways = new Ways(() -> now);

  @AfterEach
  void close() {
    log.close();
  }

  private void tcp(TcpReason reason) {
    ways.tcp("peer-id", "Orders", "10.0.0.2:9000", reason, "because");
  }

  private void shm() {
    ways.fabric("peer-id", "Orders", "10.0.0.2:9000", "shm", "shm (shm, MSG endpoint)");
  }

  @Test
  void eachChangeIsLoggedOnce() {
    for (int i = 0; i < 3; i++) {
      tcp(TcpReason.NO_LIBRARY);
    }
    for (int i = 0; i < 3; i++) {
      shm();
    }
    assertEquals(List.of("Connections to 10.0.0.2:9000 of node Orders (peer-id) use TCP: because",
      "Connections to 10.0.0.2:9000 of node Orders (peer-id) go over shm (shm, MSG endpoint)"), log.lines());
    assertEquals(List.of(log.lines().getFirst()), log.warnings());
  }

  @Test
  void linesOfWayThatChangesOftenHaveGrowingPauses() {
    long end = now + 2 * Ways.PAUSES.maxBackoff().toNanos();
    for (boolean fabric = false; now < end; fabric = !fabric, now += FIRST_PAUSE_NANOS / 10) {
      if (fabric) {
        shm();
      } else {
        tcp(TcpReason.NOT_REACHED);
      }
    }
    assertTrue(log.lines().size() < 10, log.lines()::toString);
  }

  @Test
  void firstChangeIsLoggedAtOnceAndTheNextAfterAPause() {
    shm();
    tcp(TcpReason.NOT_REACHED);
    assertEquals(2, log.lines().size());
    shm();
    assertEquals(2, log.lines().size());
    now += FIRST_PAUSE_NANOS;
    shm();
    assertEquals(3, log.lines().size());
  }

  @Test
  void sameChangeOfAllServersOfAPeerIsOneLine() {
    for (int port = 9000; port < 9006; port++) {
      ways.tcp("peer-id", "Orders", "10.0.0.2:" + port, TcpReason.NOT_REACHED, "because");
    }
    assertEquals(1, log.lines().size());
    ways.tcp("other-id", "Bills", "10.0.0.3:9000", TcpReason.NOT_REACHED, "because");
    assertEquals(2, log.lines().size());
    ways.fabric("peer-id", "Orders", "10.0.0.2:9000", "shm", "shm");
    ways.fabric("peer-id", "Orders", "10.0.0.2:9001", "shm", "shm");
    assertEquals(3, log.lines().size());
  }

  @Test
  void kernelSocketsAreCountedWithoutALine() {
    tcp(TcpReason.KERNEL_SOCKETS);
    assertEquals(List.of(), log.lines());
    assertTrue(ways.byTcp().contains(new TcpConnections("kernel-sockets", 1)), ways.byTcp()::toString);
    assertEquals(List.of(new PeerWay("peer-id", "Orders", "10.0.0.2:9000", "TCP", "kernel-sockets", "because")), ways.now());
  }

  @Test
  void waysToNodesThatLeftAndOldestBeyondTheLimitAreForgotten() {
    for (int i = 0; i < Ways.MOST + 10; i++) {
      ways.tcp("node " + i % 2, "", "10.0.0.2:" + i, TcpReason.KERNEL_SOCKETS, "");
    }
    assertEquals(Ways.MOST, ways.now().size());
    ways.presence(nodeId -> nodeId.equals("node 1"));
    assertEquals(Ways.MOST / 2, ways.now().size());
  }
}
