package io.github.vertxrdma.impl.link;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.device.RegisteredBuffer;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * If all peers share an endpoint, a peer that was declared dead can still read the memory of its messages. It must never deliver the
 * content of another message.
 */
@Timeout(60)
class StaleReadTest {
  private static final int LARGE = 100_000;
  private static final LoopOptions D = LoopOptions.DEFAULT;
  private static final LoopOptions PATIENT = new LoopOptions(D.bufferSize(), D.dataCredits(), D.controlCredits(), D.fragmentSize(),
    D.maxMessageSize(), D.closeIdleMillis(), 600_000, 3_600_000, D.notifyInlineLimit(), D.zeroCopyBytes());

  private final CountDownLatch resumed = new CountDownLatch(1);
  private LinkPair pair;

  private void start(Function<InMemoryFabric, Device> device) throws Exception {
    InMemoryFabric fabric = InMemoryFabric.create("ended", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
    pair = new LinkPair(fabric, device.apply(fabric), PATIENT);
  }

  @AfterEach
  void stop() throws Exception {
    resumed.countDown();
    if (pair != null) {
      pair.close();
    }
  }

  private void clock(LongSupplier clock) {
    pair.serverClock = clock;
  }

  private void stopServer() throws Exception {
    CountDownLatch stands = new CountDownLatch(1);
    pair.serverLoop.eventLoop().execute(() -> {
      stands.countDown();
      try {
        resumed.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    });
    stands.await();
  }

  private static void send(LinkPair.Side side, int content) throws Exception {
    side.send(message(content)).get(20, TimeUnit.SECONDS);
  }

  private static byte[] message(int content) {
    byte[] message = new byte[LARGE];
    Arrays.fill(message, (byte) content);
    return message;
  }

  private void sendZeroCopy(LinkPair.Side side, int content) throws Exception {
    RegisteredBuffer memory = assertInstanceOf(RegisteredBuffer.class, pair.clientLoop.eventLoop().submit(() -> side.link.allocate(LARGE))
      .get(20, TimeUnit.SECONDS).toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS));
    memory.writeBytes(message(content));
    int unread = unread(side);
    side.on(link -> {
      link.send(memory, null);
      return null;
    });
    pair.await(() -> unread(side) == unread + 1);
  }

  private void giveUp() throws Exception {
    giveUpAnd(link -> null);
  }

  /** Declares the server dead, and runs an action directly after the endpoint closes, before the timer that releases its memory. */
  private <T> T giveUpAnd(Function<Link, T> action) throws Exception {
    CompletableFuture<T> done = pair.client.afterClose(action);
    pair.client.peerDead("a test says so");
    return done.get(30, TimeUnit.SECONDS);
  }

  private static int unread(LinkPair.Side side) {
    return side.on(link -> link.loop().statistics().connections().stream().mapToInt(each -> each.unreadParts()).sum());
  }

  private DeviceStatistics statistics() {
    return pair.client.on(link -> link.loop().statistics());
  }

  private int inUse() {
    return statistics().partSlotsUsed();
  }

  private Throwable assertLost(int delivered) throws Exception {
    Throwable cause = pair.server.awaitClosed();
    assertEquals(Reason.CONNECTION_LOST, assertInstanceOf(RdmaException.class, cause).reason(), cause.getMessage());
    assertEquals(delivered, pair.server.messages(), "messages delivered");
    return cause;
  }

  @Test
  void stalledReaderGetsNoDataOfAnotherLink() throws Exception {
    start(InMemoryFabric::rdmDevice);
    LinkPair.Side another = pair.connect().get(20, TimeUnit.SECONDS);
    stopServer();
    send(pair.client, 1);
    giveUp();
    send(another, 2);
    resumed.countDown();
    assertLost(0);
  }

  @Test
  void stalledReaderGetsNoZeroCopyDataOfAnotherLink() throws Exception {
    pair = new LinkPair(null, Devices.require("rxm"), PATIENT);
    LinkPair.Side another = pair.connect().get(20, TimeUnit.SECONDS);
    stopServer();
    sendZeroCopy(pair.client, 1);
    giveUp();
    sendZeroCopy(another, 2);
    resumed.countDown();
    assertLost(0);
  }

  @Test
  void dataReadTooLongAfterAnAnswerIsDropped() throws Exception {
    start(InMemoryFabric::rdmDevice);
    AtomicLong leap = new AtomicLong();
    clock(() -> System.nanoTime() + leap.get());
    send(pair.client, 1);
    pair.server.awaitMessages(1);
    stopServer();
    send(pair.client, 2);
    giveUp();
    leap.addAndGet(TimeUnit.HOURS.toNanos(1));
    resumed.countDown();
    String words = assertLost(1).getMessage();
    assertTrue(words.contains("its event loop did not run for 36") && words.contains("set its deadTimeout"), words);
  }

  @Test
  void dataReadSoonAfterAnAnswerIsDelivered() throws Exception {
    start(InMemoryFabric::rdmDevice);
    clock(() -> 0);
    LinkPair.Side another = pair.connect().get(20, TimeUnit.SECONDS);
    send(pair.client, 1);
    pair.server.awaitMessages(1);
    pair.await(() -> inUse() == 0);
    stopServer();
    send(pair.client, 2);
    giveUpAnd(link -> another.send(message(3))).get(20, TimeUnit.SECONDS);
    resumed.countDown();
    ByteBuf second = pair.server.awaitMessages(2).getLast();
    byte[] got = new byte[second.readableBytes()];
    second.getBytes(0, got);
    assertArrayEquals(message(2), got);
    assertLost(2);
  }

  /** The writer may end as soon as its write is complete, so the reader has to deliver the message without it. */
  @Test
  void writeOfAStreamCompletesWhenItsReaderNeedsNoMoreAnswer() throws Exception {
    InMemoryFabric fabric = InMemoryFabric.create("mapped", InMemoryFabric.CAPABILITIES.toBuilder().maps(true).build(),
      InMemoryFabric.LIMITS);
    pair = new LinkPair(fabric, fabric.device(), PATIENT);
    // Each read takes so long that the last answer, which was recent when it began, is too old to confirm it.
    clock(() -> TimeUnit.MILLISECONDS.toNanos(600L * (pair.server.messages() + (HeldBytes.ofReads(pair.server.link) > 0 ? 1 : 0))));
    send(pair.client, 1);
    pair.server.awaitMessages(1);
    pair.await(() -> inUse() == 0 && pair.server.on(link -> link.endpoint().outstanding()) == 0);
    CompletableFuture<Integer> delivered = new CompletableFuture<>();
    pair.clientLoop.eventLoop().execute(() -> {
      pair.client.link.completeWritesOnArrival();
      pair.client.link.send(Unpooled.wrappedBuffer(new byte[LARGE]), (v, cause) -> delivered.complete(pair.server.messages()));
      try {
        resumed.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    });
    pair.await(() -> pair.server.on(link -> HeldBytes.ofReads(link) >= LARGE && link.rmaPending() == 0));
    assertEquals(1, pair.server.messages());
    resumed.countDown();
    assertEquals(2, delivered.get(20, TimeUnit.SECONDS));
  }

  @Test
  void theMemoryOfALinkThatEndedIsKeptForAWhile() throws Exception {
    start(InMemoryFabric::rdmDevice);
    pair.server.receiving(false);
    send(pair.client, 1);
    sendZeroCopy(pair.client, 1);
    DeviceStatistics kept = giveUpAnd(link -> link.loop().statistics());
    assertEquals(1, kept.partSlotsUsed());
    assertEquals(1, kept.zeroCopyMessages());
    pair.await(() -> inUse() == 0 && statistics().zeroCopyMessages() == 0);
  }

  @Test
  void theMemoryOfAConnectedEndpointComesBackAtOnce() throws Exception {
    start(InMemoryFabric::device);
    pair.server.receiving(false);
    send(pair.client, 1);
    giveUp();
    assertEquals(0, inUse());
  }

  @Test
  void aCloseWaitsForWhatIsNotConfirmed() throws Exception {
    start(InMemoryFabric::rdmDevice);
    // The second call reads the time of the message. Five questions seem to be asked long before it.
    AtomicInteger calls = new AtomicInteger();
    clock(() -> {
      int call = calls.incrementAndGet();
      return call == 2 || call > 7 ? TimeUnit.MILLISECONDS.toNanos(500) : 0;
    });
    send(pair.client, 1);
    pair.client.close().get(20, TimeUnit.SECONDS);
    assertEquals(1, pair.server.messages());
    assertNull(pair.server.awaitClosed());
    assertNull(pair.client.awaitClosed());
  }
}
