package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.SendCompletion;
import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

public interface MessageContract extends ContractFixture {
  int LARGEST = 4 << 20;

  @ContractTest
  default void messagesOfAllSizesBothWays() {
    int largest = (int) Math.min(LARGEST, device().limits().maxMessageSize() - found().messagePrefix());
    try (Pair pair = Pair.connected(device(), new PairOptions().withSlots(3, largest))) {
      for (int size : new int[] {0, 1, 7, 8, 63, 64, 65, 255, 1000, 4095, 4096, 4097, 16_384, 16_385, 65_537, 1 << 20, LARGEST}) {
        int length = Math.min(size, largest);
        long fromA = pair.a.send(pair.left(), Pattern.bytes(size, length), PostFlags.SIGNALED);
        long fromB = pair.b.send(pair.right(), Pattern.bytes(size + 1L, length), PostFlags.SIGNALED);
        Side.Message atB = pair.message(pair.b);
        Pattern.check(atB.data(), length, size);
        assertSame(pair.right(), atB.endpoint());
        Pattern.check(pair.message(pair.a).data(), length, size + 1L);
        assertSend(pair.success(pair.a, fromA), pair.left());
        assertSend(pair.success(pair.b, fromB), pair.right());
      }
    }
  }

  private static void assertSend(Completion completion, Endpoint endpoint) {
    assertEquals(Operation.SEND, completion.operation());
    assertSame(endpoint, completion.endpoint());
  }

  @ContractTest
  default void messagesArriveInOrder() {
    if (!found().promises(Capabilities.Order.SEND_AFTER_SEND)) {
      return;
    }
    try (Pair pair = Pair.connected(device(), new PairOptions().withSlots(64, 20_000))) {
      sendInRandomBursts(pair, (int) Math.min(20_000, device().limits().maxMessageSize() - pair.a.prefix()), false);
    }
  }

  /** @return number of messages that were written to memory of the endpoint */
  private static int sendInRandomBursts(Pair pair, int longest, boolean mayClaim) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int[] lengths = new int[2500];
    int sent = 0;
    int claimed = 0;
    for (int received = 0; received < lengths.length;) {
      for (int burst = random.nextInt(64); burst > 0 && sent < lengths.length && sent - received < 48
        && pair.left().outstanding() < pair.left().sendDepth(); burst--) {
        lengths[sent] = (int) Math.exp(random.nextDouble() * Math.log(random.nextInt(10) == 0 ? longest : Math.min(longest, 20_000)));
        byte[] data = Pattern.bytes(sent, lengths[sent]);
        if (mayClaim && random.nextBoolean() && pair.a.sendClaimed(pair.left(), data)) {
          claimed++;
        } else {
          pair.a.send(pair.left(), data, PostFlags.SIGNALED);
        }
        sent++;
      }
      if (random.nextBoolean()) {
        pair.a.poll();
      }
      pair.b.poll();
      for (Side.Message m; (m = pair.b.messages.poll()) != null; received++) {
        try {
          Pattern.check(m.data(), lengths[received], received);
        } catch (AssertionError e) {
          throw new AssertionError("message " + received + ", seed " + seed, e);
        }
      }
      pair.a.completions.clear();
    }
    return claimed;
  }

  @ContractTest
  default void requestIdsComeBackUnchanged(Pair pair) {
    MemoryRegion memory = pair.a.region(64);
    for (long id : new long[] {0, 1, -2, Long.MIN_VALUE, Long.MAX_VALUE, 0xfedc_ba98_7654_3210L, 1L << 32, 0xffff_ffffL}) {
      pair.a.completions.clear();
      assertEquals(Status.OK, pair.left().post(new WorkRequest().send(memory, 0, pair.a.prefix() + 8).id(id).flags(PostFlags.SIGNALED)));
      assertEquals(id, pair.success(pair.a, id).requestId());
      pair.message(pair.b);
    }
  }

  /** Polls the peer before the close only if the send would not complete. */
  @ContractTest
  default void messageWhoseSendCompletedArrivesAfterTheEndOfItsSender() {
    if (found().sendCompletion() == SendCompletion.LOCAL) {
      return;
    }
    int largest = (int) Math.min(16_384, device().limits().maxMessageSize() - found().messagePrefix());
    for (int size : new int[] {8, 1000, largest}) {
      try (Pair pair = Pair.connected(device(), new PairOptions().withSlots(3, largest))) {
        long id = pair.a.send(pair.left(), Pattern.bytes(size, size), PostFlags.SIGNALED);
        for (int i = 0; i < 1000 && pair.a.completions.isEmpty(); i++) {
          pair.a.poll();
        }
        assertSend(pair.success(pair.a, id), pair.left());
        pair.left().close();
        Pattern.check(pair.message(pair.b).data(), size, size);
      }
    }
  }

  /** Fills the fabric, so that some sends are incomplete when their post returns. */
  @ContractTest
  default void sendThatIsDoneWhenItsPostReturnsMakesNoCompletion() {
    int size = (int) Math.min(20_000, device().limits().maxMessageSize() - found().messagePrefix());
    int count = 64;
    try (Pair pair = Pair.connected(device(), new PairOptions().withSlots(count, size))) {
      MemoryRegion memory = pair.a.region((long) count * (size + pair.a.prefix()));
      Set<Long> awaited = new HashSet<>();
      int posted = 0;
      while (posted < count) {
        long at = (long) posted * (size + pair.a.prefix());
        Pattern.fill(memory.segment(), at + pair.a.prefix(), size, posted);
        long id = Side.nextId();
        int status = pair.left().post(new WorkRequest().send(memory, at, size + pair.a.prefix()).id(id)
          .flags(PostFlags.SIGNALED | PostFlags.UNLESS_DONE));
        if (status == Status.AGAIN) {
          break;
        }
        assertTrue(status == Status.OK || status == Status.DONE && found().sendCompletion() == SendCompletion.SHARED_MEMORY,
          Status.name(status));
        if (status == Status.OK) {
          awaited.add(id);
        }
        posted++;
      }
      for (int i = 0; i < posted; i++) {
        Pattern.check(pair.message(pair.b).data(), size, i);
      }
      pair.until("posts that were not done complete", () -> pair.a.completions.size() >= awaited.size());
      assertEquals(awaited, pair.a.completions.stream().map(Completion::requestId).collect(Collectors.toSet()));
      for (int i = 0; i < posted; i++) {
        Pattern.check(memory.segment(), (long) i * (size + pair.a.prefix()) + pair.a.prefix(), size, i);
      }
      assertEquals(0, pair.left().outstanding());
    }
  }

  @ContractTest
  default void receiveWithoutMemoryHasNoOffsetAndALength(Pair pair) {
    if (!found().receivesInPlace()) {
      return;
    }
    assertEquals(Status.LOCAL_RANGE, pair.left().receiveQueue().post(Side.nextId(), null, 8, 64));
    assertEquals(Status.LOCAL_RANGE, pair.left().receiveQueue().post(Side.nextId(), null, 0, -1));
    assertEquals(Status.OK, pair.left().receiveQueue().post(Side.nextId(), null, 0, 64));
  }

  @ContractTest
  default void messagesReadInPlaceArriveInOrderAndWhole() {
    if (!found().receivesInPlace()) {
      return;
    }
    try (Pair pair = Pair.connected(device(), new PairOptions().withSlots(64, 300_000).withReceivesInPlace())) {
      int claimed = sendInRandomBursts(pair, 300_000, true);
      assertTrue(claimed == 0 || found().sendCompletion() == SendCompletion.SHARED_MEMORY, claimed + " messages were claimed");
    }
  }

  @ContractTest
  default void claimThatIsNotSentIsForgotten(Pair pair) {
    if (pair.left().claim(100) >= 0) {
      pair.left().claimed();
      assertTrue(pair.a.sendClaimed(pair.left(), Pattern.bytes(1, 50)));
      pair.left().claim(60);
    } else {
      pair.a.send(pair.left(), Pattern.bytes(1, 50), PostFlags.SIGNALED);
    }
    pair.a.send(pair.left(), Pattern.bytes(2, 70), PostFlags.SIGNALED);
    Pattern.check(pair.message(pair.b).data(), 50, 1);
    Pattern.check(pair.message(pair.b).data(), 70, 2);
  }

  @ContractTest
  default void inlineDataIsCopiedBeforeTheCallReturns(Pair pair) {
    int size = pair.left().inlineSize();
    MemoryRegion memory = pair.a.region(Math.max(size, 64) + 1);
    Side.assertPost(Status.LIMIT, pair.left(), new WorkRequest().send(memory, 0, size + 1).flags(PostFlags.INLINE));
    int prefix = pair.a.prefix();
    if (size < prefix) {
      return;
    }
    Pattern.fill(memory.segment(), prefix, size - prefix, 5);
    long id = pair.a.post(new WorkRequest().send(memory, 0, size).flags(PostFlags.INLINE));
    memory.segment().fill((byte) 0x7e);
    Pattern.check(pair.message(pair.b).data(), size - prefix, 5);
    pair.success(pair.a, id);
  }

  @ContractTest
  default void listsAreGathered(Pair pair) {
    int limit = Math.min(pair.a.domain().limits().scatterGather(), new EndpointOptions().scatterGather());
    MemoryRegion one = pair.a.region(4096);
    MemoryRegion two = pair.a.region(4096);
    int prefix = pair.a.prefix();
    int[] lengths = {10, 1, 0, 700};
    ScatterGather list = new ScatterGather(limit + 1);
    byte[] expected = new byte[1000];
    int total = 0;
    for (int i = 0; i < limit; i++) {
      MemoryRegion from = i % 2 == 0 ? one : two;
      int length = lengths[i % lengths.length];
      int head = i == 0 ? prefix : 0;
      Pattern.fill(from.segment(), i * 800L % 3200 + head, length, i);
      System.arraycopy(Pattern.bytes(i, length), 0, expected, total, total + length <= 1000 ? length : 0);
      list.add(from, i * 800L % 3200, length + head);
      total += length;
      if (i == lengths.length - 1) {
        break;
      }
    }
    long id = pair.a.post(new WorkRequest().send(list));
    byte[] data = pair.message(pair.b).data();
    assertEquals(total, data.length);
    for (int i = 0; i < total; i++) {
      assertEquals(expected[i], data[i], "byte " + i);
    }
    pair.success(pair.a, id);
  }

  @ContractTest
  default void listsThatAreTooLongAreRefused(Pair pair) {
    int limit = pair.a.domain().limits().scatterGather();
    MemoryRegion memory = pair.a.region(4096);
    ScatterGather list = new ScatterGather(limit + 1);
    for (int i = 0; i <= limit; i++) {
      list.add(memory, 0, pair.a.prefix() + 1);
    }
    Side.assertPost(Status.LIMIT, pair.left(), new WorkRequest().send(list));
    assertEquals(0, pair.left().outstanding());
  }

  @ContractTest
  default void messagesThatAreTooLongAreRefused(Pair pair) {
    long max = device().limits().maxMessageSize();
    if (max > 128 << 20) {
      return;
    }
    MemoryRegion memory = pair.a.region(max + 1);
    Side.assertPost(Status.LIMIT, pair.left(), new WorkRequest().send(memory, 0, (int) max + 1));
  }

  @ContractTest
  default void rangesOutsideTheRegionAreRefused(Pair pair) {
    MemoryRegion memory = pair.a.region(1000);
    int[][] wrong = {{-1, 100}, {901, 100}, {1001, 0}, {0, 1001}, {0, -1}, {Integer.MAX_VALUE, 1}};
    for (int[] range : wrong) {
      Side.assertPost(Status.LOCAL_RANGE, pair.left(), new WorkRequest().send(memory, range[0], range[1]));
      ScatterGather list = new ScatterGather(1).add(memory, range[0], range[1]);
      Side.assertPost(Status.LOCAL_RANGE, pair.left(), new WorkRequest().send(list));
      assertEquals(Status.LOCAL_RANGE, pair.left().receiveQueue().post(Side.nextId(), memory, range[0], range[1]));
    }
    assertEquals(Status.LOCAL_RANGE, pair.left().receiveQueue().post(Side.nextId(), memory, 0, 100), "no local write access");
    assertEquals(0, pair.left().outstanding());
    pair.success(pair.a, pair.a.send(pair.left(), Pattern.bytes(1, 10), PostFlags.SIGNALED));
  }

  @ContractTest
  default void immediatesArriveWithMessages(Pair pair) {
    MemoryRegion memory = pair.a.region(4096);
    int prefix = pair.a.prefix();
    Capabilities capabilities = pair.a.domain().capabilities();
    if (!capabilities.can(Operation.SEND_IMMEDIATE)) {
      Side.assertPost(Status.UNSUPPORTED, pair.left(), new WorkRequest().send(memory, 0, prefix + 8).immediate(1));
      return;
    }
    int bits = capabilities.immediateBits();
    long mask = bits == Long.SIZE ? -1 : (1L << bits) - 1;
    Pattern.fill(memory.segment(), prefix, 100, 3);
    for (long value : new long[] {0, 1, 0x7fff_ffffL, 0x8000_0000L, 0x1234_5678L, -1}) {
      int length = value == 1 ? 0 : 100;
      WorkRequest request = value < 0 ? new WorkRequest().send(new ScatterGather(1).add(memory, 0, prefix + length))
        : new WorkRequest().send(memory, 0, prefix + length);
      long id = pair.a.post(request.immediate(value & mask));
      Side.Message message = pair.message(pair.b);
      assertTrue(message.hasImmediate());
      assertEquals(value & mask, message.immediate());
      Pattern.check(message.data(), length, 3);
      assertEquals(Operation.SEND_IMMEDIATE, pair.success(pair.a, id).operation());
    }
  }

  @ContractTest
  default void aMessageLongerThanTheReceiveIsAnErrorThatWritesNothingBeyond() {
    try (Pair pair = Pair.connected(device(), new PairOptions().withSlots(4, 64))) {
      pair.a.send(pair.left(), Pattern.bytes(1, 3000), PostFlags.SIGNALED);
      pair.until("an error", () -> !pair.b.failedSlots.isEmpty() || !pair.b.disconnected.isEmpty());
      assertTrue(pair.b.messages.isEmpty(), "a message that did not fit was delivered");
      if (!pair.b.failedSlots.isEmpty()) {
        assertEquals(Status.LENGTH, pair.b.failedSlots.getFirst().status(), pair.b.failedSlots.getFirst().toString());
      }
    }
  }

  @ContractTest
  default void messagesWithoutAReceiveWaitOrDisconnectAsStated() {
    try (Pair pair = Pair.connected(device(), new PairOptions().withSlots(4, 100))) {
      int posted = 4 + pair.b.domain().capabilities().reservedReceives();
      pair.b.reposting(false);
      for (int i = 0; i < posted; i++) {
        pair.a.send(pair.left(), Pattern.bytes(i, 100), PostFlags.SIGNALED);
        pair.message(pair.b);
      }
      boolean disconnects = pair.a.domain().capabilities().noReceive() == Capabilities.NoReceive.DISCONNECTS;
      for (int i = 0; i < (disconnects ? 1 : 3); i++) {
        pair.a.send(pair.left(), Pattern.bytes(100 + i, 100), PostFlags.SIGNALED);
      }
      if (disconnects) {
        pair.b.reposting(true); // a fabric that reports the end by a message needs a receive
        pair.until("both are notified that it broke", () -> !pair.a.disconnected.isEmpty() && !pair.b.disconnected.isEmpty());
        Side.assertPost(Status.NOT_CONNECTED, pair.left(), new WorkRequest().send(pair.a.region(64), 0, 8));
        return;
      }
      pair.poll(100);
      assertTrue(pair.b.messages.isEmpty());
      pair.b.reposting(true);
      for (int i = 0; i < 3; i++) {
        Pattern.check(pair.message(pair.b).data(), 100, 100 + i);
      }
    }
  }
}
