package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.work.Sample;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/** Lets contenders run in turn, so that what disturbs the machine disturbs all of them. */
final class Race {
  private final int runs;
  private final long nanos;
  private final Consumer<String> progress;

  Race(int runs, double seconds, Consumer<String> progress) {
    this.runs = runs;
    this.nanos = (long) (seconds * 1e9);
    this.progress = progress;
  }

  /** @return the samples of each contender, one for each run */
  List<List<Sample>> run(List<Contender> contenders, int size) throws Exception {
    List<List<Sample>> samples = new ArrayList<>();
    contenders.forEach(contender -> samples.add(new ArrayList<>()));
    for (int run = 0; run < runs; run++) {
      for (int i = 0; i < contenders.size(); i++) {
        progress.accept(size + " bytes, run " + (run + 1) + " of " + runs + ", " + contenders.get(i).name());
        samples.get(i).add(contenders.get(i).run(size, nanos));
      }
    }
    return samples;
  }

  /** Figure by figure. */
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
