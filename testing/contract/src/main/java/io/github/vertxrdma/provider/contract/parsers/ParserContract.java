package io.github.vertxrdma.provider.contract.parsers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Tests that parsers accept or refuse any bytes within limits of time and memory. A failure prints the input for the {@link Corpus}. System
 * properties {@code parsers.seed} and {@code parsers.inputs} change the inputs.
 */
public interface ParserContract {
  int INPUTS = 20_000;
  int MANY_INPUTS = 10_000_000;

  List<Parser> parsers();

  @TestFactory
  default Stream<DynamicTest> recordedInputIsAcceptedOrRefused() {
    return parsers().stream().map(parser -> DynamicTest.dynamicTest(parser.name(), () -> {
      Trial trial = new Trial(parser);
      for (Corpus.Input input : Corpus.of(parser.name())) {
        trial.run(input.bytes());
      }
    }));
  }

  @Test
  default void hasAParserForEachCorpus() throws IOException {
    assertEquals(Corpus.names(), parsers().stream().map(Parser::name).sorted().toList());
  }

  /** Uses a fixed seed, so that only a changed parser can fail. */
  @TestFactory
  default Stream<DynamicTest> mutatedInputIsAcceptedOrRefused() {
    return mutations(Long.getLong("parsers.seed", 1), Integer.getInteger("parsers.inputs", INPUTS));
  }

  @TestFactory
  @Tag("long")
  default Stream<DynamicTest> manyMutatedInputsAreAcceptedOrRefused() {
    return mutations(Long.getLong("parsers.seed", System.nanoTime()), Integer.getInteger("parsers.inputs", MANY_INPUTS));
  }

  private Stream<DynamicTest> mutations(long seed, int most) {
    return parsers().stream().map(parser -> DynamicTest.dynamicTest(parser.name() + ", seed " + seed, () -> {
      List<byte[]> corpus = new ArrayList<>();
      Corpus.of(parser.name()).forEach(input -> corpus.add(input.bytes()));
      Mutator mutator = new Mutator(corpus, seed);
      int inputs = most / parser.cost();
      long started = System.nanoTime();
      int taken = new Trial(parser).run(mutator, inputs);
      long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started));
      System.out.println(parser.name() + ": " + inputs + " inputs from seed " + seed + ", " + taken + " accepted, "
        + inputs * 1000L / millis
        + " a second");
    }));
  }
}
