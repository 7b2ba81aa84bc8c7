package io.github.vertxrdma.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.impl.link.LinkState;
import io.netty.buffer.Unpooled;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Compares the effect of each frame in each state of a link in the docs, in the code, and on the wire. */
@Timeout(120)
class StatesTest {
  private static final Path PAGE = Path.of("../docs/protocol.adoc");
  private static final int REGION = Frame.REGION_BASE;

  /** Ways into a state of the accepting side, for a raw peer that has just connected. */
  private static final Map<LinkState, Way> WAYS = ways();

  @FunctionalInterface
  private interface Way {
    RawPeer into(Victim victim);
  }

  private static Map<LinkState, Way> ways() {
    Map<LinkState, Way> ways = new EnumMap<>(LinkState.class);
    ways.put(LinkState.GREETING_AWAITED, Victim::stranger);
    ways.put(LinkState.DECIDING, victim -> victim.proven("wait"));
    ways.put(LinkState.OPEN, victim -> victim.proven("accept"));
    ways.put(LinkState.FLUSHING, victim -> {
      RawPeer peer = more(victim);
      victim.end().link.close((v, cause) -> {});
      victim.settle();
      return peer;
    });
    ways.put(LinkState.CLOSE_SENT, victim -> {
      RawPeer peer = victim.proven("accept");
      victim.end().link.close((v, cause) -> {});
      victim.settle();
      return peer;
    });
    ways.put(LinkState.CLOSE_CROSSED, victim -> {
      RawPeer peer = WAYS.get(LinkState.CLOSE_SENT).into(victim);
      peer.send(Frame.CLOSE, 0, 0, 0, Victim.NONE);
      victim.settle();
      return peer;
    });
    ways.put(LinkState.PEER_CLOSING, victim -> {
      RawPeer peer = victim.proven("accept");
      peer.send(Frame.DATA, Frame.SEGMENT, Frame.piece(20_000, 0), 0, new byte[10_000]);
      peer.send(Frame.CLOSE, 0, 0, 0, Victim.NONE);
      victim.settle();
      return peer;
    });
    ways.put(LinkState.PEER_ENDED, victim -> {
      RawPeer peer = victim.proven("accept");
      victim.end().link.peerDead("a test says so", true);
      return peer;
    });
    ways.put(LinkState.ACKNOWLEDGED, victim -> {
      RawPeer peer = more(victim);
      peer.send(Frame.CLOSE, 0, 0, 0, Victim.NONE);
      victim.settle();
      return peer;
    });
    return ways;
  }

  private static RawPeer more(Victim victim) {
    RawPeer peer = victim.proven("accept");
    for (int i = 0; i < 100; i++) {
      victim.end().link.send(Unpooled.wrappedBuffer(new byte[10_000]), null);
    }
    return peer;
  }

  /** @param next states that may follow, besides CLOSED */
  private record TableRow(Set<String> frames, Set<String> next) {
  }

  @Test
  void tableInDocsEqualsTableInCode() throws Exception {
    String page = Files.readString(PAGE);
    Map<String, TableRow> table = new LinkedHashMap<>();
    Matcher row = Pattern.compile("^\\| ([A-Z_]{4,}) \\| [^|\\n]+ \\|([A-Z_ ]*)\\|([A-Z_ ]*)$", Pattern.MULTILINE).matcher(page);
    while (row.find()) {
      table.put(row.group(1), new TableRow(words(row.group(2)), words(row.group(3))));
    }
    Map<String, TableRow> code = new LinkedHashMap<>();
    for (LinkState state : LinkState.values()) {
      Set<String> frames = new TreeSet<>();
      IntStream.range(0, Long.SIZE).filter(type -> Frame.isIn(state.frames, type))
        .forEach(type -> frames.add(type >= REGION ? "REGION" : Frame.name(type)));
      code.put(state.name(),
        new TableRow(frames, state.next().stream().map(LinkState::name).collect(Collectors.toCollection(TreeSet::new))));
    }
    assertEquals(code, table);
  }

  private static Set<String> words(String cell) {
    return new TreeSet<>(cell.isBlank() ? Set.of() : Set.of(cell.trim().split(" +")));
  }

  @TestFactory
  Stream<DynamicTest> eachFrameInEachState() {
    return WAYS.entrySet().stream().flatMap(way -> eachFrame(way.getKey(), way.getKey().name(), way.getValue()));
  }

  @TestFactory
  Stream<DynamicTest> eachFrameAfterRefusal() {
    return eachFrame(LinkState.DECIDING, "DECIDING after a refusal", victim -> victim.proven("refuse"));
  }

  private static Stream<DynamicTest> eachFrame(LinkState state, String name, Way way) {
    return IntStream.of(types()).mapToObj(type -> DynamicTest.dynamicTest(Frame.name(type) + " in "
      + name, () -> tried(state, way, type)));
  }

  private static int[] types() {
    return IntStream
      .concat(IntStream.rangeClosed(0, 18), IntStream.of(31, 32, REGION + Frame.REGION_TYPES - 1, REGION + Frame.REGION_TYPES, 63,
        64, 200, 255))
      .toArray();
  }

  private static void tried(LinkState state, Way way, int type) {
    long frames = state.frames & LinkState.framesOf(false);
    try (Victim victim = new Victim()) {
      RawPeer peer = way.into(victim);
      assertNull(peer.over(), "the way into the state");
      peer.take();
      byte[] payload = switch (type) {
        case Frame.HELLO, Frame.WELCOME -> Victim.hello("accept").encode();
        case Frame.RKEY -> peer.key();
        default -> Victim.NONE;
      };
      boolean named = type == Frame.RTS;
      if (named && Frame.isIn(frames, Frame.RTS)) {
        peer.send(Frame.RKEY, 0, 7, 1 << 16, peer.key());
      }
      peer.sendClaiming(type, 0, named ? 100 : payload.length, named ? Frame.piece(100, 0) : 7, type == Frame.RKEY ? 1 << 16 : 7L << 48,
        payload);
      if (state == LinkState.PEER_ENDED) {
        // The link ends 20 ms after the last frame.
        victim.pass(TimeUnit.MILLISECONDS.toNanos(10));
      } else {
        victim.settle();
      }
      boolean meant = Frame.isIn(frames, type);
      boolean refused = peer.over() != null;
      if (!meant) {
        assertTrue(refused, "it has no meaning, and was taken");
        if (state.isOpen()) {
          assertEquals(Reason.PROTOCOL, ((RdmaException) victim.end().cause).reason());
          assertTrue(victim.end().cause.getMessage().contains("not allowed in state " + state), victim.end().cause.getMessage());
        }
      } else if (refused && state.isOpen()) {
        assertTrue(Set.of(Frame.PONG, Frame.END_ACK, Frame.CLOSE, Frame.CLOSE_ACK).contains(type) || type >= REGION,
          () -> "refused: " + victim.end().cause);
      }
      victim.assertHonest();
    }
  }
}
