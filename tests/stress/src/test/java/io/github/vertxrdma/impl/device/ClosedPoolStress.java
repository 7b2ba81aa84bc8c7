package io.github.vertxrdma.impl.device;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A pool is closed while its memory is released on two threads: the slab is freed once, after the last release. */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "freed once, and nothing is lent")
@State
public class ClosedPoolStress extends StressedPool {

  @Actor
  public void one() {
    first.release();
  }

  @Actor
  public void other() {
    second.release();
  }

  @Actor
  public void loop() {
    pool.close();
  }

  @Arbiter
  public void end(II_Result result) {
    result.r1 = arena.closes;
    result.r2 = pool.taken();
  }
}
