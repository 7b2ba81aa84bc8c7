package io.github.vertxrdma.simulator;

import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.region.DirectCaller;
import io.github.vertxrdma.impl.region.RegionPeer;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.simulator.world.Fault;
import io.github.vertxrdma.simulator.world.FragileDevice;
import io.github.vertxrdma.simulator.world.Simulation;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Nodes that share regions, determined by a seed. Regions are shared, opened, read, written, added to, closed and revoked, while nodes stop
 * and die, and the fabric has the faults of a {@link Conversation}. A {@link SharedRegion} knows the valid values of each word.
 */
final class RegionConversation extends FabricSimulation {
  private static final byte[] NONE = {};
  private static final int CHUNK = 4096;

  private long calls;
  private final List<RegionMember> members = new ArrayList<>();
  private final List<Bond> bonds = new ArrayList<>();
  private final List<SharedRegion> regions = new ArrayList<>();
  private final List<Handle> handles = new ArrayList<>();
  private final Set<String> waiting = new LinkedHashSet<>();
  /** Memory that is or was registered, by its key. */
  private final Map<ByteBuffer, MemorySegment> registered = new HashMap<>();
  private boolean closing;

  /** A link between two members, and their regions on it. Arrays have the end of the connector, then that of the acceptor. */
  private static final class Bond {
    final RegionMember[] at = new RegionMember[2];
    final Link[] links = new Link[2];
    final RegionPeer[] peers = new RegionPeer[2];
    final Set<Fault> faults = EnumSet.noneOf(Fault.class);
    /**
     * Calls of each side that are under way, and those that completed since the side had no access under way: their accesses may complete
     * late.
     */
    final int[] calls = new int[2];
    final int[] late = new int[2];
    boolean over;

    boolean isExcused() {
      return over || faults.stream().anyMatch(fault -> fault.excuses);
    }
  }

  private static final class Handle {
    final SharedRegion region;
    final Bond bond;
    final RegionMember holder;
    final RemoteRegion remote;
    final int slot;
    boolean closed;
    boolean writing;
    boolean moving;
    /** Whether the holder was notified that it must not use the region, and how many chunks it has posted since then. */
    boolean ended;
    int late;
    /** Number of written values, number of the last one that succeeded, and whether a later write has an unknown outcome. */
    long count;
    long last;
    boolean unknown;

    Handle(SharedRegion region, Bond bond, RegionMember holder, RemoteRegion remote) {
      this.region = region;
      this.bond = bond;
      this.holder = holder;
      this.remote = remote;
      slot = SharedRegion.SLOTS + region.holders++ * Long.BYTES;
    }

    int side() {
      return holder == bond.at[0] ? 0 : 1;
    }

    boolean mayFail() {
      return closed || region.revokeAsked || bond.isExcused();
    }
  }

  RegionConversation(long seed, boolean traced) {
    super(seed, traced, "regions", true);
    int inline = random.nextInt(2) << 10;
    for (int i = 2 + random.nextInt(3); i > 0; i--) {
      int number = members.size();
      Domain watched = FragileDevice.over(openRaw(), time, this::violated, registered,
        (memory, length) -> accessed(number, memory, length));
      RegionMember member = new RegionMember(number, number, watched, new SimulatedLoop(time, random.nextLong()), control);
      members.add(member);
      member.start(new LoopOptions(4096, 16, 8, CHUNK, 1 << 20, 2_000, 400, 2_000, inline, 64 << 10), incoming -> accept(member, incoming))
        .onFailure(cause -> violated("node " + member.number + " could not start: " + cause));
    }
  }

  static String found(long seed) {
    return Simulation.found(new RegionConversation(seed, false));
  }

  @Override
  public void disturbed(Fault fault, int from, int to) {
    super.disturbed(fault, from, to);
    for (Bond bond : bonds) {
      int a = bond.at[0].domainNumber;
      int b = bond.at[1].domainNumber;
      if (from < 0 || to < 0 && (a == from || b == from) || a == from && b == to || a == to && b == from) {
        bond.faults.add(fault);
      }
    }
  }

  /** Checks that a future completes once, and before the end. @param mayDie the member whose death ends it too */
  private <T> void watch(String what, RegionMember mayDie, Future<T> future, BiConsumer<T, Throwable> then) {
    String name = what + " (" + calls++ + ")";
    trace.note(what, mayDie.number, calls, 0);
    waiting.add(name);
    future.onComplete(done -> {
      if (!waiting.remove(name)) {
        violated("completed twice: " + name);
      }
      trace.note(what, mayDie.number, calls, done.succeeded() ? 1 : 0);
      trace.say(done.cause());
      count(done.succeeded() ? "successful calls" : "failed calls");
      then.accept(done.result(), done.cause());
    });
  }

  private <T> void call(String what, Handle handle, Future<T> future, BiConsumer<T, Throwable> then) {
    int side = handle.side();
    handle.bond.calls[side]++;
    watch(what, handle.holder, future, (result, cause) -> {
      handle.bond.calls[side]--;
      handle.bond.late[side]++;
      then.accept(result, cause);
    });
  }

  private void connect(RegionMember from, RegionMember to) {
    if (from.listener == null || to.listener == null) {
      return;
    }
    Bond bond = new Bond();
    bond.at[0] = from;
    bond.at[1] = to;
    if (from.host.isStopped() || to.host.isStopped()) {
      bond.faults.add(Fault.STOPPED);
    }
    if (network.isCut(from.domainNumber, to.domainNumber)) {
      bond.faults.add(Fault.CUT);
    }
    byte[] data = ByteBuffer.allocate(4).putInt(bonds.size()).array();
    bonds.add(bond);
    from.host.execute(() -> LinkConnector.connect(from.loop, to.listener.localAddress(), from.identity(), "regions", data, 5_000,
      link -> join(bond, 0, link)).onFailure(cause -> bond.over = true));
  }

  private void accept(RegionMember at, IncomingLink incoming) {
    Link link = incoming.accept(NONE);
    if (link != null) {
      join(bonds.get(ByteBuffer.wrap(incoming.greeting().data()).getInt()), 1, link);
    }
  }

  private Link join(Bond bond, int side, Link link) {
    bond.links[side] = link;
    link.handler(new MessageHandler() {
      @Override
      public void message(ByteBuf message) {
        message.release();
      }

      @Override
      public void closed(Throwable cause) {
        if (cause != null && !closing && !bond.isExcused()) {
          violated("a link of nodes " + bond.at[0].number + " and " + bond.at[1].number + " ended without a fault: " + cause);
        }
        bond.over = true;
      }
    });
    bond.peers[side] = new RegionPeer(link, bond.at[side].registry, 3_000);
    return link;
  }

  private void share(RegionMember member) {
    RegionOptions options = new RegionOptions().setName("region" + regions.size()).setSize(SharedRegion.SIZE)
      .setAccess(RegionAccess.values())
      .setOwnerAtomics(random.nextBoolean());
    watch("share", member, member.registry.share(DirectCaller.INSTANCE, options, null, List.of(member.domain)), (region, cause) -> {
      if (cause == null) {
        regions.add(new SharedRegion(regions.size(), member, region));
      } else if (!member.dead) {
        violated("could not be shared: " + cause);
      }
    });
  }

  private void open(Bond bond) {
    int side = random.nextInt(2);
    RegionMember holder = bond.at[side];
    SharedRegion region = any(regions.stream().filter(each -> each.owner == bond.at[1 - side]).toList());
    if (bond.peers[side] == null || region == null || region.holders >= SharedRegion.MOST_HOLDERS || holder.dead) {
      return;
    }
    holder.host.execute(() -> watch("open of " + region, holder, bond.peers[side].open(DirectCaller.INSTANCE, region.region.id(), null, 0),
      (remote, cause) -> {
        if (cause == null) {
          Handle handle = new Handle(region, bond, holder, remote);
          handles.add(handle);
          remote.closeHandler(end -> handle.ended = true);
        } else if (!region.revokeAsked && !bond.isExcused()) {
          violated(region + " could not be opened: " + cause);
        }
      }));
  }

  private void use(Handle handle) {
    switch (random.nextInt(10)) {
      case 0, 1 -> read(handle);
      case 2, 3 -> write(handle, false);
      case 4 -> write(handle, true);
      case 5, 6 -> add(handle);
      case 7, 8 -> move(handle);
      default -> {
        if (random.nextInt(6) == 0) {
          handle.closed = true;
          watch("close", handle.holder, handle.remote.close(), (nothing, cause) -> handle.ended = true);
        }
      }
    }
  }

  /** Makes the holders of a region use it soon, so that many calls are under way at the next event. */
  private void useMuch(SharedRegion region, int times, int micros) {
    for (Handle handle : handles) {
      for (int i = handle.region == region && !handle.holder.dead ? random.nextInt(times) : 0; i > 0; i--) {
        handle.holder.host.executeAfter(() -> use(handle), random.nextInt(micros), TimeUnit.MICROSECONDS);
      }
    }
  }

  private void checkHolders(SharedRegion region) {
    long open = handles.stream().filter(handle -> handle.region == region && !handle.closed && !handle.bond.over).count();
    int holders = region.owner.dead ? 0 : region.region.holders().size();
    if (holders > open) {
      violated(region + " has " + holders + " holders, and " + open + " have it open");
    }
  }

  private void outcome(Handle handle, String what, Throwable cause) {
    if (cause != null && !handle.mayFail()) {
      violated(what + " of " + handle.region + " failed without a fault: " + cause);
    }
  }

  private void read(Handle handle) {
    long least = handle.unknown ? 0 : handle.last;
    Future<Buffer> reading = random.nextBoolean() ? handle.remote.read(handle.slot, Long.BYTES)
      : handle.remote.readNotify(handle.slot, Long.BYTES, calls);
    call("read", handle, reading, (bytes, cause) -> {
      outcome(handle, "a read", cause);
      if (cause == null) {
        long value = Long.reverseBytes(bytes.getLong(0));
        long count = value == 0 ? 0 : value - handle.region.value(0);
        if (count < least || count > handle.count) {
          violated("a read of " + handle.region + " found value " + Long.toHexString(value) + ", between " + least + " and " + handle.count
            + " was due");
        }
      }
    });
  }

  private void write(Handle handle, boolean notify) {
    if (handle.writing) {
      return;
    }
    handle.writing = true;
    long count = ++handle.count;
    Buffer value = Buffer.buffer().appendLong(Long.reverseBytes(handle.region.value(count)));
    call("write", handle, notify ? handle.remote.writeNotify(handle.slot, value, count) : handle.remote.write(handle.slot, value),
      (nothing, cause) -> {
        handle.writing = false;
        outcome(handle, "a write", cause);
        if (cause == null) {
          handle.last = count;
        } else {
          handle.unknown = true;
        }
      });
  }

  private void move(Handle handle) {
    if (handle.moving) {
      return;
    }
    handle.moving = true;
    SharedRegion region = handle.region;
    Future<Buffer> moved = random.nextBoolean() ? handle.remote.read(SharedRegion.BULK, SharedRegion.BULK_SIZE)
      : handle.remote.write(SharedRegion.BULK, region.nextBulk()).map(v -> null);
    call("move", handle, moved, (bytes, cause) -> {
      handle.moving = false;
      outcome(handle, "a call in chunks", cause);
      String wrong = bytes == null ? null : region.checkBulk(bytes);
      if (wrong != null) {
        violated(wrong);
      }
    });
  }

  /**
   * Called when a node posts an access. When the right to a region ends, a call under way posts no further chunks except those that were
   * already on their way.
   */
  private void accessed(int holder, MemorySegment memory, long length) {
    if (length < CHUNK || closing) {
      return;
    }
    List<Handle> all = handles.stream().filter(handle -> handle.holder.number == holder
      && handle.region.region.segment().address() == memory.address()).toList();
    if (!all.isEmpty() && all.stream().allMatch(handle -> handle.ended) && ++all.getFirst().late > MemoryBounds.WINDOW * all.size()) {
      violated("node " + holder + " goes on with a call on " + all.getFirst().region + ", its right to which has ended");
    }
  }

  private void add(Handle handle) {
    long amount = 1 + random.nextInt(9);
    handle.region.adds(amount);
    call("addition", handle, handle.remote.fetchAndAdd(0, amount), (old, cause) -> {
      outcome(handle, "an addition", cause);
      if (cause == null) {
        String wrong = handle.region.added(amount, old);
        if (wrong != null) {
          violated(wrong);
        }
      }
    });
  }

  private void revoke(SharedRegion region) {
    region.revokeAsked = true;
    watch("revoke of " + region, region.owner, region.region.revoke(Duration.ofMillis(500 + random.nextInt(3_000))), (nothing, cause) -> {
      if (cause != null && !region.owner.dead) {
        violated("revoke of " + region + " failed: " + cause);
      } else {
        region.revoked();
      }
    });
  }

  /** Breaks the link of a holder while another holder uses the same region. The first holder still knows the key. */
  private void breakLink() {
    List<Handle> shared = handles.stream().filter(handle -> isInUse(handle) && handles.stream().anyMatch(other -> isInUse(other)
      && other.region == handle.region && other.bond != handle.bond)).toList();
    Handle handle = any(shared);
    if (handle != null) {
      useMuch(handle.region, 12, random.nextBoolean() ? 100 : 3_000);
      handle.bond.over = true;
      handle.holder.host.execute(() -> handle.bond.links[handle.side()]
        .fail(new IllegalStateException("an application broke it")));
    }
  }

  private static boolean isInUse(Handle handle) {
    return !handle.mayFail() && !handle.holder.dead && !handle.region.owner.dead;
  }

  @Override
  protected void happen() {
    RegionMember member = any(members);
    int what = random.nextInt(206);
    if (what < 20 || bonds.isEmpty()) {
      RegionMember other = any(members);
      if (other != member && !member.dead && !other.dead && bonds.size() < 12) {
        connect(member, other);
      }
    } else if (what < 30 || regions.isEmpty()) {
      if (!member.dead && regions.size() < 16) {
        member.host.execute(() -> share(member));
      }
    } else if (what < 55 || handles.isEmpty()) {
      open(any(bonds));
    } else if (what < 174) {
      Handle handle = any(handles);
      if (!handle.holder.dead) {
        handle.holder.host.execute(() -> use(handle));
      }
    } else if (what < 186) {
      SharedRegion region = any(regions);
      if (!region.owner.dead && !region.revokeAsked) {
        useMuch(region, 12, 400);
        region.owner.host.execute(() -> revoke(region));
      }
    } else if (what < 192) {
      stop(member, List.of(member.host));
    } else if (what < 196) {
      RegionMember other = any(members);
      if (other != member) {
        network.cut(member.domainNumber, other.domainNumber, TimeUnit.MILLISECONDS.toNanos(random.nextInt(3_000)));
      }
    } else if (what >= 200 && connectionless) {
      breakLink();
    } else if (what < 198 && !member.dead && random.nextInt(3) == 0) {
      kill(member, member.host);
    }
  }

  @Override
  protected void play() {
    pass(TimeUnit.MILLISECONDS.toNanos(50));
    play(60 + random.nextInt(200), 12, 400, 2);
  }

  @Override
  protected void pass(long nanos) {
    super.pass(nanos);
    members.forEach(member -> checkMemory(member, true));
    regions.forEach(region -> {
      String wrong = closing ? null : region.check();
      if (wrong != null) {
        violated(wrong);
      }
    });
  }

  @Override
  protected boolean holds() {
    for (Bond bond : bonds) {
      for (int side = 0; side < 2; side++) {
        Link link = bond.links[side];
        if (link != null) {
          bond.late[side] = link.rmaPending() == 0 ? 0 : bond.late[side];
          String wrong = MemoryBounds.checkAccesses(link, bond.calls[side] + bond.late[side]);
          if (wrong != null) {
            violated("node " + bond.at[side].number + ": " + wrong);
          }
        }
      }
    }
    return super.holds();
  }

  /** Checks the memory for accesses. @param underWay whether calls may be under way */
  private void checkMemory(RegionMember member, boolean underWay) {
    if (member.loop == null || member.dead || closing) {
      return;
    }
    int calls = 0;
    for (Bond bond : bonds) {
      for (int side = 0; underWay && side < 2; side++) {
        calls += bond.at[side] == member ? bond.calls[side] + bond.late[side] : 0;
      }
    }
    String wrong = MemoryBounds.checkAccesses(member.loop, calls);
    if (wrong != null) {
      violated("node " + member.number + ": " + wrong);
    }
  }

  @Override
  protected void finish() {
    network.calm();
    members.forEach(member -> member.host.resume());
    pass(TimeUnit.SECONDS.toNanos(30));
    regions.forEach(this::checkHolders);
    boolean died = members.stream().anyMatch(member -> member.dead);
    if (!died) {
      members.forEach(member -> checkMemory(member, false));
    }
    closing = true;
    for (RegionMember member : members) {
      if (member.dead) {
        member.host.exhume();
        end(member);
      }
      watch("close of all", member, member.registry.closeAll(), (nothing, cause) -> {
        if (!member.dead) {
          end(member);
        }
      });
    }
    pass(TimeUnit.SECONDS.toNanos(60));
    checkOpen();
    members.forEach(member -> member.domain.close());
    if (!waiting.isEmpty() && !died) {
      violated("never completed: " + waiting);
    }
    checkTimers();
  }
}
