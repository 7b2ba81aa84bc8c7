package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.provider.contract.LogLines;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.github.vertxrdma.provider.contract.Pattern;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.netty.util.IllegalReferenceCountException;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.AsyncFile;
import io.vertx.core.file.OpenOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

@OverFabrics(value = {"memory", "shm", "verbs:nic"}, full = FabricPair.ONE_RDM_LOOP, all = {"nio", "tcp", "rxm"})
@Timeout(120)
class ZeroCopyTest extends FabricPair {
  private static final int MIB = 1 << 20;
  private static final int MOST = 4;

  private final Random random = new Random(11);
  private final Queue<RdmaMessage> held = new ConcurrentLinkedQueue<>();
  private RdmaConnection accepted;

  @Override
  RdmaOptions options() {
    return super.options().setZeroCopyBytes(MOST * MIB);
  }

  /** After each test no message holds zero-copy memory, and all of it can be allocated in one piece. */
  @AfterEach
  void allCameBack() throws Exception {
    if (isHere) {
      release();
      until("no zero-copy memory is in use", () -> inUse(server) + inUse(client) == 0);
    }
  }

  private static int inUse(Rdma rdma) {
    return statistics(rdma).devices().stream().mapToInt(DeviceStatistics::zeroCopyMessages).sum();
  }

  private void release() {
    for (RdmaMessage message = held.poll(); message != null; message = held.poll()) {
      message.release();
    }
  }

  private Buffer bytes(int size) {
    return Buffer.buffer(Pattern.bytes(random.nextLong(), size));
  }

  private RdmaConnection connect(Handler<RdmaMessage> handler) throws Exception {
    Promise<RdmaConnection> connected = Promise.promise();
    await(server.createServer().connectHandler(c -> {
      c.messageHandler(handler);
      connected.complete(c);
    }).listen("zero-copy"));
    RdmaConnection connection = await(client.connect("zero-copy"));
    accepted = await(connected.future());
    return connection;
  }

  private static RdmaMessage message(RdmaConnection connection, Buffer body) throws Exception {
    RdmaMessage message = await(connection.allocate(body.length()));
    message.body().appendBuffer(body);
    return message;
  }

  private void awaitZeroCopy(RdmaConnection connection) {
    until("a message is zero-copy", () -> {
      release();
      connection.write(bytes(MIB));
      until("it came", () -> !held.isEmpty());
      return held.peek().isZeroCopy();
    });
    release();
  }

  private RdmaConnection connectAndHold() throws Exception {
    RdmaConnection connection = connect(message -> held.add(message.retain()));
    awaitZeroCopy(connection);
    return connection;
  }

  private static List<Buffer> bodies(Queue<RdmaMessage> messages) {
    return messages.stream().map(RdmaMessage::body).toList();
  }

  private long zeroCopies() {
    return held.stream().filter(RdmaMessage::isZeroCopy).count();
  }

  @Test
  void allSizesThereAndBackWithPauses() throws Exception {
    ExecutorService others = Executors.newFixedThreadPool(2);
    AtomicInteger zeroCopy = new AtomicInteger();
    try {
      RdmaConnection connection = connect(message -> {
        zeroCopy.addAndGet(message.isZeroCopy() ? 1 : 0);
        accepted.write(message);
      });
      List<Buffer> sent = new ArrayList<>(List.of(Buffer.buffer(), bytes(1)));
      for (int i = 0; i < 200; i++) {
        sent.add(bytes(i % 10 == 9 ? random.nextInt(3 * MIB) : (int) Math.pow(2, random.nextDouble() * 19)));
      }
      sent.add(bytes(2 * MOST * MIB));
      Queue<Buffer> got = new ConcurrentLinkedQueue<>();
      Promise<Void> all = Promise.promise();
      connection.exceptionHandler(all::tryFail);
      connection.messageHandler(message -> {
        message.retain();
        zeroCopy.addAndGet(message.isZeroCopy() ? 1 : 0);
        got.add(message.body().copy());
        if (got.size() % 7 == 0) {
          connection.pause();
        }
        others.execute(() -> {
          message.release();
          connection.resume();
        });
        if (got.size() == sent.size()) {
          all.complete();
        }
      });
      for (int i = 0; i < sent.size(); i++) {
        if (i % 3 == 0) {
          connection.write(sent.get(i));
        } else {
          connection.write(message(connection, sent.get(i)));
        }
      }
      await(all.future());
      assertEquals(sent, List.copyOf(got));
      assertTrue(zeroCopy.get() > 0, "none of them was zero-copy");
    } finally {
      others.close();
    }
  }

  @Test
  void unreleasedMemoryIsLimited() throws Exception {
    RdmaConnection connection = connectAndHold();
    for (int round = 0; round < 2; round++) {
      List<Buffer> sent = new ArrayList<>();
      for (int i = 0; i < 3 * MOST; i++) {
        sent.add(bytes(MIB));
        connection.write(sent.getLast());
      }
      until("all came", () -> held.size() == sent.size());
      assertEquals(sent, bodies(held));
      assertEquals(MOST, zeroCopies());
      release();
    }
  }

  @Test
  void memoryOfSentMessagesIsLimitedToo() throws Exception {
    RdmaConnection connection = connectAndHold();
    List<Buffer> sent = new ArrayList<>();
    List<RdmaMessage> made = new ArrayList<>();
    for (int i = 0; i < 2 * MOST; i++) {
      sent.add(bytes(MIB));
      made.add(message(connection, sent.getLast()));
    }
    assertEquals(MOST, made.stream().filter(RdmaMessage::isZeroCopy).count());
    made.forEach(connection::write);
    until("all came", () -> held.size() == sent.size());
    assertEquals(sent, bodies(held));
    made.forEach(message -> assertThrows(IllegalStateException.class, message::body));
  }

  @Test
  void aReleasedMessageCannotBeReadOrReleasedAgain() throws Exception {
    RdmaConnection connection = connectAndHold();
    connection.write(bytes(MIB));
    connection.write(bytes(10));
    until("both came", () -> held.size() == 2);
    List<RdmaMessage> released = List.copyOf(held);
    for (RdmaMessage message : released) {
      Buffer body = message.body();
      Buffer slice = body.slice(1, 5);
      boolean zeroCopy = message.isZeroCopy();
      message.release();
      if (zeroCopy) {
        assertThrows(IllegalReferenceCountException.class, () -> body.getByte(0));
        assertThrows(IllegalReferenceCountException.class, () -> slice.getByte(0));
      }
      assertThrows(IllegalStateException.class, message::body);
      assertThrows(IllegalStateException.class, message::size);
      IllegalStateException twice = assertThrows(IllegalStateException.class, message::release);
      assertTrue(twice.getMessage().contains("released"), twice.getMessage());
      assertThrows(IllegalStateException.class, () -> connection.write(message));
    }
    held.clear();
    connection.write(bytes(MIB));
    connection.write(bytes(10));
    until("two more came", () -> held.size() == 2);
    for (RdmaMessage message : released) {
      assertThrows(IllegalStateException.class, message::body);
      assertThrows(IllegalStateException.class, message::release);
    }
  }

  @Test
  void messageReleasedInItsHandlerFreesItsMemoryAtOnce() throws Exception {
    Queue<Boolean> readable = new ConcurrentLinkedQueue<>();
    AtomicInteger zeroCopy = new AtomicInteger();
    RdmaConnection connection = connect(message -> {
      Buffer body = message.body();
      boolean counts = message.isZeroCopy();
      message.release();
      if (!counts) {
        return;
      }
      zeroCopy.incrementAndGet();
      try {
        body.getByte(0);
        readable.add(true);
      } catch (IllegalReferenceCountException e) {
        readable.add(false);
      }
    });
    until("some were zero-copy", () -> {
      if (!connection.writeQueueFull()) {
        connection.write(bytes(MIB));
      }
      return zeroCopy.get() > 3;
    });
    await(connection.close());
    assertFalse(readable.contains(true), readable.toString());
  }

  @Test
  void aMessageIsWrittenOnce() throws Exception {
    RdmaConnection connection = connectAndHold();
    Buffer body = bytes(MIB);
    for (int size : new int[] {MIB, 10}) {
      RdmaMessage message = message(connection, body.slice(0, size));
      connection.write(message);
      IllegalStateException twice = assertThrows(IllegalStateException.class, () -> connection.write(message));
      assertTrue(twice.getMessage().contains("written"), twice.getMessage());
      assertThrows(IllegalStateException.class, message::release);
      message.close();
    }
    until("each came", () -> held.size() == 2);
    await(connection.write(bytes(1)));
    until("nothing else came", () -> held.size() == 3);
    assertEquals(body, held.peek().body());
    RdmaMessage unused = await(connection.allocate(MIB));
    assertTrue(unused.isZeroCopy());
    unused.close();
    unused.close();
    assertThrows(IllegalStateException.class, unused::release);
  }

  @Test
  void messageIsReleasedWhenItsHandlerReturns() throws Exception {
    RdmaConnection connection = connect(message -> {
      held.add(message);
      message.segment();
      if (held.size() % 2 == 0) {
        throw new IllegalStateException("a handler fails");
      }
    });
    for (int i = 0; i < 8; i++) {
      connection.write(i % 4 < 2 ? bytes(10) : bytes(MIB));
      connection.write(message(connection, bytes(MIB)));
    }
    until("all came, and no zero-copy memory is in use", () -> held.size() == 16 && inUse(server) + inUse(client) == 0);
    for (RdmaMessage message : held) {
      for (Executable use : List.<Executable>of(message::segment, message::body, message::size, message::retain, message::release)) {
        IllegalStateException late = assertThrows(IllegalStateException.class, use);
        assertTrue(late.getMessage().contains("when its handler returned. Call retain()"), late.getMessage());
      }
      message.close();
    }
    held.clear();
  }

  @Test
  void retainedMessageIsValidUntilReleased() throws Exception {
    Queue<MemorySegment> inHandler = new ConcurrentLinkedQueue<>();
    Queue<Buffer> got = new ConcurrentLinkedQueue<>();
    RdmaConnection connection = connect(message -> {
      MemorySegment before = message.segment();
      inHandler.add(message.retain().retain().segment());
      got.add(copy(before));
      held.add(message);
    });
    List<Buffer> sent = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      sent.add(bytes(i % 3 == 0 ? 64 : MIB));
      await(i % 3 == 1 ? connection.write(sent.getLast()) : connection.write(message(connection, sent.getLast())));
    }
    until("all came", () -> held.size() == sent.size());
    await(connection.close());
    assertEquals(sent, List.copyOf(got));
    assertEquals(sent, inHandler.stream().map(ZeroCopyTest::copy).toList());
    assertEquals(sent, held.stream().map(message -> copy(message.segment())).toList());
    assertEquals(sent, bodies(held));
    assertTrue(held.stream().map(RdmaMessage::segment).allMatch(MemorySegment::isReadOnly));
    for (RdmaMessage message : held) {
      message.release();
      assertThrows(IllegalStateException.class, message::release);
    }
    held.clear();
  }

  /** Buffers refuse to append beyond their room, but some methods make more room. */
  @Test
  void aBodyThatGrewArrivesWhole() throws Exception {
    RdmaConnection connection = connectAndHold();
    Buffer body = bytes(MIB);
    RdmaMessage message = message(connection, body);
    assertThrows(IndexOutOfBoundsException.class, () -> message.body().appendInt(5));
    message.body().setInt(MIB, 5);
    connection.write(message);
    until("it came", () -> held.size() == 1);
    assertEquals(body.copy().appendInt(5), held.peek().body());
  }

  @Test
  void aBodyIsWrittenAsABuffer() throws Exception {
    Queue<Buffer> got = new ConcurrentLinkedQueue<>();
    RdmaConnection connection = connect(message -> {
      accepted.write(message.body());
      if (message.body().getByte(0) % 2 == 0) {
        message.release();
      } else {
        accepted.write(message);
      }
    });
    connection.handler(got::add);
    List<Buffer> sent = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Buffer body = bytes(i % 5 == 4 ? 100 : MIB);
      connection.write(body);
      sent.addAll(Collections.nCopies(body.getByte(0) % 2 == 0 ? 1 : 2, body));
    }
    until("all came back", () -> got.size() == sent.size());
    assertEquals(sent, List.copyOf(got));
  }

  @Test
  void aBodyGoesToAFileAsItLies() throws Exception {
    String path = folder.resolve("body").toString();
    AsyncFile file = await(serverVertx.fileSystem().open(path, new OpenOptions()));
    Promise<Void> written = Promise.promise();
    RdmaConnection connection = connect(message -> {
      if (message.isZeroCopy()) {
        file.write(message.retain().body(), 0).onComplete(done -> {
          message.release();
          written.tryComplete();
        });
      }
    });
    Buffer body = bytes(MIB);
    connection.write(body);
    until("one is written", () -> {
      if (!connection.writeQueueFull()) {
        connection.write(body);
      }
      return written.future().isComplete();
    });
    assertEquals(body, await(serverVertx.fileSystem().readFile(path)));
    await(connection.close());
    await(file.close());
  }

  @Test
  void handlersTakeTurns() throws Exception {
    RdmaConnection connection = connectAndHold();
    Queue<Buffer> got = new ConcurrentLinkedQueue<>();
    accepted.pause();
    List<Buffer> sent = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      sent.add(bytes(MIB));
      connection.write(sent.getLast());
    }
    until("one waits", () -> inUse(server) > 0);
    accepted.handler(got::add);
    accepted.messageHandler(null);
    accepted.resume();
    until("all came", () -> got.size() == sent.size());
    assertEquals(sent, List.copyOf(got));
    assertEquals(0, inUse(server));
  }

  /** The reader of a closed connection may never continue, so its messages move to the heap. */
  @Test
  void messagesOfAPausedReaderReleaseTheirMemoryAtTheClose() throws Exception {
    RdmaConnection connection = connectAndHold();
    accepted.pause();
    List<Buffer> sent = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      sent.add(bytes(MIB));
      connection.write(sent.getLast());
    }
    await(connection.close());
    until("its memory came back", () -> inUse(server) == 0);
    accepted.resume();
    until("all came", () -> held.size() == sent.size());
    assertEquals(sent, bodies(held));
    assertEquals(0, zeroCopies());
  }

  @Test
  void aConnectionThatBreaksKeepsNothing() throws Exception {
    RdmaConnection connection = connectAndHold();
    accepted.pause();
    accepted.resume();
    for (int i = 0; i < 20; i++) {
      connection.write(message(connection, bytes(2 * MIB)));
    }
    Promise<Void> closed = Promise.promise();
    accepted.closeHandler(v -> closed.complete());
    await(client.close());
    await(closed.future());
    held.stream().limit(1).forEach(message -> assertNotEquals(0, message.size()));
    client = Rdma.create(clientVertx, options());
  }

  @Test
  void aNodeClosesWithMessagesHeldAndTellsOfThem() throws Exception {
    RdmaConnection connection = connectAndHold();
    Buffer body = bytes(MIB);
    for (int i = 0; i < 2; i++) {
      connection.write(body);
    }
    until("both came", () -> held.size() == 2);
    try (LogLines log = new LogLines(DeviceLoop.class)) {
      await(serverVertx.close());
      assertEquals(1, log.lines().stream().filter(line -> line.contains("has not released 2 messages")).count(), log.lines()::toString);
    }
    held.forEach(message -> assertEquals(body, message.body()));
    Buffer last = held.peek().body();
    release();
    assertThrows(IllegalReferenceCountException.class, () -> last.getByte(0));
    serverVertx = vertx();
    server = Rdma.create(serverVertx, options());
  }

  private RdmaConnection connectAndView(Handler<MemorySegment> viewer) throws Exception {
    return connect(message -> viewer.handle(message.segment()));
  }

  private static Buffer copy(MemorySegment memory) {
    return Buffer.buffer(memory.toArray(ValueLayout.JAVA_BYTE));
  }

  @Test
  void allSizesAreViewedWithPauses() throws Exception {
    Queue<Buffer> got = new ConcurrentLinkedQueue<>();
    Queue<MemorySegment> kept = new ConcurrentLinkedQueue<>();
    RdmaConnection connection = connectAndView(memory -> {
      got.add(copy(memory));
      kept.add(memory);
      if (got.size() % 7 == 0) {
        accepted.pause();
        serverVertx.runOnContext(v -> accepted.resume());
      }
      if (got.size() % 11 == 0) {
        throw new IllegalStateException("a handler that fails costs nobody anything");
      }
    });
    List<Buffer> sent = new ArrayList<>(List.of(Buffer.buffer(), bytes(1)));
    for (int i = 0; i < 100; i++) {
      sent.add(bytes(i % 10 == 9 ? random.nextInt(3 * MIB) : (int) Math.pow(2, random.nextDouble() * 20)));
    }
    for (int i = 0; i < sent.size(); i++) {
      if (i % 3 == 0) {
        connection.write(sent.get(i));
      } else {
        connection.write(message(connection, sent.get(i)));
      }
    }
    until("all came", () -> got.size() == sent.size());
    assertEquals(sent, List.copyOf(got));
    assertTrue(kept.stream().allMatch(MemorySegment::isReadOnly));
    await(connection.close());
    // A view that is kept too long does no harm.
    for (MemorySegment memory : kept) {
      try {
        memory.toArray(ValueLayout.JAVA_BYTE);
      } catch (IllegalStateException e) {
        assertFalse(memory.scope().isAlive());
      }
    }
  }

  @Test
  void aBufferHandlerGetsNoZeroCopyMessages() throws Exception {
    Queue<Buffer> got = new ConcurrentLinkedQueue<>();
    await(server.createServer().connectHandler(c -> c.handler(got::add)).listen("plain"));
    RdmaConnection connection = await(client.connect("plain"));
    Buffer body = bytes(MIB);
    List<Future<?>> written = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      written.add(connection.write(message(connection, body)));
    }
    await(Future.all(written));
    until("all came", () -> got.size() == 10);
    assertEquals(0, inUse(server));
    assertTrue(got.stream().allMatch(body::equals));
    RdmaMessage tooLarge = await(connection.allocate(MOST * MIB + 1));
    assertFalse(tooLarge.isZeroCopy());
    tooLarge.release();
  }
}
