package io.github.vertxrdma.impl.region;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionEnd;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.hostile.RawPeer;
import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.impl.link.RegionFrames;
import io.netty.buffer.Unpooled;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Invalid region frames end at most the peer's own link: other links continue, and no memory changes without permission. */
@Timeout(120)
class HostileRegionsTest {
  private static final byte[] NONE = RegionWorld.NONE;
  private final RegionWorld world = new RegionWorld();
  private final OwnedRegion table = world.share("table", 64, RegionAccess.values());
  private final OwnedRegion locked = world.share("locked", 64, RegionAccess.READ);
  private final RawPeer peer = world.peer("raw");
  private final RegionWorld.End end = world.ends.getLast();

  @AfterEach
  void otherConnectionsContinue() {
    world.assertHonest();
    assertEquals(-1, locked.segment().mismatch(MemorySegment.ofArray(new byte[64])), "memory was changed without the right to");
    world.close();
  }

  private void assertCutOff(int type, String words) {
    assertNotNull(peer.over(), "it was not cut off");
    RdmaException cause = (RdmaException) end.cause;
    assertEquals(Reason.PROTOCOL, cause.reason(), cause.getMessage());
    assertTrue(cause.getMessage().contains("raw") && cause.getMessage().contains(RegionFrames.name(type))
      && cause.getMessage().contains(words), cause.getMessage());
    assertEquals(1, end.link.loop().statistics().lost());
  }

  @Test
  void refusalOfOwnerHasItsReasonAndIsPrintable() {
    byte[] text = "forged \u001b[2J\n\u202e".getBytes(StandardCharsets.UTF_8);
    String reason = RegionPeer.refusal(RegionFrames.DENIED, MemorySegment.ofArray(text), text.length).getMessage();
    assertTrue(reason.startsWith("forged") && PeerText.isPrintable(reason), reason);
    Map<Integer, Reason> reasons = Map.of(RegionFrames.DENIED, Reason.ACCESS_DENIED, RegionFrames.RANGE, Reason.OUT_OF_RANGE,
      RegionFrames.REVOKED, Reason.REVOKED, RegionFrames.LIMIT, Reason.LIMIT, RegionFrames.NOT_FOUND, Reason.NOT_FOUND);
    reasons.forEach((status, expected) -> assertEquals(expected, RegionPeer.refusal(status, MemorySegment.NULL, 0).reason()));
  }

  @Test
  void unreadConfirmationsOfNotifiedWritesAreLimited() {
    long handle = world.open(peer, table).handle();
    world.givesNoCredits(peer);
    int credits = 8;
    int written = 0;
    for (int before = -1; written > before && written < 2_000;) {
      before = written;
      peer.sendCredits(Frame.CREDIT, 1, 0);
      for (credits--; credits > 1; credits--) {
        peer.send(RegionFrames.WRITE_NOTIFY, 0, written++, handle, RegionFrames.writeNotify(0, 1, 8));
        world.time.pass(TimeUnit.MILLISECONDS.toNanos(1));
      }
      world.settle();
      end.link.send(Unpooled.wrappedBuffer(new byte[1]), null);
      world.settle();
      credits += world.take(peer).stream().mapToInt(RawPeer.Received::controlCredits).sum();
    }
    assertNull(peer.over(), () -> "it was cut off: " + end.cause);
    assertTrue(end.link.waitingFrames() < 200, end.link.waitingFrames() + " frames wait after " + written + " writes");
    peer.sendCredits(Frame.CREDIT, 0, 1_000);
    world.settle();
    assertEquals(0, end.link.waitingFrames());
    assertTrue(world.take(peer).stream().mapToInt(RawPeer.Received::controlCredits).sum() > 0, "it may go on");
  }

  @Test
  void unreadCallsAreLimited() {
    RemoteRegion region = used(RegionAccess.values());
    world.givesNoCredits(peer);
    List<Future<Long>> calls = new ArrayList<>();
    for (int i = 0; i < RegionPeer.MAX_CALLS; i++) {
      calls.add(region.fetchAndAdd(0, 1));
    }
    world.settle();
    Future<Long> last = calls.getLast();
    assertTrue(last.failed(), "as many wait as are made");
    assertEquals(Reason.LIMIT, ((RdmaException) last.cause()).reason());
    assertTrue(last.cause().getMessage().contains(": 65536, including") && last.cause().getMessage().contains("raw"),
      last.cause().getMessage());
    assertTrue(end.link.waitingFrames() + end.peer.pending().size() <= RegionPeer.MAX_CALLS);
    assertEquals(Reason.LIMIT, ((RdmaException) end.peer.open(DirectCaller.INSTANCE, 1, null, 0).cause()).reason());
    end.link.fail(new IllegalStateException("the test is over"));
    world.settle();
    assertTrue(calls.stream().allMatch(Future::failed));
  }

  @Test
  void unconfirmedNotifiedWritesAreLimited() {
    RemoteRegion region = used(RegionAccess.values()).withTimeout(Duration.ofMillis(1));
    Future<Void> last = null;
    for (int i = 0; i < 2 * RegionPeer.MAX_CALLS && !isLimit(last); i += 256) {
      for (int k = 0; k < 256; k++) {
        last = region.writeNotify(0, Buffer.buffer(new byte[8]), 1);
      }
      world.settle();
    }
    assertNull(peer.over(), () -> "it was cut off: " + end.cause);
    assertTrue(isLimit(last), "more wait than calls may be under way");
    assertEquals(0, end.link.waitingFrames());
  }

  private static boolean isLimit(Future<?> call) {
    return call != null && call.cause() instanceof RdmaException failure && failure.reason() == Reason.LIMIT;
  }

  private String assertRefused(int status) {
    assertNull(peer.over(), () -> "it was cut off: " + end.cause);
    RawPeer.Received reply = world.reply(peer);
    assertNotNull(reply, "no answer");
    assertEquals(status, reply.flags());
    return new String(reply.payload(), StandardCharsets.UTF_8);
  }

  @TestFactory
  Stream<DynamicTest> payloadsThatAreTooShortOrTooLong() {
    return IntStream.rangeClosed(RegionFrames.OPEN, RegionFrames.NOTIFIED).filter(type -> type != RegionFrames.REPLY).boxed()
      .flatMap(type -> IntStream.of(0, 7, 9, 15, 19, 23, 25, 26, 40).filter(length -> isBad(type, length))
        .mapToObj(length -> DynamicTest.dynamicTest(RegionFrames.name(type) + " of " + length, () -> {
          HostileRegionsTest fresh = new HostileRegionsTest();
          fresh.peer.send(type, 0, 1, 2, new byte[length]);
          fresh.world.settle();
          fresh.assertCutOff(type, length + " bytes");
          fresh.otherConnectionsContinue();
        })));
  }

  private static boolean isBad(int type, int length) {
    return switch (type) {
      case RegionFrames.OPEN -> length != 8;
      case RegionFrames.NOTIFY, RegionFrames.READ_DONE, RegionFrames.ATOMIC -> length != 24;
      case RegionFrames.GRANT -> length < 27;
      case RegionFrames.REKEY -> length < 20;
      case RegionFrames.WRITE_NOTIFY -> length < 16;
      default -> length != 0;
    };
  }

  @Test
  void rangesOutsideOfRegionAreRefused() {
    long handle = world.open(peer, table).handle();
    long[] bad = {57, 64, -1, -8, Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE - 7};
    for (int type : new int[] {RegionFrames.NOTIFY, RegionFrames.READ_DONE, RegionFrames.ATOMIC}) {
      for (long offset : bad) {
        peer.send(type, 0, 1, handle, RegionFrames.words(offset, 8, 1));
        world.settle();
        assertTrue(assertRefused(RegionFrames.RANGE).contains(String.valueOf(offset)));
      }
    }
    for (long offset : bad) {
      peer.send(RegionFrames.WRITE_NOTIFY, 0, 1, handle, RegionFrames.writeNotify(offset, 1, 8));
      world.settle();
      assertRefused(RegionFrames.RANGE);
    }
    for (long length : new long[] {65, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
      peer.send(RegionFrames.NOTIFY, 0, 1, handle, RegionFrames.words(0, length, 1));
      world.settle();
      assertRefused(RegionFrames.RANGE);
    }
    peer.send(RegionFrames.ATOMIC, RegionFrames.ADD, 1, handle, RegionFrames.words(4, 1, 0));
    world.settle();
    assertTrue(assertRefused(RegionFrames.RANGE).contains("a multiple of 8"));
  }

  @Test
  void operationsWithoutRightAreRefused() {
    long handle = world.open(peer, locked).handle();
    peer.send(RegionFrames.NOTIFY, 0, 1, handle, RegionFrames.words(0, 8, 1));
    world.settle();
    assertTrue(assertRefused(RegionFrames.DENIED).contains("'locked'"));
    byte[] write = RegionFrames.writeNotify(0, 1, 8);
    Arrays.fill(write, RegionFrames.INLINE_HEAD, write.length, (byte) 7);
    peer.send(RegionFrames.WRITE_NOTIFY, 0, 2, handle, write);
    world.settle();
    assertRefused(RegionFrames.DENIED);
    peer.send(RegionFrames.ATOMIC, RegionFrames.ADD, 3, handle, RegionFrames.words(0, 1, 0));
    world.settle();
    assertRefused(RegionFrames.DENIED);
  }

  @Test
  void handlesOfOtherPeersAreRefused() {
    RawPeer other = world.peer("other");
    long theirs = world.open(other, table).handle();
    long givenBack = world.open(peer, table).handle();
    peer.send(RegionFrames.CLOSE, 0, 0, givenBack, NONE);
    world.open(peer, table);
    for (long handle : new long[] {theirs, givenBack, 0, -1, 4711}) {
      peer.send(RegionFrames.ATOMIC, RegionFrames.ADD, 1, handle, RegionFrames.words(0, 1, 0));
      world.settle();
      assertRefused(RegionFrames.REVOKED);
      peer.send(RegionFrames.CLOSE, 0, 0, handle, NONE);
    }
    world.settle();
    assertEquals(0, table.getAcquire(0));
    assertEquals(List.of("other", "raw"), table.holders().stream().map(holder -> holder.nodeId()).sorted().toList());
    assertNull(other.over());
  }

  @Test
  void invalidAtomicEndsTheConnection() {
    long handle = world.open(peer, table).handle();
    peer.send(RegionFrames.ATOMIC, 2, 1, handle, RegionFrames.words(0, 1, 0));
    world.settle();
    assertCutOff(RegionFrames.ATOMIC, "operation 2");
  }

  @Test
  void confirmationWithoutWriteEndsTheConnection() {
    peer.send(RegionFrames.NOTIFIED, 0, -1, 0, NONE);
    world.settle();
    assertCutOff(RegionFrames.NOTIFIED, "-1");
  }

  @Test
  void replyToReadEndsTheConnection() {
    RemoteRegion region = used(RegionAccess.READ);
    world.device.hold(true);
    Future<Buffer> read = region.read(0, 8);
    world.settle();
    // An id of the first place in the table, with each of the first generations.
    LongStream.range(0, 10).forEach(generation -> peer.send(RegionFrames.REPLY, RegionFrames.OK, generation << 32 | 1, 0, NONE));
    world.settle();
    assertCutOff(RegionFrames.REPLY, "no request waits for this reply");
    assertTrue(read.failed());
    world.device.release();
  }

  @Test
  void repliesWithoutWaitingCallDoNotEndTheConnection() {
    for (long id : new long[] {0, 1, -1, Long.MAX_VALUE}) {
      peer.send(RegionFrames.REPLY, 250, id, -1, new byte[1000]);
    }
    world.settle();
    assertNull(peer.over());
  }

  @Test
  void invalidDescriptionOrKeyEndsTheConnection() {
    RegionToken token = RegionToken.of(peer.memory());
    byte[] good = new RegionDescription(5, "r", 64, Set.of(RegionAccess.READ), "owner", 1, token).encode();
    List<byte[]> bad = new ArrayList<>();
    for (int length = 27; length < good.length; length++) {
      bad.add(Arrays.copyOf(good, length));
    }
    bad.add(new RegionDescription(5, "r", 0, Set.of(), "owner", 1, token).encode());
    bad.add(new RegionDescription(5, "r", -1, Set.of(), "owner", 1, token).encode());
    bad.add(new RegionDescription(5, "r", token.length() + 1, Set.of(), "owner", 1, token).encode());
    bad.add(new RegionDescription(5, "r", 64, Set.of(), "owner", 1, null).encode());
    for (byte[] bytes : bad) {
      RawPeer owner = world.peer("raw");
      Future<RemoteRegion> open = world.ends.getLast().peer.open(DirectCaller.INSTANCE, 1, null, 0);
      world.settle();
      owner.send(RegionFrames.REPLY, RegionFrames.OK, world.last(owner, RegionFrames.OPEN).a(), 0, bytes);
      world.settle();
      assertNotNull(owner.over(), () -> "taken: " + open);
      assertTrue(open.failed());
    }
  }

  @Test
  void handleInUseEndsTheConnection() {
    List<RegionEnd> told = new ArrayList<>();
    used(RegionAccess.READ).closeHandler(told::add);
    Future<RemoteRegion> again = end.peer.open(DirectCaller.INSTANCE, 1, null, 0);
    world.settle();
    peer.send(RegionFrames.REPLY, RegionFrames.OK, world.last(peer, RegionFrames.OPEN).a(), 0,
      new RegionDescription(77, "raw", 64, Set.of(RegionAccess.READ), "owner", 1, RegionToken.of(peer.memory())).encode());
    world.settle();
    assertTrue(again.failed());
    assertCutOff(RegionFrames.REPLY, "already in use");
    assertEquals(List.of(RegionEnd.CONNECTION_LOST), told, "who uses the first hears of its end");
  }

  private RemoteRegion used(RegionAccess... access) {
    Future<RemoteRegion> open = end.peer.open(DirectCaller.INSTANCE, 1, null, 0);
    world.settle();
    peer.send(RegionFrames.REPLY, RegionFrames.OK, world.last(peer, RegionFrames.OPEN).a(), 0,
      new RegionDescription(77, "raw", 64, Set.of(access), "owner", 1, RegionToken.of(peer.memory())).encode());
    return world.now(open);
  }

  @Test
  void numberOfGrantsIsLimited() {
    List<RemoteRegion> granted = new ArrayList<>();
    end.peer.grantHandler(DirectCaller.INSTANCE, granted::add);
    for (int i = 0; i < RegionPeer.MAX_HANDLES + 10; i++) {
      grant(i);
      if (i % 8 == 0) {
        world.settle();
      }
    }
    world.settle();
    assertTrue(assertRefused(RegionFrames.LIMIT).contains("1024"));
    assertEquals(RegionPeer.MAX_HANDLES, granted.size());
  }

  @Test
  void revokedGrantsCountUntilHandlerReceivesThem() {
    BusyCaller busy = new BusyCaller();
    end.peer.grantHandler(busy, region -> {});
    for (int i = 0; i < RegionPeer.MAX_HANDLES; i++) {
      grant(i);
      peer.send(RegionFrames.REVOKE, 0, i, i, NONE);
      if (i % 4 == 0) {
        world.settle();
      }
    }
    world.settle();
    grant(5000);
    world.settle();
    String refusal = assertRefused(RegionFrames.LIMIT);
    assertTrue(refusal.contains("1024") && refusal.contains("grantHandler"), refusal);
    assertEquals(RegionPeer.MAX_HANDLES, busy.tasks.size());

    busy.tasks.remove().run();
    grant(5000);
    world.settle();
    assertRefused(RegionFrames.OK);
    assertEquals(RegionPeer.MAX_HANDLES, busy.tasks.size());
  }

  private void grant(int handle) {
    peer.send(RegionFrames.GRANT, 0, handle, 0,
      new RegionDescription(handle, "", 64, Set.of(RegionAccess.READ), "owner", 1, RegionToken.of(peer.memory())).encode());
  }

  @Test
  void unansweredOpensTimeOut() {
    int before = world.time.pending();
    Future<RemoteRegion> open = end.peer.open(DirectCaller.INSTANCE, 1, null, 0);
    for (int i = 0; i < 11 * 60; i++) {
      world.time.pass(TimeUnit.SECONDS.toNanos(1));
      world.settle();
    }
    assertNull(peer.over(), () -> "it was cut off: " + end.cause);
    assertEquals(Reason.TIMEOUT, ((RdmaException) open.cause()).reason());
    assertEquals(0, end.peer.pending().size());
    assertTrue(world.time.pending() <= before, "timers are left");
  }

  @Test
  void grantsWithoutGrantHandlerAreRefused() {
    for (int i = 0; i < 65; i++) {
      grant(i);
      world.settle();
    }
    assertTrue(assertRefused(RegionFrames.REFUSED).contains("grantHandler"));
  }

  @Test
  void grantsReturnedBeforeExpiryLeaveNothing() {
    int before = world.time.pending();
    for (int i = 0; i < 100; i++) {
      end.peer.grant(DirectCaller.INSTANCE, table, Set.of(RegionAccess.READ), Duration.ofDays(1));
      world.settle();
      RawPeer.Received grant = world.last(peer, RegionFrames.GRANT);
      peer.send(RegionFrames.REPLY, RegionFrames.OK, grant.a(), 0, NONE);
      peer.send(RegionFrames.CLOSE, 0, 0, RegionDescription.decode(grant.payload()).handle(), NONE);
      world.settle();
    }
    assertNull(peer.over(), () -> "it was cut off: " + end.cause);
    assertEquals(List.of(), table.holders());
    assertTrue(world.time.pending() < before + 50, () -> world.time.pending() - before + " timers are left");
  }

  /** Frames made of valid ones with any field changed; a seed repeats a run. */
  @TestFactory
  Stream<DynamicTest> randomFramesOfAPeerBreakNothing() {
    return IntStream.range(0, 60).mapToObj(seed -> DynamicTest.dynamicTest("seed " + seed, () -> {
      HostileRegionsTest fresh = new HostileRegionsTest();
      fresh.say(new Random(seed));
      fresh.otherConnectionsContinue();
    }));
  }

  private void say(Random random) {
    RemoteRegion used = used(RegionAccess.values());
    end.peer.grantHandler(DirectCaller.INSTANCE, granted -> granted.read(0, 8));
    end.peer.grant(DirectCaller.INSTANCE, table, Set.of(RegionAccess.READ), null);
    world.settle();
    long offered = RegionDescription.decode(world.last(peer, RegionFrames.GRANT).payload()).handle();
    long[] handles = {77, 78, 4711, offered, world.open(peer, table).handle(), world.open(peer, locked).handle()};
    for (int i = 0; i < 60 && peer.over() == null; i++) {
      switch (random.nextInt(8)) {
        case 0 -> used.read(0, 8);
        case 1 -> used.writeNotify(0, Buffer.buffer(new byte[8]), 1);
        case 2 -> used.fetchAndAdd(8, 1);
        default -> {
        }
      }
      int type = RegionFrames.OPEN + random.nextInt(12);
      byte[] payload = mutated(payload(type, random), random);
      peer.send(type, random.nextInt(4) == 0 ? random.nextInt(256) : random.nextInt(2), random.nextInt(3) == 0 ? random.nextLong()
        : random.nextInt(12),
        random.nextInt(6) == 0 ? random.nextLong() : type == RegionFrames.OPEN ? table.id()
          : handles[random.nextInt(handles.length)],
        payload);
      if (random.nextBoolean()) {
        world.settle();
      }
    }
    world.settle();
    if (end.over) {
      RdmaException cause = (RdmaException) end.cause;
      assertTrue(Set.of(Reason.PROTOCOL, Reason.CONNECTION_LOST).contains(cause.reason()), cause.getMessage());
      assertTrue(cause.getMessage().contains("raw"), cause.getMessage());
    }
  }

  private byte[] payload(int type, Random random) {
    return switch (type) {
      case RegionFrames.OPEN -> RegionFrames.known(random.nextInt(3), 0);
      case RegionFrames.GRANT -> new RegionDescription(78, "r", 64, Set.of(RegionAccess.READ), "owner", 1,
        RegionToken.of(peer.memory())).encode();
      case RegionFrames.NOTIFY, RegionFrames.READ_DONE, RegionFrames.ATOMIC -> RegionFrames.words(random.nextInt(9) * 8, 8, 1);
      case RegionFrames.REKEY -> RegionFrames.rekey(2, RegionToken.of(peer.memory()).encode());
      case RegionFrames.WRITE_NOTIFY -> RegionFrames.writeNotify(random.nextInt(8) * 8, 1, 8);
      default -> NONE;
    };
  }

  private static byte[] mutated(byte[] payload, Random random) {
    byte[] bytes = payload;
    switch (random.nextInt(8)) {
      case 0 -> bytes = Arrays.copyOf(payload, random.nextInt(payload.length + 1));
      case 1 -> bytes = Arrays.copyOf(payload, payload.length + 1 + random.nextInt(64));
      case 2, 3 -> {
        if (payload.length > 0) {
          bytes = payload.clone();
          bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
      }
      default -> {
      }
    }
    return bytes;
  }
}
