package io.github.vertxrdma.impl.region;

import static io.github.vertxrdma.impl.region.Effect.ANSWERED;
import static io.github.vertxrdma.impl.region.Effect.EXECUTED;
import static io.github.vertxrdma.impl.region.Effect.IGNORED;
import static io.github.vertxrdma.impl.region.Effect.REFUSED;
import static io.github.vertxrdma.impl.region.Effect.VIOLATION;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.hostile.RawPeer;
import io.github.vertxrdma.impl.link.RegionFrames;
import io.vertx.core.Future;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Compares the effect of every region frame in every state in the docs, in the code, and on the wire. */
@Timeout(120)
class RegionStatesTest {
  private static final Path PAGE = Path.of("../docs/protocol.adoc");
  private static final int[] OF_HOLDERS = {RegionFrames.NOTIFY, RegionFrames.READ_DONE, RegionFrames.ATOMIC, RegionFrames.WRITE_NOTIFY,
    RegionFrames.CLOSE};
  private static final int[] OF_OWNERS = {RegionFrames.GRANT, RegionFrames.REVOKE, RegionFrames.REKEY};

  @Test
  void theDocsHaveTheTablesOfTheCode() throws Exception {
    String page = Files.readString(PAGE);
    List<String> rows = new ArrayList<>();
    Matcher row = Pattern.compile("^\\| ([A-Z]{4,}) \\| [^|\\n]+ ((?:\\| [a-z]+ ?){2,3})$", Pattern.MULTILINE).matcher(page);
    while (row.find()) {
      rows.add(row.group(1) + ' ' + row.group(2).trim());
    }
    List<String> code = new ArrayList<>();
    for (OwnerState state : OwnerState.values()) {
      code.add(state + words(state.of(RegionFrames.NOTIFY), state.of(RegionFrames.CLOSE)));
    }
    for (HolderState state : HolderState.values()) {
      code.add(state + words(Arrays.stream(OF_OWNERS).mapToObj(state::of).toArray(Effect[]::new)));
    }
    assertEquals(code, rows);
  }

  private static String words(Effect... effects) {
    StringBuilder words = new StringBuilder();
    for (Effect effect : effects) {
      words.append(" | ").append(effect.name().toLowerCase(Locale.ROOT));
    }
    return words.toString();
  }

  @TestFactory
  Stream<DynamicTest> eachFrameOfAHolderInEachState() {
    return Stream.of(OwnerState.values()).flatMap(state -> IntStream.of(OF_HOLDERS).mapToObj(type -> DynamicTest
      .dynamicTest(RegionFrames.name(type) + " in " + state, () -> assertEquals(state.of(type), ofHolder(state, type)))));
  }

  private static long into(OwnerState state, RegionWorld world, RawPeer peer, OwnedRegion region) {
    if (state == OwnerState.NONE) {
      return 4711;
    }
    if (state == OwnerState.OFFERED) {
      world.ends.getLast().peer.grant(DirectCaller.INSTANCE, region, Set.of(RegionAccess.values()), null);
      world.settle();
      return RegionDescription.decode(world.last(peer, RegionFrames.GRANT).payload()).handle();
    }
    long handle = world.open(peer, region).handle();
    switch (state) {
      case REKEYING -> region.exposures.rekey(world.domain);
      case REVOKING -> region.revoke(Duration.ofMillis(20_000));
      default -> {
      }
    }
    world.settle();
    return handle;
  }

  private static Effect ofHolder(OwnerState state, int type) {
    try (RegionWorld world = new RegionWorld()) {
      OwnedRegion region = world.share("table", 64, RegionAccess.values());
      AtomicInteger told = new AtomicInteger();
      region.notificationHandler(n -> told.incrementAndGet());
      RawPeer peer = world.peer("raw");
      long handle = into(state, world, peer, region);
      world.take(peer);
      int holders = region.holders().size();
      peer.send(type, 0, 99, handle, switch (type) {
        case RegionFrames.CLOSE -> RegionWorld.NONE;
        case RegionFrames.WRITE_NOTIFY -> RegionFrames.writeNotify(0, 1, 8);
        default -> RegionFrames.words(0, 8, 1);
      });
      world.settle();
      world.assertHonest();
      RawPeer.Received reply = world.reply(peer);
      if (peer.over() != null) {
        assertNamed(world.ends.getLast(), type, state.toString());
        return VIOLATION;
      }
      if (reply != null && reply.flags() != RegionFrames.OK) {
        assertEquals(99, reply.a());
        assertEquals(RegionFrames.REVOKED, reply.flags());
        return REFUSED;
      }
      return told.get() + region.getAcquire(0) > 0 || region.holders().size() < holders ? EXECUTED : IGNORED;
    }
  }

  private static void assertNamed(RegionWorld.End end, int type, String state) {
    RdmaException cause = (RdmaException) end.cause;
    assertEquals(Reason.PROTOCOL, cause.reason());
    assertTrue(cause.getMessage().contains("raw") && cause.getMessage().contains(RegionFrames.name(type))
      && cause.getMessage().contains("is not allowed in state " + state), cause.getMessage());
  }

  @TestFactory
  Stream<DynamicTest> eachFrameOfAnOwnerInEachState() {
    return Stream.of(HolderState.values()).flatMap(state -> IntStream.of(OF_OWNERS).mapToObj(
      type -> DynamicTest.dynamicTest(RegionFrames.name(type) + " in "
        + state, () -> assertEquals(state.of(type), ofOwner(state, type)))));
  }

  private static Effect ofOwner(HolderState state, int type) {
    try (RegionWorld world = new RegionWorld()) {
      RawPeer peer = world.peer("raw");
      RegionWorld.End end = world.ends.getLast();
      List<RemoteRegion> granted = new ArrayList<>();
      end.peer.grantHandler(DirectCaller.INSTANCE, granted::add);
      RegionToken token = RegionToken.of(peer.memory());
      RegionDescription description = new RegionDescription(77, "raw", 64, Set.of(RegionAccess.READ), "owner", 1, token);
      byte[] rekey = RegionFrames.rekey(2, token.encode());
      Future<RemoteRegion> opening = end.peer.open(DirectCaller.INSTANCE, 1, null, 0);
      world.settle();
      peer.send(RegionFrames.REPLY, RegionFrames.OK, world.last(peer, RegionFrames.OPEN).a(), 0, description.encode());
      RemoteRegion region = world.now(opening);
      AtomicInteger revoked = new AtomicInteger();
      region.closeHandler(v -> revoked.incrementAndGet());
      world.device.hold(true);
      Future<?> under = state == HolderState.OPEN ? Future.succeededFuture() : region.read(0, 8);
      world.settle();
      switch (state) {
        case NONE -> {
          world.device.release();
          world.now(region.close());
        }
        case REKEYING -> peer.send(RegionFrames.REKEY, 0, 5, 77, rekey);
        case REVOKED -> peer.send(RegionFrames.REVOKE, 0, 5, 77, RegionWorld.NONE);
        default -> {
        }
      }
      world.settle();
      int before = revoked.get();
      world.take(peer);
      peer.send(type, 0, 99, type == RegionFrames.GRANT ? 0 : 77, switch (type) {
        case RegionFrames.GRANT -> description.encode();
        case RegionFrames.REKEY -> rekey;
        default -> RegionWorld.NONE;
      });
      world.settle();
      if (peer.over() != null) {
        RdmaException cause = (RdmaException) end.cause;
        assertEquals(Reason.PROTOCOL, cause.reason());
        assertTrue(cause.getMessage().contains(RegionFrames.name(type)), cause.getMessage());
        return VIOLATION;
      }
      boolean waits = world.reply(peer) == null;
      assertEquals(!under.isComplete(), waits, "an answer may come when nothing uses the key any more, and not before");
      world.device.release();
      world.settle();
      if (waits) {
        assertEquals(RegionFrames.OK, world.take(peer).stream().filter(frame -> frame.a() == 99).findFirst().orElseThrow().flags());
      }
      world.device.hold(false);
      world.assertHonest();
      boolean rekeyed = type == RegionFrames.REKEY && state == HolderState.OPEN && world.now(region.read(0, 8)).length() == 8;
      return revoked.get() > before || !granted.isEmpty() || rekeyed ? EXECUTED : ANSWERED;
    }
  }
}
