package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.work.Sample;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * Runs the compared programs alternately, so that a disturbance affects all of them. Excludes rounds with much stolen processor time,
 * unless no other round remains.
 */
final class Race {
  private final int runs;
  private final long nanos;
  private final Consumer<String> progress;

  Race(int runs, double seconds, Consumer<String> progress) {
    this.runs = runs;
    this.nanos = (long) (seconds * 1e9);
    this.progress = progress;
  }

  List<List<Sample>> run(List<Contender> contenders, int size) throws Exception {
    List<List<Sample>> samples = new ArrayList<>();
    contenders.forEach(contender -> samples.add(new ArrayList<>()));
    int leftOut = 0;
    for (int run = 1; run <= runs; run++) {
      List<Sample> turn = new ArrayList<>();
      for (Contender contender : contenders) {
        progress.accept(size + " bytes, run " + run + " of " + runs + ", " + contender.name());
        turn.add(contender.run(size, nanos));
      }
      if (contenders.stream().allMatch(contender -> contender.stolen() <= OtherWork.MOST_STOLEN) || leftOut == runs - 1) {
        for (int i = 0; i < turn.size(); i++) {
          samples.get(i).add(turn.get(i));
        }
      } else {
        leftOut++;
      }
    }
    if (leftOut > 0) {
      System.err.println("rdma perf: left out " + leftOut + " of " + runs + " runs in which other virtual machines took more than 3 % "
        + "of the processor time");
    }
    return samples;
  }

  static Sample median(List<Sample> samples) {
    return new Sample(median(samples, Sample::p50), median(samples, Sample::p90), median(samples, Sample::p99),
      median(samples, Sample::messages), median(samples, Sample::mebibytes), median(samples, Sample::cpu));
  }

  private static double median(List<Sample> samples, ToDoubleFunction<Sample> of) {
    return middle(samples.stream().map(of::applyAsDouble).toList());
  }

  static double middle(List<Double> figures) {
    List<Double> values = figures.stream().sorted(Comparator.naturalOrder()).toList();
    int middle = values.size() / 2;
    return values.size() % 2 == 1 ? values.get(middle) : (values.get(middle - 1) + values.get(middle)) / 2;
  }
}
