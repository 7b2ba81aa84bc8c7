package io.github.vertxrdma.impl.link;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.device.RegisteredBuffer;
import io.github.vertxrdma.impl.link.LinkPair.Side;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class LinkTest {
  private LinkPair pair;

  @BeforeEach
  void start() throws Exception {
    pair = new LinkPair(LoopOptions.DEFAULT);
  }

  @AfterEach
  void stop() throws Exception {
    pair.close();
  }

  static byte[] random(Random random, int size) {
    byte[] bytes = new byte[size];
    random.nextBytes(bytes);
    return bytes;
  }

  @Test
  void messagesOfAllSizesArriveWholeAndInOrder() throws Exception {
    Random random = new Random(1);
    List<byte[]> sent = new ArrayList<>();
    for (int size : new int[] {0, 1, 63, 64, 65, 4096, 16320, 16352, 16353, 20000, 256 << 10, (256 << 10) + 1, 1 << 20, 5_000_000, 3, 0}) {
      sent.add(random(random, size));
    }
    pair.sendAll(pair.client, sent);
    List<ByteBuf> got = pair.server.awaitMessages(sent.size());
    for (int i = 0; i < sent.size(); i++) {
      byte[] bytes = new byte[got.get(i).readableBytes()];
      got.get(i).readBytes(bytes);
      assertArrayEquals(sent.get(i), bytes, "message " + i);
    }
  }

  /** Frame numbers have 32 bits, which a link passes in hours. */
  @ParameterizedTest
  @ValueSource(ints = {-3, Integer.MAX_VALUE - 2})
  void messagesArriveWhenTheNumbersOfFramesStartAgain(int next) throws Exception {
    pair.await(() -> isQuiet(pair.client, pair.server) && isQuiet(pair.server, pair.client));
    setNumbers(pair.client, pair.server, next);
    setNumbers(pair.server, pair.client, next);
    int count = 100;
    List<byte[]> sent = Collections.nCopies(count, new byte[100]);
    pair.sendAll(pair.client, sent);
    pair.sendAll(pair.server, sent);
    assertEquals(count, pair.server.awaitMessages(count).size());
    assertEquals(count, pair.client.awaitMessages(count).size());
    assertTrue(number(pair.client, "sequence") - next > 3, "no frame has a number after the start");
  }

  @Test
  void pongsRunTasksInOrderWhenTwoPingsAreOutstanding() throws Exception {
    List<String> answered = Collections.synchronizedList(new ArrayList<>());
    pair.client.on(link -> {
      link.keepAlive.ping(() -> answered.add("first"));
      link.keepAlive.ping(() -> answered.add("second"));
      return null;
    });
    pair.await(() -> answered.size() == 2);
    assertEquals(List.of("first", "second"), answered);
  }

  private static boolean isQuiet(Side from, Side to) {
    return number(from, "sequence") == number(to, "expected");
  }

  private static void setNumbers(Side from, Side to, int next) {
    from.on(link -> field(link, "sequence", next));
    to.on(link -> field(link, "expected", next));
  }

  private static int number(Side side, String name) {
    return side.on(link -> field(link, name, null));
  }

  /**
   * Sets a counter that no test can reach by counting, unless the value is null.
   *
   * @return its value
   */
  private static int field(Link link, String name, Integer value) {
    try {
      Field stream = Link.class.getDeclaredField("stream");
      stream.setAccessible(true);
      Object owner = name.equals("sequence") ? ((FrameStream) stream.get(link)).out : stream.get(link);
      Field counter = owner.getClass().getDeclaredField(name);
      counter.setAccessible(true);
      if (value != null) {
        counter.setInt(owner, value);
      }
      return counter.getInt(owner);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void connectFailsWhenOpenHandlerThrows() {
    IllegalStateException cause = new IllegalStateException("on purpose");
    CompletableFuture<LinkPair.Side> connecting = pair.connect(link -> {
      throw cause;
    });
    assertSame(cause, assertThrows(ExecutionException.class, () -> connecting.get(20, TimeUnit.SECONDS)).getCause());
    pair.sendAll(pair.client, List.of(new byte[3]));
  }

  private void segmented() throws Exception {
    pair.close();
    InMemoryFabric fabric = InMemoryFabric.create("woken", InMemoryFabric.CAPABILITIES.toBuilder().waiting(Waiting.NONE).build(),
      InMemoryFabric.LIMITS);
    pair = new LinkPair(fabric, null, LoopOptions.DEFAULT);
    pair.await(() -> pair.client.link.endpoint() != null);
  }

  @Test
  void messagesInSegmentsArriveWholeAndInOrder() throws Exception {
    segmented();
    messagesOfAllSizesArriveWholeAndInOrder();
  }

  @Test
  void aPausedReaderStopsAMessageInSegments() throws Exception {
    segmented();
    pair.server.receiving(false);
    byte[] large = random(new Random(4), 2_000_000);
    pair.sendAll(pair.client, List.of(large));
    long most = (long) LoopOptions.DEFAULT.dataCredits() * LoopOptions.DEFAULT.bufferSize();
    pair.await(() -> pair.client.on(Link::pendingBytes) <= large.length - most / 2);
    assertTrue(pair.client.pendingBytes() >= large.length - most, pair.client.pendingBytes() + " bytes wait");
    assertEquals(0, pair.server.messages());
    pair.server.receiving(true);
    assertEquals(Unpooled.wrappedBuffer(large), pair.server.awaitMessages(1).getFirst());
    assertEquals(0, pair.client.pendingBytes());
  }

  @Test
  void theWindowWidensForLargeMessagesInSegments() throws Exception {
    segmented();
    byte[] large = random(new Random(5), 1_000_000);
    pair.sendAll(pair.client, List.of(large));
    pair.server.awaitMessages(1);
    int widened = Math.min(96, (3 << 19) / LoopOptions.DEFAULT.bufferSize());
    int window = LoopOptions.DEFAULT.dataCredits() + widened;
    pair.await(() -> pair.client.on(link -> link.loop().statistics().connections().getFirst().dataCredits()) > window / 4);
    pair.server.receiving(false);
    pair.sendAll(pair.client, List.of(large, large, large));
    long bytes = (long) window * LoopOptions.DEFAULT.bufferSize();
    pair.await(() -> pair.client.on(Link::pendingBytes) <= 3_000_000 - bytes / 4);
    assertTrue(pair.client.pendingBytes() >= 3_000_000 - bytes, pair.client.pendingBytes() + " bytes wait");
    pair.server.receiving(true);
    for (ByteBuf message : pair.server.awaitMessages(4)) {
      assertEquals(Unpooled.wrappedBuffer(large), message);
    }
  }

  /** Credits exceed those that the loop grants a new link, and those by which all links together may grow. */
  @Test
  void theWindowGrowsByWhatThereIsRoomFor() throws Exception {
    pair.close();
    LoopOptions d = LoopOptions.DEFAULT;
    pair = new LinkPair(new LoopOptions(d.bufferSize(), 8192, d.controlCredits(), d.fragmentSize(), d.maxMessageSize(), d.closeIdleMillis(),
      d.suspectMillis(), d.deadMillis(), d.notifyInlineLimit(), d.zeroCopyBytes()));
    List<LinkPair.Side> clients = List.of(pair.client, pair.connect().get(20, TimeUnit.SECONDS));
    int left = (64 << 20) / d.bufferSize();
    for (int i = 0; i < clients.size(); i++) {
      LinkPair.Side client = clients.get(i);
      int number = i;
      IntSupplier credits = () -> client.on(link -> link.loop().statistics().connections().get(number).dataCredits());
      // The server receives the first messages when the client has used all its credits.
      pair.server.on(link -> {
        pair.sendAll(client, Collections.nCopies(20, new byte[100]));
        while (credits.getAsInt() > 0) {
          Thread.onSpinWait();
        }
        return null;
      });
      pair.await(() -> credits.getAsInt() > 200);
      int grown = left / 8;
      assertTrue(credits.getAsInt() <= 2 + grown, credits.getAsInt() + " credits of link " + i);
      left -= grown;
    }
  }

  @Test
  void aLinkThatEndsInTheMiddleOfZeroCopyMessagesKeepsNoMemory() throws Exception {
    pair.server.on(link -> {
      link.inPlace(true, false);
      return null;
    });
    pair.await(() -> pair.server.on(link -> link.loop().memory.takeIncoming(1)) instanceof RegisteredBuffer buffer && buffer.release());
    pair.server.receiving(false);
    pair.sendAll(pair.client, List.of(new byte[1_000_000], new byte[1_000_000]));
    pair.await(() -> pair.client.on(link -> link.loop().statistics().connections().getFirst().unreadParts()) > 0);
    pair.server.peerDead("its process ended");
    pair.server.awaitClosed();
    pair.await(() -> pair.server.on(link -> link.loop().statistics().zeroCopyMessages()) == 0);
  }

  @Test
  void bothDirectionsAtOnceInSegments() throws Exception {
    segmented();
    bothDirectionsAtOnce();
  }

  @Test
  void bothDirectionsAtOnce() throws Exception {
    Random random = new Random(2);
    List<byte[]> there = new ArrayList<>();
    List<byte[]> back = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      there.add(random(random, (int) Math.pow(2, random.nextDouble() * 17)));
      back.add(random(random, (int) Math.pow(2, random.nextDouble() * 17)));
    }
    pair.sendAll(pair.client, there);
    pair.sendAll(pair.server, back);
    List<ByteBuf> atServer = pair.server.awaitMessages(there.size());
    List<ByteBuf> atClient = pair.client.awaitMessages(back.size());
    for (int i = 0; i < there.size(); i++) {
      assertEquals(Unpooled.wrappedBuffer(there.get(i)), atServer.get(i), "to server " + i);
      assertEquals(Unpooled.wrappedBuffer(back.get(i)), atClient.get(i), "to client " + i);
    }
  }

  @Test
  void smallMessagesThatWaitShareFrames() throws Exception {
    Random random = new Random(3);
    pair.server.receiving(false);
    int before = number(pair.client, "sequence");
    List<byte[]> sent = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      sent.add(random(random, i % 500 == 499 ? 20_000 : i % 7 == 0 ? 0 : random.nextInt(100)));
    }
    pair.sendAll(pair.client, sent);
    pair.await(() -> pair.server.messages() == LoopOptions.DEFAULT.dataCredits());
    pair.server.receiving(true);
    List<ByteBuf> got = pair.server.awaitMessages(sent.size());
    for (int i = 0; i < sent.size(); i++) {
      assertEquals(Unpooled.wrappedBuffer(sent.get(i)), got.get(i), "message " + i);
    }
    // 16 messages went alone, the others about 300 in a frame, with one between that is read in fragments.
    int frames = number(pair.client, "sequence") - before;
    assertTrue(frames < 200, frames + " frames for " + sent.size() + " messages");
  }

  @Test
  void aShutdownIsNotLengthenedByALaterOne() throws Exception {
    pair.server.receiving(false);
    pair.sendAll(pair.client, List.of(new byte[1 << 20]));
    for (CompletableFuture<Void> shutdown : pair.client.on(link -> List.of(pair.client.shutdown(200), pair.client.shutdown(20_000)))) {
      ExecutionException failure = assertThrows(ExecutionException.class, () -> shutdown.get(20, TimeUnit.SECONDS));
      assertEquals(Reason.TIMEOUT, assertInstanceOf(RdmaException.class, failure.getCause()).reason());
      assertTrue(failure.getMessage().contains("in 200 ms"), failure.getMessage());
    }
  }

  @Test
  void aLaterShutdownMayBeShorter() throws Exception {
    pair.server.receiving(false);
    pair.sendAll(pair.client, List.of(new byte[1 << 20]));
    CompletableFuture<Void> closing = pair.client.close();
    CompletableFuture<Void> first = pair.client.shutdown(60_000);
    CompletableFuture<Void> second = pair.client.shutdown(200);
    for (CompletableFuture<Void> close : List.of(closing, first, second)) {
      assertEquals(Reason.TIMEOUT, reason(() -> close.get(20, TimeUnit.SECONDS)));
    }
  }

  @Test
  void eachCloseCallCompletesAtTheEnd() throws Exception {
    int many = 50_000;
    CountDownLatch heard = new CountDownLatch(many);
    pair.client.link.loop().eventLoop().execute(() -> {
      for (int i = 0; i < many; i++) {
        pair.client.link.close((v, failure) -> heard.countDown());
      }
    });
    assertTrue(heard.await(20, TimeUnit.SECONDS), heard.getCount() + " of " + many + " have not heard");
    assertNull(pair.client.awaitClosed());
  }

  @Test
  void throwingEndHandlerAffectsNoOtherHandler() throws Exception {
    Side[] second = new Side[1];
    pair.connect(link -> {
      second[0] = new Side(link);
      link.handler(new MessageHandler() {
        @Override
        public void message(ByteBuf message) {
          message.release();
        }

        @Override
        public void closed(Throwable cause) {
          second[0].closed(cause);
          throw new IllegalStateException("a handler that fails, as tests have them");
        }
      });
      return second[0];
    }).get(20, TimeUnit.SECONDS);
    pair.await(() -> pair.latest != pair.server);
    pair.latest.on(link -> {
      link.fail(new IllegalStateException("the test ends it"));
      return null;
    });
    second[0].awaitClosed();
    pair.sendAll(pair.server, List.of(new byte[5]));
    pair.client.awaitMessages(1);
  }

  @Test
  void tooLargeMessageIsRefusedAndLinkStaysOpen() throws Exception {
    assertEquals(Reason.TOO_LARGE,
      reason(() -> pair.client.send(new byte[LoopOptions.DEFAULT.maxMessageSize() + 1]).get(20, TimeUnit.SECONDS)));
    pair.sendAll(pair.client, List.of(new byte[5]));
    pair.server.awaitMessages(1);
  }

  @Test
  void aDeadPeerIsNamed() throws Exception {
    pair.client.peerDead("its process ended");
    Throwable cause = pair.client.awaitClosed();
    assertEquals(Reason.CONNECTION_LOST, assertInstanceOf(RdmaException.class, cause).reason());
    assertTrue(cause.getMessage().contains("server"), cause.getMessage());
    assertTrue(cause.getMessage().contains("its process ended"), cause.getMessage());
  }

  @Test
  void messagesBeforeDeathOfPeerAreDeliveredBeforeEnd() throws Exception {
    // More than the completions of one poll, and less than the credits of a link.
    int count = pair.client.on(link -> link.statistics().dataCredits());
    pair.server.link.loop().eventLoop().submit(() -> {
      pair.sendAll(pair.client, Collections.nCopies(count - 1, new byte[1000]));
      pair.client.send(new byte[1000]).get(20, TimeUnit.SECONDS);
      pair.server.link.peerDead("its process ended", true);
      return null;
    }).get(20, TimeUnit.SECONDS);
    assertEquals(Reason.CONNECTION_LOST, assertInstanceOf(RdmaException.class, pair.server.awaitClosed()).reason());
    assertEquals(count, pair.server.messages());
  }

  @Test
  void writeAfterDeathOfPeerFailsAtOnce() throws Exception {
    CompletableFuture<Void> write = new CompletableFuture<>();
    pair.server.on(link -> {
      link.peerDead("its process ended", true);
      link.send(Unpooled.wrappedBuffer(new byte[10]), (v, cause) -> write.completeExceptionally(cause));
      assertTrue(write.isCompletedExceptionally());
      return null;
    });
    assertEquals(Reason.CONNECTION_LOST, reason(() -> write.get(20, TimeUnit.SECONDS)));
    assertEquals(Reason.CONNECTION_LOST, assertInstanceOf(RdmaException.class, pair.server.awaitClosed()).reason());
  }

  @Test
  void closeAfterDeathOfPeerIsImmediate() throws Exception {
    pair.server.on(link -> {
      link.peerDead("its process ended", true);
      link.close((v, cause) -> {
      });
      assertTrue(link.isClosed());
      return null;
    });
    pair.server.awaitClosed();
  }

  private static Reason reason(org.junit.jupiter.api.function.Executable call) {
    Throwable t = assertThrows(Throwable.class, call);
    while (t instanceof ExecutionException || t instanceof CompletionException) {
      t = t.getCause();
    }
    return assertInstanceOf(RdmaException.class, t).reason();
  }
}
