package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Pattern;
import io.github.vertxrdma.provider.contract.Side;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueueLinkMemoryTest {
  private static final int PAIRS = 500;

  @Test
  void fiveHundredPairsOfQueuesHold32MebibytesAtMost() throws IOException {
    PairOptions options = new PairOptions().withEndpoint(new EndpointOptions().withDepths(8, 4)).withSlots(4, 256);
    try (Domain domain = ShmDeviceTest.device().open(); Side one = new Side(domain, options)) {
      Listener listener = one.listenAndAccept();
      List<Side> others = new ArrayList<>();
      long before = shared();
      for (int i = 0; i < PAIRS; i++) {
        Side other = new Side(domain, options);
        others.add(other);
        other.connect(listener.localAddress());
        int wanted = i + 1;
        Await.until("connection " + wanted, () -> !other.connected.isEmpty() && one.connected.size() == wanted,
          () -> one.poll() + other.poll(), other::toString);
        other.send(other.endpoint, Pattern.bytes(i, 200), PostFlags.SIGNALED);
        Await.until("its message", () -> !one.messages.isEmpty(), one::poll, one::toString);
        one.send(one.messages.poll().endpoint(), Pattern.bytes(i, 200), PostFlags.SIGNALED);
        Await.until("its answer", () -> !other.messages.isEmpty(), other::poll, other::toString);
      }
      assertEquals(PAIRS, ((ShmQueue) one.queue()).links());
      long held = shared() - before;
      assertTrue(held <= 32 << 20, held + " bytes");
      others.forEach(Side::close);
      Await.until("all have left", () -> ((ShmQueue) one.queue()).links() == 0, one::poll, one::toString);
      assertTrue(shared() <= before + (1 << 20), "left over: " + (shared() - before));
    }
  }

  /** RssShmem of proc_pid_status(5). */
  private static long shared() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream().filter(line -> line.startsWith("RssShmem:"))
      .mapToLong(line -> Long.parseLong(line.replaceAll("\\D+", "")) << 10).sum();
  }
}
