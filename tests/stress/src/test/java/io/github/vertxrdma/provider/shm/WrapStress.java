package io.github.vertxrdma.provider.shm;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** A record after padding, at the start of the ring, is read complete or not at all. */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "read before it was published")
@Outcome(id = "7", expect = Expect.ACCEPTABLE, desc = "whole")
@State
public class WrapStress extends StressedRing {
  private static final int LONG = 3000;

  public WrapStress() {
    for (int i = 0; i < Ring.SMALLEST / LONG; i++) {
      write(LONG, 1);
      read(LONG);
    }
    reader.publish();
  }

  @Actor
  public void writer() {
    write(LONG, 7);
  }

  @Actor
  public void reader(J_Result result) {
    result.r1 = read(LONG);
  }
}
