package io.github.vertxrdma.hostile;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.github.vertxrdma.impl.link.LinkIdentity;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.link.LinkWatcher;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.link.PlainHandshake;
import io.github.vertxrdma.impl.node.Pings;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.provider.rdm.RdmLayer;
import io.github.vertxrdma.simulator.SimulatedLoop;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A node that raw peers attack, in virtual time: its loop, a listener, its links, and an honest link of another loop. */
final class Victim implements AutoCloseable {
  static final byte[] WORD = {1, 2, 3};
  static final byte[] NONE = {};
  private static final Limits LIMITS = new Limits(64 << 20, 1L << 40, 256, 4096, 1 << 16, 8, 64, 1024, Long.MAX_VALUE, 1 << 20, 1 << 20, 8);
  private static final long SETTLED = TimeUnit.MILLISECONDS.toNanos(50);

  final VirtualTime time = new VirtualTime();
  final SlowLoop host = new SlowLoop(time, 1);
  final InMemoryFabric fabric;
  final Domain domain;
  final DeviceLoop loop;
  final LinkListener listener;
  final List<IncomingLink> waiting = new ArrayList<>();
  final List<End> ends = new ArrayList<>();
  final List<RawPeer> raw = new ArrayList<>();
  final List<Link> silent = new ArrayList<>();
  boolean peersAreStopped;
  private final DeviceLoop honestLoop;
  private End honest;
  private int sent;

  /** A loop on which blocking work, such as the registration of memory, takes longer. */
  static final class SlowLoop extends SimulatedLoop {
    long slowMillis;
    private final VirtualTime time;

    SlowLoop(VirtualTime time, long seed) {
      super(time, seed);
      this.time = time;
    }

    @Override
    public <T> Future<T> blocking(Callable<T> work) {
      Promise<T> done = Promise.promise();
      time.after(TimeUnit.MILLISECONDS.toNanos(slowMillis), () -> super.blocking(work).onComplete(done));
      return done.future();
    }
  }

  static final class End implements MessageHandler {
    final Link link;
    final List<byte[]> messages = new ArrayList<>();
    boolean ended;
    boolean over;
    Throwable cause;

    End(Link link) {
      this.link = link;
      link.handler(this);
    }

    @Override
    public void message(ByteBuf message) {
      byte[] bytes = new byte[message.readableBytes()];
      message.readBytes(bytes);
      message.release();
      messages.add(bytes);
    }

    @Override
    public void ended() {
      ended = true;
    }

    @Override
    public void closed(Throwable why) {
      over = true;
      cause = why;
    }
  }

  Victim() {
    this(false);
  }

  /** @param connectionless whether all connections share one endpoint */
  Victim(boolean connectionless) {
    this(connectionless, Waiting.WAKEUP);
  }

  Victim(boolean connectionless, Waiting waiting) {
    fabric = InMemoryFabric.create("victim", InMemoryFabric.CAPABILITIES.toBuilder().waiting(waiting).build(), LIMITS);
    domain = connectionless ? RdmLayer.over(fabric.rdmDevice().openRdm(), time.clock(5), new Random(5)) : fabric.device().open();
    loop = open(host);
    honestLoop = open(new SimulatedLoop(time, 2));
    listener = LinkListener.listen(loop, null, 0, at -> identity("victim"), this::greeted).result();
    honest = now(LinkConnector.connect(honestLoop, listener.localAddress(), identity("honest"), "accept", NONE, 10_000, End::new));
  }

  private DeviceLoop open(SimulatedLoop of) {
    return now(DeviceLoop.open(of, domain, LoopOptions.DEFAULT));
  }

  LinkIdentity identity(String node) {
    return new LinkIdentity(() -> NodeEntry.local(node, 1), new PlainHandshake(WORD), new LinkWatcher() {
      @Override
      public void silent(Link link) {
        silent.add(link);
        if (!peersAreStopped) {
          link.suspectIfSilent();
        }
      }
    });
  }

  private void greeted(IncomingLink incoming) {
    switch (incoming.greeting().service()) {
      case "accept" -> ends.add(new End(incoming.accept(NONE)));
      case Pings.SERVICE -> Pings.respond(incoming);
      case "refuse" -> incoming.refuse("a test says no");
      default -> waiting.add(incoming);
    }
  }

  void settle() {
    pass(SETTLED);
  }

  void pass(long nanos) {
    long until = time.now() + nanos;
    do {
      time.pass(Math.min(TimeUnit.MILLISECONDS.toNanos(1), until - time.now()));
      raw.forEach(RawPeer::poll);
    } while (time.now() < until);
  }

  <T> T now(Future<T> future) {
    settle();
    if (!future.isComplete()) {
      throw new AssertionError("it did not happen");
    }
    if (future.failed()) {
      throw new AssertionError(future.cause());
    }
    return future.result();
  }

  RawPeer stranger() {
    RawPeer peer = new RawPeer(domain);
    raw.add(peer);
    peer.connect(listener.localAddress(), new byte[] {9});
    settle();
    if (peer.accepted() == null) {
      throw new AssertionError("not accepted: " + peer.over());
    }
    return peer;
  }

  /** @return why the connect failed */
  Throwable rejectionOf(String text) {
    try (Side rejecting = new Side(domain, new PairOptions())) {
      Listener there = rejecting.listen(null, request -> request.reject(text.getBytes(StandardCharsets.UTF_8)));
      Future<End> connected = LinkConnector.connect(honestLoop, there.localAddress(), identity("honest"), "accept", NONE, 10_000, End::new);
      for (int i = 0; i < 100 && !connected.isComplete(); i++) {
        settle();
        rejecting.poll();
      }
      return connected.cause();
    }
  }

  RawPeer greeting(byte[] greeting) {
    RawPeer peer = request(greeting);
    settle();
    return peer;
  }

  /** Sends a greeted request, and awaits nothing. */
  RawPeer request(byte[] greeting) {
    RawPeer peer = new RawPeer(domain);
    raw.add(peer);
    byte[] request = Arrays.copyOf(WORD, WORD.length + 1 + greeting.length);
    request[WORD.length] = 1;
    System.arraycopy(greeting, 0, request, WORD.length + 1, greeting.length);
    peer.connect(listener.localAddress(), request);
    return peer;
  }

  /** @param service see {@link #greeted} */
  RawPeer proven(String service) {
    return proven(service, "raw");
  }

  RawPeer proven(String service, String nodeId) {
    RawPeer peer = stranger();
    peer.send(Frame.HELLO, 0, 0, 0, hello(service, nodeId).encode());
    settle();
    return peer;
  }

  End end() {
    return ends.getLast();
  }

  static Greeting hello(String service) {
    return hello(service, "raw");
  }

  static Greeting hello(String service, String nodeId) {
    return new Greeting(WORD, nodeId, 1, "", 0, service, 16 << 10, 16, 16, 64 << 20, NONE, NONE, "raw");
  }

  void assertHonest() {
    End there = ends.getFirst();
    int before = there.messages.size();
    if (before != sent) {
      throw new AssertionError(before + " of " + sent + " messages of an honest link came");
    }
    for (int i = 0; i < 40; i++) {
      honest.link.send(io.netty.buffer.Unpooled.wrappedBuffer(new byte[] {(byte) sent++}), null);
    }
    settle();
    if (there.messages.size() != sent || honest.over) {
      throw new AssertionError("the honest link has " + there.messages.size() + " of " + sent + " messages; over: " + honest.cause);
    }
  }

  void forEachRaw(Consumer<RawPeer> each) {
    raw.forEach(each);
  }

  @Override
  public void close() {
    raw.forEach(RawPeer::close);
    listener.close();
    loop.close(new IllegalStateException("the test is over"));
    honestLoop.close(new IllegalStateException("the test is over"));
    pass(TimeUnit.SECONDS.toNanos(5));
    domain.close();
    if (!fabric.open().isEmpty()) {
      throw new AssertionError("left open: " + fabric.open());
    }
  }
}
