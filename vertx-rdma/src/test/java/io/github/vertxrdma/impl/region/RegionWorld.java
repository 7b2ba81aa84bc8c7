package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaAuthorizer;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.hostile.RawPeer;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.link.LinkWorld;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.link.RegionFrames;
import io.github.vertxrdma.impl.peers.Authorization;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.simulator.SimulatedLoop;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A node with regions, an honest peer that uses them, and raw peers that send any frames, in one thread and virtual time. */
final class RegionWorld implements AutoCloseable {
  static final byte[] NONE = {};

  final VirtualTime time = new VirtualTime();
  final InMemoryFabric fabric = InMemoryFabric.create("regions", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  final HoldingDevice device = new HoldingDevice(fabric.device());
  final Domain domain = device.open();
  final Domain rawDomain = fabric.device().open();
  final SimulatedLoop registrar = new SimulatedLoop(time, 3);
  final RegionRegistry registry;
  /** Ends that the node accepted, the honest peer's first. */
  final List<End> ends = new ArrayList<>();
  private final Map<RawPeer, List<RawPeer.Received>> raw = new LinkedHashMap<>();
  private final Set<RawPeer> greedy = new HashSet<>();
  private final DeviceLoop loop;
  private final DeviceLoop honestLoop;
  private final LinkListener listener;
  private final OwnedRegion kept;
  private final End near;
  private final RemoteRegion honest;
  private long written;

  static final class End implements MessageHandler {
    final Link link;
    final RegionPeer peer;
    boolean over;
    Throwable cause;

    End(Link link, RegionRegistry registry) {
      this.link = link;
      this.peer = new RegionPeer(link, registry, 30_000);
      link.handler(this);
    }

    @Override
    public void message(ByteBuf message) {
      message.release();
    }

    @Override
    public void closed(Throwable why) {
      over = true;
      cause = why;
    }
  }

  RegionWorld() {
    this(RdmaAuthorizer.GROUP);
  }

  RegionWorld(RdmaAuthorizer authorizer) {
    registry = new RegionRegistry(() -> registrar, new RegionRegistry.Listener() {
      @Override
      public Authorization authorization() {
        return new Authorization(authorizer, () -> "owner");
      }
    });
    loop = now(DeviceLoop.open(new SimulatedLoop(time, 1), domain, LoopOptions.DEFAULT));
    honestLoop = now(DeviceLoop.open(new SimulatedLoop(time, 2), domain, LoopOptions.DEFAULT));
    listener = LinkListener.listen(loop, null, 0, at -> LinkWorld.identity("owner"), this::accept).result();
    RegionRegistry none = new RegionRegistry(() -> registrar, RegionRegistry.Listener.NONE);
    near = now(LinkConnector.connect(honestLoop, listener.localAddress(), LinkWorld.identity("honest"), "regions", NONE, 10_000,
      link -> new End(link, none)));
    kept = share("kept", 64, RegionAccess.values());
    honest = use(kept);
  }

  private void accept(IncomingLink incoming) {
    ends.add(new End(incoming.accept(NONE), registry));
  }

  OwnedRegion share(String name, long size, RegionAccess... access) {
    return now(
      registry.share(DirectCaller.INSTANCE, new RegionOptions().setName(name).setSize(size).setAccess(access).setOwnerAtomics(true), null,
        List.of(domain)));
  }

  RemoteRegion use(OwnedRegion region) {
    return now(near.peer.open(DirectCaller.INSTANCE, region.id(), null, 0));
  }

  void settle() {
    for (int i = 0; i < 50; i++) {
      time.pass(TimeUnit.MILLISECONDS.toNanos(1));
      raw.forEach(this::poll);
    }
  }

  void givesNoCredits(RawPeer peer) {
    greedy.add(peer);
  }

  private void poll(RawPeer peer, List<RawPeer.Received> inbox) {
    peer.poll();
    List<RawPeer.Received> came = peer.take();
    inbox.addAll(came);
    if (peer.over() == null && !greedy.contains(peer) && came.stream().anyMatch(frame -> frame.type() > Frame.CREDIT)) {
      peer.sendCredits(Frame.CREDIT, 0, came.size());
    }
  }

  List<RawPeer.Received> take(RawPeer peer) {
    List<RawPeer.Received> all = List.copyOf(raw.get(peer));
    raw.get(peer).clear();
    return all;
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

  /** Creates a raw peer with an open link, whose end here is the last. */
  RawPeer peer(String nodeId) {
    RawPeer peer = new RawPeer(rawDomain);
    raw.put(peer, new ArrayList<>());
    peer.connect(listener.localAddress(), new byte[] {9});
    settle();
    peer.send(Frame.HELLO, 0, 0, 0,
      new Greeting(LinkWorld.WORD, nodeId, 1, "", 0, "regions", 16 << 10, 16, 16, 64 << 20, NONE, NONE, "raw").encode());
    settle();
    take(peer);
    return peer;
  }

  RegionDescription open(RawPeer peer, OwnedRegion region) {
    peer.send(RegionFrames.OPEN, 0, 1, region.id(), RegionFrames.known(0, 0));
    settle();
    RawPeer.Received reply = reply(peer);
    if (reply.flags() != RegionFrames.OK) {
      throw new AssertionError(new String(reply.payload()));
    }
    return RegionDescription.decode(reply.payload());
  }

  /** Returns the last REPLY that a raw peer received, or null. Removes the others. */
  RawPeer.Received reply(RawPeer peer) {
    return last(peer, RegionFrames.REPLY);
  }

  RawPeer.Received last(RawPeer peer, int type) {
    return take(peer).stream().filter(frame -> frame.type() == type).reduce((first, second) -> second).orElse(null);
  }

  void assertHonest() {
    Buffer word = Buffer.buffer().appendLong(++written);
    now(honest.write(0, word));
    now(honest.writeNotify(8, word, written));
    if (now(honest.fetchAndAdd(16, 1)) != written - 1 || !now(honest.read(0, 8)).equals(word) || !now(honest.read(8, 8)).equals(word)) {
      throw new AssertionError("the honest peer's region was changed by others");
    }
  }

  @Override
  public void close() {
    device.release();
    settle();
    raw.keySet().forEach(RawPeer::close);
    raw.clear();
    settle();
    now(registry.closeAll());
    listener.close();
    loop.close(new IllegalStateException("the test is over"));
    honestLoop.close(new IllegalStateException("the test is over"));
    for (int i = 0; i < 100; i++) {
      settle();
    }
    domain.close();
    rawDomain.close();
    if (!fabric.open().isEmpty()) {
      throw new AssertionError("left open: " + fabric.open());
    }
  }
}
