package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.LeakCheck;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Pattern;
import io.github.vertxrdma.provider.contract.Side;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Payloads that a driver is known to corrupt; see {@link DeviceQuirks}. */
@ExtendWith(TestDevices.class)
@ParameterizedClass(name = "{0}")
@MethodSource("names")
@Timeout(120)
@ExtendWith(LeakCheck.class)
class PayloadTest {
  private static final int PAGE = 4096;
  private static final int SHORT = 40;
  private static final int AREA = 64 * PAGE;

  @Parameter
  private String name;

  static List<String> names() {
    return TestDevices.names();
  }

  private Pair connected(int slots, int slotSize) {
    return Pair.connected(Devices.require(new VerbsProvider(), name), new PairOptions().withSlots(slots, slotSize));
  }

  private static long crossing(MemoryRegion region, int i, int onFirst) {
    long page = -region.segment().address() & PAGE - 1;
    return page + (long) (1 + i % (AREA / PAGE - 2)) * PAGE - onFirst;
  }

  @Test
  void shortMessagesThatCrossAPageArriveWhole() {
    try (Pair pair = connected(64, 64)) {
      MemoryRegion source = pair.a.region(AREA);
      int sent = 0;
      int received = 0;
      int all = 20 * SHORT;
      // The device's own thread sends only if the queue is never empty.
      while (received < all) {
        while (sent < all && sent - received < 48) {
          int length = 2 + sent % (SHORT - 2);
          long at = crossing(source, sent, 1 + sent % (length - 1));
          Pattern.fill(source.segment(), at, length, sent);
          int id = sent;
          pair.post(() -> pair.left().post(new WorkRequest().send(source, at, length).id(-1 - id).flags(PostFlags.SIGNALED)));
          sent++;
        }
        pair.poll();
        pair.a.completions.clear();
        for (Side.Message m; (m = pair.b.messages.poll()) != null; received++) {
          Pattern.check(m.data(), 2 + received % (SHORT - 2), received);
        }
      }
    }
  }

  @Test
  void shortWritesThatCrossAPageArriveWhole() {
    try (Pair pair = connected(4, 64)) {
      MemoryRegion source = pair.a.region(AREA);
      MemoryRegion target = pair.b.openRegion(AREA);
      RemoteMemory remote = pair.a.remote(target);
      for (int length = 2; length <= SHORT; length++) {
        int count = 32;
        for (int i = 0; i < count; i++) {
          int bytes = length;
          long from = crossing(source, i, 1 + i % (length - 1));
          long to = (long) i * SHORT;
          Pattern.fill(source.segment(), from, length, i);
          int flags = i == count - 1 ? PostFlags.SIGNALED : 0;
          pair.post(() -> pair.left().post(new WorkRequest().write(source, from, bytes, remote, to).id(-1).flags(flags)));
        }
        pair.success(pair.a, -1);
        pair.a.completions.clear();
        pair.success(pair.a, pair.a.send(pair.left(), new byte[1], PostFlags.SIGNALED));
        pair.message(pair.b);
        for (int i = 0; i < count; i++) {
          Pattern.check(target.segment(), (long) i * SHORT, length, i);
        }
      }
    }
  }

  @Test
  void shortReadsThatCrossAPageOfThePeerArriveWhole() {
    try (Pair pair = connected(4, 64)) {
      MemoryRegion target = pair.b.openRegion(AREA);
      MemoryRegion sink = pair.a.region(AREA, Access.LOCAL_WRITE, Access.READ_SINK);
      RemoteMemory remote = pair.a.remote(target);
      Pattern.fill(target.segment(), 0, AREA, 77);
      for (int length = 2; length <= SHORT; length++) {
        for (int first = 1; first < length; first += 5) {
          long at = crossing(target, length, first);
          int bytes = length;
          long into = crossing(sink, first, first / 2);
          pair.a.completions.clear();
          pair.post(() -> pair.left().post(new WorkRequest().read(sink, into, bytes, remote, at).id(-1).flags(PostFlags.SIGNALED)));
          pair.success(pair.a, -1);
          assertEquals(1, pair.a.completions.size());
          assertEquals(-1, target.segment().asSlice(at, length).mismatch(sink.segment().asSlice(into, length)), length + " bytes at " + at);
        }
      }
    }
  }

  @Test
  void memoryMayBeUsedAgainOnceALaterWriteCompleted() {
    int block = 4 * PAGE;
    int blocks = 24;
    PairOptions options = new PairOptions().withSlots(4, 64).withEndpoint(new EndpointOptions().withDepths(256, 16));
    try (Pair pair = Pair.connected(Devices.require(new VerbsProvider(), name), options)) {
      MemoryRegion source = pair.a.region((long) block * blocks);
      MemoryRegion target = pair.b.openRegion((long) block * blocks);
      RemoteMemory remote = pair.a.remote(target);
      for (int round = 0; round < 20; round++) {
        source.segment().fill((byte) (1 + round));
        for (int i = 0; i < blocks; i++) {
          long at = (long) i * block;
          pair.post(() -> pair.left().post(new WorkRequest().write(source, at, block, remote, at).id(-2)));
        }
        assertEquals(Status.OK, pair.left().post(new WorkRequest().write(source, 0, 1, remote, 0).id(-1).flags(PostFlags.SIGNALED)));
        pair.success(pair.a, -1);
        source.segment().fill((byte) 0x7f);
        pair.a.completions.clear();
        pair.success(pair.a, pair.a.send(pair.left(), new byte[1], PostFlags.SIGNALED));
        pair.message(pair.b);
        for (long at = 0; at < target.size(); at++) {
          byte found = target.segment().get(java.lang.foreign.ValueLayout.JAVA_BYTE, at);
          if (found != 1 + round) {
            throw new AssertionError("round " + round + ", byte " + at + ": " + found);
          }
        }
      }
    }
  }
}
