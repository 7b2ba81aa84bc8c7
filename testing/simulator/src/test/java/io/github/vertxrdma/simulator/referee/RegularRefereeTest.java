package io.github.vertxrdma.simulator.referee;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.vertxrdma.simulator.referee.WordCall.Kind;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RegularRefereeTest {
  private static WordCall write(int client, long value, long called, long returned) {
    return new WordCall(client, Kind.WRITE, value, 0, called, returned, value);
  }

  private static WordCall read(int client, long found, long called, long returned) {
    return new WordCall(client, Kind.READ, 0, 0, called, returned, found);
  }

  private static WordCall revoke(long called, long returned) {
    return new WordCall(WordCall.OWNER, Kind.REVOKE, 0, 0, called, returned, 0);
  }

  static Stream<Arguments> right() {
    return Stream.of(
      Arguments.of("nothing", List.of()),
      Arguments.of("what was there first", List.of(read(1, 0, 1, 2))),
      Arguments.of("one after the other", List.of(write(1, 5, 1, 2), read(2, 5, 3, 4), write(2, 6, 5, 6), read(1, 6, 7, 8))),
      Arguments.of("a read amid a write finds either, in any order",
        List.of(write(1, 5, 1, 9), read(2, 5, 2, 3), read(2, 0, 4, 5), read(2, 5, 6, 7))),
      Arguments.of("of two writes at once either may be the last",
        List.of(write(1, 5, 1, 9), write(2, 6, 2, 8), read(3, 6, 10, 11), read(3, 5, 12, 13))),
      Arguments.of("an unknown one took effect late",
        List.of(write(1, 5, 1, WordCall.NEVER), write(2, 6, 2, 3), read(2, 6, 4, 5), read(2, 5, 6, 7))),
      Arguments.of("an unknown one took none", List.of(write(1, 5, 1, WordCall.NEVER), read(2, 0, 4, 5))),
      Arguments.of("a write that returned before the revoke did",
        List.of(revoke(1, 9), write(1, 5, 2, 8), read(WordCall.OWNER, 5, 10, 11))),
      Arguments.of("an unknown one before the revoke", List.of(write(1, 5, 1, WordCall.NEVER), revoke(2, 3), read(WordCall.OWNER, 5, 4, 5),
        read(WordCall.OWNER, 5, 6, 7))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("right")
  void finds(String what, List<WordCall> calls) {
    assertNull(RegularReferee.judge(calls), what);
  }

  static Stream<Arguments> wrong() {
    return Stream.of(
      Arguments.of("a read finds what nobody wrote", List.of(write(1, 5, 1, 2), read(2, 4, 3, 4))),
      Arguments.of("a read finds what was written later", List.of(read(2, 5, 1, 2), write(1, 5, 3, 4))),
      Arguments.of("a write is lost", List.of(write(1, 5, 1, 2), read(2, 0, 3, 4))),
      Arguments.of("a read finds what was replaced", List.of(write(1, 5, 1, 2), write(2, 6, 3, 4), read(1, 5, 5, 6))),
      Arguments.of("a read after the revoke", List.of(revoke(1, 2), read(1, 0, 3, 4))),
      Arguments.of("a write after the revoke", List.of(revoke(1, 2), write(1, 5, 3, 4))),
      Arguments.of("an unknown one takes effect after the revoke",
        List.of(write(1, 5, 1, WordCall.NEVER), revoke(2, 3), read(WordCall.OWNER, 0, 4, 5),
          read(WordCall.OWNER, 5, 6, 7))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("wrong")
  void findsNot(String what, List<WordCall> calls) {
    assertNotNull(RegularReferee.judge(calls), what);
  }
}
