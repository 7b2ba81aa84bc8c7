package io.github.vertxrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.api.ClosingScope;
import io.github.vertxrdma.impl.api.RdmaConnectionImpl;
import io.github.vertxrdma.impl.calls.BusInstances;
import io.github.vertxrdma.impl.calls.SimulatedBus;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.link.LinkWorld;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.transport.SimulatedChannels;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointType;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes are bounded that wait for a paused connection, a channel without an event loop, or a peer that reads no answers. */
@Timeout(60)
class WaitingMessagesTest {
  private static final VertxInternal VERTX = (VertxInternal) Vertx.vertx();
  private static final FabricChoice CHOICE = new FabricChoice("memory", "simulated", "simulated", EndpointType.MSG, List.of(), List.of());
  private static final int MIB = 1 << 20;
  private static final int REQUESTS = 1_500;
  private static final int ANSWER = 64 << 10;

  private final LinkWorld world = new LinkWorld();
  private final SimulatedLoop host = new SimulatedLoop(world.time, 1);
  private final SimulatedLoop otherHost = new SimulatedLoop(world.time, 2);
  private final ContextInternal context = SimulatedEventLoop.context(VERTX, host);
  private final ContextInternal otherContext = SimulatedEventLoop.context(VERTX, otherHost);
  private final Domain domain = world.fabric.device().open();
  private final DeviceLoop loop = world.open(host, domain);
  private final DeviceLoop other = world.open(otherHost, domain);
  private Link taken;

  @AfterEach
  void nothingIsLeft() {
    world.close();
  }

  private static RdmaConnection connection(ContextInternal of, Link link) {
    return new RdmaConnectionImpl(of, link, CHOICE, null, new ClosingScope(), 1_000);
  }

  private <T> T connect(DeviceLoop from, LinkListener to, Function<Link, T> opener) {
    return world.now(LinkWorld.connect(from, to, LinkWorld.identity("node"), 1_000, opener));
  }

  private LinkListener listen(DeviceLoop at, Runnable accepted) {
    return world.listen(at, LinkWorld.identity("node"), incoming -> {
      taken = incoming.accept(LinkWorld.NONE);
      accepted.run();
    });
  }

  /** @param elsewhere whether the reader has another event loop than the link */
  @ParameterizedTest
  @CsvSource({"2, false", "2, true", "16, false", "16, true"})
  void bytesThatWaitForAPausedReaderAreBounded(int mebibytes, boolean elsewhere) {
    int count = 12;
    ContextInternal readers = elsewhere ? SimulatedEventLoop.context(VERTX, new SimulatedLoop(world.time, 3)) : otherContext;
    List<Integer> read = new ArrayList<>();
    RdmaConnection[] reader = new RdmaConnection[1];
    RdmaConnection writer = connect(loop, listen(other, () -> {
      reader[0] = connection(readers, taken);
      reader[0].pause();
      reader[0].handler(message -> read.add(message.length() == mebibytes * MIB ? message.getInt(0) : -1));
    }), link -> connection(context, link));
    for (int i = 0; i < count; i++) {
      writer.write(Buffer.buffer(new byte[mebibytes * MIB]).setInt(0, i));
    }
    world.pass(5);
    long waiting = taken.statistics().traffic().bytesReceived();
    assertTrue(waiting > 0 && waiting <= (4 + mebibytes) * MIB, waiting + " bytes wait");
    reader[0].fetch(1);
    world.pass(5);
    assertEquals(List.of(0), read);
    reader[0].resume();
    world.pass(5);
    assertEquals(IntStream.range(0, count).boxed().toList(), read);
  }

  @ParameterizedTest
  @ValueSource(ints = {10_000, 2 * MIB})
  void bytesThatWaitForTheStartOfAStreamAreBounded(int size) {
    List<Consumer<Consumer<ByteBuf>>> stream = new ArrayList<>();
    RdmaConnection writer = connect(loop, listen(other, () -> stream.add(SimulatedChannels.waiting(taken))),
      link -> connection(context, link));
    int count = 24 * MIB / size;
    for (int i = 0; i < count; i++) {
      writer.write(Buffer.buffer(new byte[size]));
    }
    world.pass(10);
    long bytes = taken.statistics().traffic().bytesReceived();
    assertTrue(bytes > 0 && bytes <= 6 * MIB, bytes + " bytes wait");
    AtomicLong read = new AtomicLong();
    otherHost.execute(() -> stream.getFirst().accept(message -> {
      read.addAndGet(message.readableBytes());
      message.release();
    }));
    world.pass(10);
    assertEquals((long) count * size, read.get());
  }

  private static final class Asker implements MessageHandler {
    private final Link link;
    private int answers;

    Asker(Link link) {
      this.link = link;
      link.handler(this);
    }

    @Override
    public void message(ByteBuf message) {
      answers++;
      message.release();
    }

    @Override
    public void closed(Throwable cause) {
      // The test has ended.
    }
  }

  /** @param elsewhere whether the service runs on another loop than its connection */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void answersThatWaitAreBounded(boolean elsewhere) {
    SimulatedLoop home = elsewhere ? new SimulatedLoop(world.time, 3) : host;
    if (elsewhere) {
      SimulatedEventLoop.context(VERTX, home);
    }
    Asker asker = connect(other, listen(loop, () -> SimulatedBus.serve(taken, home, ANSWER)), Asker::new);
    asker.link.pause(true);
    for (int i = 0; i < REQUESTS; i++) {
      asker.link.send(SimulatedBus.request(), null);
      world.time.pass(TimeUnit.MILLISECONDS.toNanos(5));
    }
    world.pass(5);
    long waiting = taken.pendingBytes();
    assertTrue(waiting > 0 && waiting < REQUESTS * ANSWER / 3, waiting + " bytes wait");
    asker.link.pause(false);
    world.pass(10);
    assertEquals(REQUESTS, asker.answers);
  }

  /** A service that reads nothing. */
  private final class DeafService implements BusInstances {
    @Override
    public int closeMillis() {
      return 1_000;
    }

    @Override
    public boolean isSuspected(String nodeId) {
      return false;
    }

    @Override
    public Future<List<ServiceEntry>> await(long millis) {
      return Future.succeededFuture(List.of(SimulatedBus.entry("deaf")));
    }

    @Override
    public <T> Future<T> connect(ServiceEntry instance, BiFunction<Link, FabricChoice, T> opened) {
      LinkListener listener = listen(other, () -> new Asker(taken).link.pause(true));
      return LinkWorld.connect(loop, listener, LinkWorld.identity("node"), 1_000, link -> opened.apply(link, CHOICE));
    }
  }

  @Test
  void bytesThatWaitForAServiceAreBounded() {
    RdmaBusClient client = world.now(SimulatedBus.connect(host, new DeafService(), "deaf", new RdmaBusClientOptions()));
    List<Future<Void>> sent = new ArrayList<>();
    host.execute(() -> {
      for (int i = 0; i < 70; i++) {
        sent.add(client.send(Buffer.buffer(new byte[MIB])));
      }
    });
    world.pass(5);
    List<Future<Void>> refused = sent.stream().filter(Future::failed).toList();
    assertTrue(!refused.isEmpty() && refused.size() < 10, refused.size() + " messages of 1 MiB are refused");
    refused.forEach(each -> assertEquals(Reason.LIMIT, ((RdmaException) each.cause()).reason()));
  }

  /** Returns a connection of a service that a consumer at the address serves. */
  private Asker connect(String address, RdmaBusServiceOptions options, Handler<Message<Buffer>> consumer) {
    List<LinkListener> listeners = new ArrayList<>();
    host.execute(() -> VERTX.eventBus().localConsumer(address, consumer));
    world.now(SimulatedBus.listen(host, address, options, 1_000, (metadata, acceptor) -> {
      listeners.add(world.listen(loop, LinkWorld.identity("node"), acceptor));
      return Future.succeededFuture(Future::succeededFuture);
    }));
    return world.now(LinkConnector.connect(other, listeners.getFirst().localAddress(), LinkWorld.identity("node"), "service",
      SimulatedBus.hello(), 1_000, Asker::new));
  }

  private void ask(Asker asker, int count) {
    for (int i = 0; i < count; i++) {
      asker.link.send(SimulatedBus.request(), null);
    }
    world.pass(10);
  }

  /** Requests for which the peer has credits may exceed the limit. Short ones share a frame. */
  @Test
  void requestsWithoutAnswerAreLimited() {
    int most = 4096;
    int exceeding = LoopOptions.DEFAULT.dataCredits() * LoopOptions.DEFAULT.bufferSize() / SimulatedBus.request().readableBytes();
    int count = 2 * (most + exceeding);
    List<Message<Buffer>> asked = new ArrayList<>();
    Asker asker = connect("silent", new RdmaBusServiceOptions(), asked::add);
    ask(asker, count);
    int received = asked.size();
    assertTrue(received >= most && received <= most + exceeding, received + " requests wait for an answer");
    host.execute(() -> asked.forEach(each -> each.reply(null)));
    world.pass(5);
    assertTrue(asked.size() > received, "the service reads again");
    assertEquals(received, asker.answers);
  }

  @Test
  void repliesThatExpectAnAnswerAreLimited() {
    int most = 65_535;
    List<Throwable> refused = new ArrayList<>();
    Asker asker = connect("asking", new RdmaBusServiceOptions(),
      message -> message.replyAndRequest(null).onFailure(refused::add));
    ask(asker, most + 10);
    assertEquals(List.of(most + 10, 10), List.of(asker.answers, refused.size()));
    assertTrue(refused.getFirst().getMessage().contains(most + " requests already wait"), refused.getFirst()::toString);
  }
}
