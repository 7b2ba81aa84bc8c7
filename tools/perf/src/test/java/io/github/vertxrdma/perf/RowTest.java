package io.github.vertxrdma.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.perf.work.Sample;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RowTest {
  private static final Sample FAST_MEDIAN = new Sample(1, 2, 400, 10_000, 3, 20);
  private static final Sample FAST_MEAN = new Sample(10, 12, 100, 20_000, 6, 30);

  private static Row row(String arguments) {
    return new Row(PerfArgumentsTest.parse(List.of(arguments.split(" "))), "shm", 64, FAST_MEDIAN, "tcp", FAST_MEAN);
  }

  @Test
  void ratioIsOfTheMeanUnlessOperationsArePaced() {
    assertEquals(0.5, row("bus").ratio());
    assertEquals(10, row("bus --every 20").ratio());
    assertTrue(Double.isNaN(new Row(PerfArgumentsTest.parse(List.of("bus")), "shm", 64, FAST_MEAN, null, null).ratio()));
  }

  @Test
  void goalIsJudgedByItsFigure() {
    Row row = row("bus");
    assertFalse(new Goal("", "", "tcp", Figure.MEAN, 0.51, 0).met(row));
    assertTrue(new Goal("", "", "tcp", Figure.MEAN, 0.5, 0).met(row));
    assertTrue(new Goal("", "", "tcp", Figure.CPU, 1.5, 0).met(row));
    assertFalse(new Goal("", "", "tcp", Figure.P99, 0.26, 0).met(row));
    assertTrue(new Goal("", "", "tcp", Figure.MEAN, 0, 50).met(row), "100 us and 50 us");
    assertFalse(new Goal("", "", "tcp", Figure.MEAN, 0, 49).met(row));
    assertNull(new Goal("", "", "tcp", Figure.MEAN, 0, 0).met(row));
  }

  @Test
  void tableHasALineForEachContenderAndTheRatioOfEachFigure() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream table = new PrintStream(out, true, StandardCharsets.UTF_8);
    Row.printHead(table);
    row("bus --window 16").print(table);
    assertEquals(
      List.of("mode over bytes conns window per s p50 µs p90 µs p99 µs cpu µs MiB/s",
        "bus shm 64 1 16 ours 10000 1.00 2.00 400 20.0 3.00", "tcp 20000 10.0 12.0 100 30.0 6.00", "ratio 0.50 10.0 6.00 0.25 1.50"),
      out.toString(StandardCharsets.UTF_8).lines().map(line -> line.strip().replaceAll(" +", " ")).toList());
  }

  private static Contender contender(double rate, Double... stolen) {
    return new Contender() {
      private int run;

      @Override
      public String name() {
        return "scripted";
      }

      @Override
      public Sample run(int size, long nanos) {
        run++;
        return new Sample(1, 1, 1, rate + run, 0, 0);
      }

      @Override
      public double stolen() {
        return stolen[run - 1];
      }
    };
  }

  private static List<List<Double>> rates(int runs, Contender... contenders) throws Exception {
    return PerfCommand.race(Arrays.asList(contenders), 64, runs, 0, text -> {}).stream()
      .map(samples -> samples.stream().map(Sample::messages).toList()).toList();
  }

  @Test
  void turnsWithMuchStolenTimeAreLeftOutOfAllContenders() throws Exception {
    assertEquals(List.of(List.of(103.0), List.of(203.0)), rates(3, contender(100, 0.04, 0.0, 0.03), contender(200, 0.0, 0.5, 0.0)));
    assertEquals(List.of(List.of(102.0)), rates(2, contender(100, 0.04, 0.05)), "the last stands in if no turn counts");
  }
}
