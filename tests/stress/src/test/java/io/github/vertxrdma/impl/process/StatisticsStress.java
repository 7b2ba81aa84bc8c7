package io.github.vertxrdma.impl.process;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A text is read whole while another takes its place. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the one before")
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "the new one")
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "none, since the writer stood still for long")
@State
public class StatisticsStress {
  private static final int LENGTH = 24;

  private final PublishedText text = new PublishedText(MemorySegment.ofArray(new long[8]));

  public StatisticsStress() {
    text.write(words(1));
  }

  /** A text that tells itself from another, by its bytes and its length. */
  private static byte[] words(int number) {
    byte[] words = new byte[number * LENGTH];
    Arrays.fill(words, (byte) number);
    return words;
  }

  @Actor
  public void writer() {
    text.write(words(2));
  }

  @Actor
  public void reader(I_Result result) {
    byte[] read = text.read();
    result.r1 = read == null ? 0 : Arrays.equals(read, words(read.length / LENGTH)) ? read.length / LENGTH : -1;
  }
}
