package io.github.vertxrdma.differential;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private static final Row EXIT = Row.parse("net | 20K await | exit");
  private static final Row CLOSE = Row.parse("net | 20K | close");
  private static final Row PAUSED = Row.parse("net | 20K few await | close | paused");

  private record Made(int written, List<Integer> completed, List<Integer> failed, long failedAfter, long connected, int late,
    List<Integer> received, int wrong, List<String> readerEvents, List<String> writerEvents) {

    static Made good() {
      return new Made(3, List.of(1, 2, 3), List.of(), 0, 5, 0, List.of(1, 2, 3), 0, List.of("end", "close"), List.of("close"));
    }

    Outcome outcome() {
      return new Outcome(written, completed, failed, failedAfter, connected, late, received, wrong, readerEvents, writerEvents);
    }

    Made completed(Integer... numbers) {
      return new Made(written, List.of(numbers), failed, failedAfter, connected, late, received, wrong, readerEvents, writerEvents);
    }

    Made failed(long after, Integer... numbers) {
      return new Made(written, completed, List.of(numbers), after, connected, late, received, wrong, readerEvents, writerEvents);
    }

    Made received(Integer... numbers) {
      return new Made(written, completed, failed, failedAfter, connected, late, List.of(numbers), wrong, readerEvents, writerEvents);
    }

    Made late(int completions) {
      return new Made(written, completed, failed, failedAfter, connected, completions, received, wrong, readerEvents, writerEvents);
    }

    Made connectedAfter(long millis) {
      return new Made(written, completed, failed, failedAfter, millis, late, received, wrong, readerEvents, writerEvents);
    }

    Made wrong(int messages) {
      return new Made(written, completed, failed, failedAfter, connected, late, received, messages, readerEvents, writerEvents);
    }

    Made readerEvents(String... events) {
      return new Made(written, completed, failed, failedAfter, connected, late, received, wrong, List.of(events), writerEvents);
    }

    Made writerEvents(String... events) {
      return new Made(written, completed, failed, failedAfter, connected, late, received, wrong, readerEvents, List.of(events));
    }
  }

  private static void check(boolean found, Row row, UnaryOperator<Made> stock, UnaryOperator<Made> ours) {
    List<Difference> differences = Comparison.differences(row, stock.apply(Made.good()).outcome(), ours.apply(Made.good()).outcome());
    assertEquals(found, !differences.isEmpty(), differences.toString());
  }

  private static void isFound(Row row, UnaryOperator<Made> ours) {
    check(true, row, UnaryOperator.identity(), ours);
  }

  private static void isAccepted(Row row, UnaryOperator<Made> ours) {
    check(false, row, UnaryOperator.identity(), ours);
  }

  @Test
  void equalOutcomesAreAccepted() {
    isAccepted(EXIT, UnaryOperator.identity());
    isAccepted(CLOSE, UnaryOperator.identity());
  }

  @Test
  void lostCompletedMessageIsFoundUnlessStockLosesOne() {
    isFound(EXIT, made -> made.received(1, 2));
    check(false, EXIT, made -> made.received(1), made -> made.received(1, 2));
  }

  @Test
  void messageThatDidNotCompleteMayBeLostAtAnExit() {
    check(false, Row.parse("net | 20K | exit"), UnaryOperator.identity(), made -> made.completed(1, 2).received(1, 2));
  }

  @Test
  void fewerCompletedWritesAreFoundWhenTheyAreAwaited() {
    isFound(EXIT, made -> made.completed(1, 2).received(1, 2));
  }

  @Test
  void messageMissingAfterAnAwaitedCloseIsFound() {
    isFound(CLOSE, made -> made.completed(1, 2).failed(5, 3).received(1, 2));
    isFound(CLOSE, made -> made.completed(1, 2).received(1, 2));
  }

  @Test
  void otherOrderAndRepetitionAreFound() {
    isFound(EXIT, made -> made.received(1, 3, 2));
    isFound(EXIT, made -> made.received(1, 2, 2, 3));
  }

  @Test
  void wrongBytesAreFound() {
    isFound(EXIT, made -> made.wrong(1));
  }

  @Test
  void lossIsAcceptedAfterAPauseThatEndsConnectionsOfTheBus() {
    isFound(Row.parse("publish | 64 | reader stopped 19 s"), made -> made.received(1, 2));
    isAccepted(Row.parse("publish | 64 | reader stopped 75 s"), made -> made.received(1, 2));
    isFound(Row.parse("publish | 64 | reader stopped 75 s"), made -> made.received(1, 3, 2));
  }

  @Test
  void failedWriteIsFoundUnlessStockFailsToo() {
    isFound(EXIT, made -> made.failed(5, 3));
    check(false, EXIT, made -> made.failed(5, 3), made -> made.failed(900, 3));
    check(true, EXIT, made -> made.failed(5, 3), made -> made.failed(1100, 3));
  }

  @Test
  void writeThatNeitherCompletesNorFailsIsFoundUnlessTheReaderIsPaused() {
    isFound(CLOSE, made -> made.completed(1, 2));
    isAccepted(PAUSED, made -> made.completed(1, 2));
    isAccepted(PAUSED, made -> made.readerEvents("close", "end"));
    isFound(PAUSED, made -> made.readerEvents("end"));
    isFound(CLOSE, made -> made.readerEvents("close", "end"));
    isAccepted(Row.parse("net | 20K few await | halt, reader stopped"), made -> made.completed(1, 2));
  }

  @Test
  void completionAfterTheCloseHandlerIsFound() {
    isFound(CLOSE, made -> made.late(1));
  }

  @Test
  void exceptionHandlerIsFoundUnlessStockCallsItToo() {
    isFound(EXIT, made -> made.readerEvents("exception x", "end", "close"));
    isFound(EXIT, made -> made.writerEvents("exception x", "close"));
    check(false, EXIT, made -> made.readerEvents("exception x", "close"), made -> made.readerEvents("exception y", "close"));
  }

  @Test
  void otherOrderOfHandlersAndMissingHandlerAreFound() {
    isFound(EXIT, made -> made.readerEvents("close", "end"));
    isFound(EXIT, made -> made.readerEvents("end"));
    isFound(CLOSE, made -> made.writerEvents(new String[0]));
  }

  @Test
  void lateConnectToStoppedReaderIsFound() {
    Row row = Row.parse("net | 64 await | connect, reader stopped 5 s");
    isAccepted(row, made -> made.connectedAfter(1900));
    isFound(row, made -> made.connectedAfter(20_000));
    isFound(row, made -> made.connectedAfter(-1));
  }

  private static GroupOutcome group(int exit, long ended, long stopped, int warnings, int severes, Made made) {
    return new GroupOutcome(Map.of(EXIT, made.outcome()), exit, ended, stopped, lines(warnings), lines(severes), true, null, null);
  }

  private static List<String> lines(int count) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lines.add("line " + i);
    }
    return lines;
  }

  @Test
  void linesThatStockLogsTooAreAcceptedInAnyNumber() {
    GroupOutcome stock = group(0, 100, 10, 1, 1, Made.good());
    assertEquals(List.of(), Comparison.differences(stock, group(0, 100, 10, 5, 5, Made.good())));
  }

  private static void checkGroup(boolean found, GroupOutcome ours) {
    List<Difference> differences = Comparison.differences(group(0, 100, 10, 0, 0, Made.good()), ours);
    assertEquals(found, !differences.isEmpty(), differences.toString());
  }

  @Test
  void exitCodeLogLevelsAndTimesOfProcessesAreCompared() {
    checkGroup(false, group(0, 1000, 1000, 0, 0, Made.good()));
    checkGroup(true, group(1, 100, 10, 0, 0, Made.good()));
    checkGroup(true, group(0, 1200, 10, 0, 0, Made.good()));
    checkGroup(true, group(0, -1, 10, 0, 0, Made.good()));
    checkGroup(true, group(0, 100, 2000, 0, 0, Made.good()));
    checkGroup(true, group(0, 100, 10, 1, 0, Made.good()));
    checkGroup(true, group(0, 100, 10, 0, 1, Made.good()));
  }

  @Test
  void oneWarningIsAcceptedWhereOperationsFail() {
    checkGroup(false, group(0, 100, 10, 1, 0, Made.good().failed(1, 3)));
    checkGroup(true, group(0, 100, 10, 2, 0, Made.good().failed(1, 3)));
  }

  @Test
  void differenceOfTimeIsMarked() {
    List<Difference> differences = Comparison.differences(group(0, 100, 10, 0, 0, Made.good()), group(0, 5000, 10, 0, 0, Made.good()));
    assertTrue(differences.stream().allMatch(Difference::timing), differences.toString());
  }

  @Test
  void errorOfARunIsFound() {
    GroupOutcome ours = new GroupOutcome(Map.of(), 0, 100, 10, List.of(), List.of(), true, null, "it could not connect");
    checkGroup(true, ours);
  }
}
