package io.github.vertxrdma.impl.peers;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes that are killed or stopped. */
@Timeout(120)
class PeerDeathTest {
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  private static ChildJvm child(long suspectMillis, long deadMillis) throws Exception {
    return ChildJvm.start(ControlNode.class, "child", Long.toString(suspectMillis), Long.toString(deadMillis));
  }

  private static NodeEntry listening(ChildJvm child) throws Exception {
    return NodeEntry.fromJson(new JsonObject(child.await("listening")));
  }

  @Test
  void aKilledProcessIsNoticedAtOnce() throws Exception {
    try (ControlNode a = new ControlNode(vertx, "a"); ChildJvm child = child(2000, 10_000)) {
      NodeEntry entry = listening(child);
      ControlLink link = await(a.links.link(entry));
      child.kill();
      long millis = until("the death is heard", () -> !a.deaths.isEmpty());
      System.out.println("control connection: kill -9 noticed after " + millis + " ms");
      PeerDeath death = a.deaths.getFirst();
      assertEquals("child", death.nodeId());
      assertEquals(entry.epoch(), death.epoch());
      assertTrue(death.certain() && !death.orderly(), death.toString());
      assertFalse(link.isOpen());
      assertEquals(1, a.deaths.size());
    }
  }

  /** The limits are short, so that the process is stopped for several times as long. */
  @Test
  void stoppedProcessStaysConnectedBeyondDeadTimeoutUntilItIsKilled() throws Exception {
    ControlSettings hasty = new ControlSettings("127.0.0.1").withSilence(100, 400);
    try (ControlNode a = new ControlNode(vertx, "a", 1, hasty, ControlNode.SECRET); ChildJvm child = child(2000, 10_000)) {
      ControlLink link = await(a.links.link(listening(child)));
      child.signal("STOP");
      until("it is suspected", link::isSuspected);
      long end = System.nanoTime() + 2_500_000_000L;
      until("it has been stopped for more than six times its limit", () -> System.nanoTime() > end);
      a.send(link, ControlNode.ECHO, "while it is stopped");
      child.signal("CONT");
      until("it answers", () -> a.texts.contains("while it is stopped"));
      until("it is not suspected any more", () -> !link.isSuspected());
      assertEquals(List.of(link), a.open());
      assertTrue(a.deaths.isEmpty(), a.deaths.toString());
      assertFalse(child.hasPrinted("death"));
      child.signal("STOP");
      until("it is suspected again", link::isSuspected);
      child.kill();
      until("the death is known", () -> !a.deaths.isEmpty());
      assertTrue(a.deaths.getFirst().certain(), a.deaths.toString());
      assertFalse(link.isOpen());
    }
  }
}
