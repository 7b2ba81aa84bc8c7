package io.github.vertxrdma.simulator.referee;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.vertxrdma.simulator.referee.WordCall.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class RefereeTest {
  private static WordCall add(int client, long add, long found, long called, long returned) {
    return new WordCall(client, Kind.ADD, add, 0, called, returned, found);
  }

  private static WordCall exchange(int client, long expected, long value, long found, long called, long returned) {
    return new WordCall(client, Kind.EXCHANGE, expected, value, called, returned, found);
  }

  private static WordCall read(int client, long found, long called, long returned) {
    return new WordCall(client, Kind.READ, 0, 0, called, returned, found);
  }

  private static WordCall revoke(long called, long returned) {
    return new WordCall(WordCall.OWNER, Kind.REVOKE, 0, 0, called, returned, 0);
  }

  private static WordCall lost(WordCall call) {
    return new WordCall(call.client(), call.kind(), call.first(), call.second(), call.called(), WordCall.NEVER, 0);
  }

  static Stream<Arguments> right() {
    return Stream.of(
      Arguments.of("nothing", List.of()),
      Arguments.of("one after the other", List.of(add(1, 5, 0, 1, 2), add(2, 1, 5, 3, 4), exchange(1, 6, 9, 6, 5, 6))),
      Arguments.of("at once, in the other order", List.of(add(1, 5, 1, 1, 9), add(2, 1, 0, 2, 8))),
      Arguments.of("an exchange that found another value", List.of(add(1, 5, 0, 1, 2), exchange(1, 6, 9, 5, 3, 4), add(1, 0, 5, 5, 6))),
      Arguments.of("an unknown addition took effect late", List.of(lost(add(1, 5, 0, 1, 2)), add(2, 1, 0, 3, 4), add(2, 1, 6, 5, 6))),
      Arguments.of("an unknown addition took none", List.of(lost(add(1, 5, 0, 1, 2)), add(2, 1, 0, 3, 4), add(2, 1, 1, 5, 6))),
      Arguments.of("two of three unknown ones took effect", List.of(lost(add(1, 5, 0, 1, 2)), lost(add(2, 7, 0, 1, 2)),
        lost(add(3, 9, 0, 1, 2)), add(4, 1, 14, 3, 4))),
      Arguments.of("reads see concurrent additions in orders of their own",
        List.of(add(1, 5, 0, 1, 9), read(2, 5, 2, 3), read(2, 0, 4, 5))),
      Arguments.of("a call that returned before the revoke did", List.of(revoke(1, 9), add(1, 5, 0, 2, 8))),
      Arguments.of("the owner after the revoke", List.of(revoke(1, 2), add(WordCall.OWNER, 5, 0, 3, 4), read(WordCall.OWNER, 5, 5, 6))),
      Arguments.of("an unknown one before the revoke", List.of(lost(add(1, 5, 0, 1, 2)), revoke(3, 4), read(WordCall.OWNER, 5, 5, 6))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("right")
  void finds(String what, List<WordCall> calls) {
    assertNull(Referee.judge(calls), what);
  }

  static Stream<Arguments> wrong() {
    return Stream.of(
      Arguments.of("two additions found the same", List.of(add(1, 5, 0, 1, 9), add(2, 1, 0, 2, 8))),
      Arguments.of("an addition is lost", List.of(add(1, 5, 0, 1, 2), add(2, 1, 0, 3, 4))),
      Arguments.of("an addition was done twice", List.of(add(1, 5, 5, 1, 2), add(2, 1, 10, 3, 4))),
      Arguments.of("an unknown one took effect twice", List.of(lost(add(1, 5, 0, 1, 2)), add(2, 1, 10, 3, 4))),
      Arguments.of("an unknown one took effect before it was called", List.of(add(2, 1, 5, 1, 2), lost(add(1, 5, 0, 3, 4)))),
      Arguments.of("an exchange set what it did not find", List.of(exchange(1, 7, 9, 0, 1, 2), add(1, 0, 9, 3, 4))),
      Arguments.of("two exchanges found the same", List.of(exchange(1, 0, 9, 0, 1, 9), exchange(2, 0, 8, 0, 1, 9))),
      Arguments.of("a read finds what is not there any more", List.of(add(1, 5, 0, 1, 2), read(2, 0, 3, 4))),
      Arguments.of("a read finds what was never there", List.of(add(1, 5, 0, 1, 9), read(2, 3, 2, 8))),
      Arguments.of("a call after the revoke", List.of(revoke(1, 2), add(1, 5, 0, 3, 4))),
      Arguments.of("a read after the revoke", List.of(revoke(1, 2), read(1, 0, 3, 4))),
      Arguments.of("an unknown one took effect after the revoke",
        List.of(lost(add(1, 5, 0, 1, 2)), revoke(3, 4), read(WordCall.OWNER, 0, 5, 6),
          read(WordCall.OWNER, 5, 7, 8))),
      Arguments.of("a call at the time of the revoke that the owner sees too late", List.of(lost(add(1, 5, 0, 1, 2)), revoke(3, 4),
        add(WordCall.OWNER, 1, 0, 5, 6), add(WordCall.OWNER, 1, 6, 7, 8))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("wrong")
  void findsNot(String what, List<WordCall> calls) {
    assertNotNull(Referee.judge(calls), what);
  }

  /** Judges calls of many clients with lost answers, and then the same calls with one answer changed. */
  @Test
  void longHistoriesAreJudged() {
    Random random = new Random(1);
    for (int round = 0; round < 50; round++) {
      List<WordCall> calls = new ArrayList<>();
      long word = 0;
      for (int i = 0; i < 1000; i++) {
        long add = 1 + random.nextInt(1 << 20);
        WordCall call = add(i, add, word, 10 * i - random.nextInt(80), 10 * i + random.nextInt(80));
        boolean isLost = i > 100 && random.nextInt(50) == 0 && calls.stream().filter(c -> !c.isKnown()).count() < 16;
        word += isLost && random.nextBoolean() ? 0 : add;
        calls.add(isLost ? lost(call) : call);
      }
      assertNull(Referee.judge(calls));
      int changed = random.nextInt(100);
      WordCall call = calls.get(changed);
      calls.set(changed, add(call.client(), call.first(), call.found() + 1, call.called(), call.returned()));
      assertNotNull(Referee.judge(calls));
    }
  }

  @Test
  void saysWhatDoesNotFit() {
    assertEquals("with 1 calls left the word is State[value=5, revoked=false], and none of these comes next: "
      + "[client 2 adds 1 and finds 0 [3, 4]]", Referee.judge(List.of(add(1, 5, 0, 1, 2), add(2, 1, 0, 3, 4))));
  }
}
