package io.github.vertxrdma.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.perf.PingMeasurement.Outcome;
import io.github.vertxrdma.perf.PingMeasurement.Second;
import io.github.vertxrdma.perf.work.Sample;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PingMeasurementTest {

  private static Second second(double rate, double stolen) {
    return new Second(new Sample(1, 1, 1, rate, 0, 1), stolen);
  }

  @Test
  void secondsWithMuchStolenTimeAreLeftOutAndCounted() {
    List<Second> seconds = Stream.concat(IntStream.rangeClosed(1, 39).mapToObj(i -> second(i * 100, 0.03)),
      Stream.of(second(1, 0.031), second(9999, 0.5))).toList();
    Outcome outcome = new Outcome("busy", seconds);
    assertEquals(2, outcome.leftOut());
    assertEquals(2000, outcome.median().messages());
    assertEquals(200, outcome.fifthPercentile());
  }

  @Test
  void stolenTimeIsAShareOfAllTicks() {
    long[] before = OtherWork.ticks("cpu  100 10 20 1000 50 7 3 10 0 0");
    assertEquals(0.05, OtherWork.stolen(before, OtherWork.ticks("cpu  150 10 20 1100 50 7 33 20 0 0")), 0.003);
    assertEquals(0, OtherWork.stolen(before, new long[0]));
  }
}
