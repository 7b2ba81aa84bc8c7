package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.ffi.Downcall;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class VerbsSendQueueTest {
  private static final int DEPTH = 8;
  private static final int READS = 4;
  private static final MemorySegment ACCEPT = MemorySegment.ofAddress(Downcall.libc("sched_yield"));
  private static final int FLUSHED = WorkStatus.WR_FLUSH_ERR.ordinal();

  private final List<String> failures = new ArrayList<>();
  private int keptTold;
  private final VerbsSendQueue.Owner owner = (VerbsSendQueue.Owner) Proxy.newProxyInstance(VerbsSendQueueTest.class.getClassLoader(),
    new Class<?>[] {VerbsSendQueue.Owner.class}, (proxy, method, args) -> switch (method.getName()) {
      case "tag" -> 7;
      case "queuePair" -> 0L;
      case "isIwarp" -> true;
      case "workFailed" -> failures.add(args[0] + " " + args[1]) ? null : null;
      case "completionsKept" -> {
        keptTold++;
        yield null;
      }
      case "toString" -> "owner";
      default -> throw new AssertionError(method);
    });
  private final WorkRequest request = new WorkRequest();
  private VerbsSendQueue queue = queue(true);
  private int posted;

  private VerbsSendQueue queue(boolean readsSignalled) {
    VerbsSendQueue made = new VerbsSendQueue(owner, new DeviceQuirks.Sends(0, Long.MAX_VALUE, readsSignalled), ACCEPT, DEPTH, 1, 0);
    made.readLimit = READS;
    return made;
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private int send(int flags) {
    assertEquals(Status.OK, queue.post(request.send(null, 0, 0).id(posted), flags, 0, 0));
    return posted++ % DEPTH;
  }

  private int read(int flags) {
    assertEquals(Status.OK, queue.post(request.read(null, 0, 0, null, 0).id(posted), flags, 0, 0));
    return posted++ % DEPTH;
  }

  private List<Long> completed(int slot, int status) {
    CompletionBatch batch = new CompletionBatch(DEPTH);
    queue.completed(slot, status, 0, batch);
    return told(batch);
  }

  private static List<Long> told(CompletionBatch batch) {
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      ids.add(batch.status(i) == Status.OK ? batch.requestId(i) : -batch.requestId(i));
    }
    return ids;
  }

  @Test
  void whereADeviceKeepsTheOrderAMessageCoversReads() {
    queue.close();
    queue = queue(false);
    read(0);
    assertEquals(List.of(1L), completed(send(PostFlags.SIGNALED), 0));
    assertEquals(0, queue.outstanding());
  }

  @Test
  void failureIsDetectedAtOnceAndReportedInOrder() {
    int read = read(PostFlags.SIGNALED);
    int send = send(0);
    assertEquals(List.of(), completed(send, FLUSHED));
    assertEquals(List.of("SEND WR_FLUSH_ERR"), failures);
    assertEquals(List.of(0L, -1L), completed(read, 0));
    assertEquals(1, failures.size());
  }

  @Test
  void completionsAreReportedOnceAndInOrderForAnyOrderOfReads() {
    Random random = new Random(5);
    List<Integer> messages = new ArrayList<>();
    List<Integer> reads = new ArrayList<>();
    List<Long> expected = new ArrayList<>();
    List<Long> told = new ArrayList<>();
    CompletionBatch batch = new CompletionBatch(3);
    int unsignalled = 0;
    while (posted < 20_000 || !messages.isEmpty() || !reads.isEmpty() || keptTold > 0) {
      if (posted < 20_000 && queue.hasRoom() && random.nextBoolean()) {
        boolean read = random.nextInt(3) == 0 && queue.hasRoomForReads(1);
        boolean asked = random.nextBoolean();
        if (asked) {
          expected.add((long) posted);
        }
        unsignalled = asked || read || unsignalled + 1 >= DEPTH / 2 ? 0 : unsignalled + 1;
        int slot = read ? read(asked ? PostFlags.SIGNALED : 0) : send(asked ? PostFlags.SIGNALED : 0);
        if (unsignalled == 0) {
          (read ? reads : messages).add(slot);
        }
      } else {
        batch.clear();
        if (keptTold > 0) {
          keptTold = 0;
          queue.tellKept(batch);
        }
        List<Integer> some = random.nextBoolean() ? messages : reads;
        if (!some.isEmpty() && !batch.isFull()) {
          queue.completed(some.removeFirst(), 0, 0, batch);
        }
        told.addAll(told(batch));
        if (posted == 20_000 && messages.isEmpty() && reads.isEmpty() && keptTold == 0) {
          break;
        }
      }
    }
    assertEquals(expected, told);
    assertTrue(queue.hasRoomForReads(READS));
  }
}
