package io.github.vertxrdma.impl.device;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;

/** Two threads release memory while the loop allocates: each released block is allocated again once. */
@JCStressTest
@Outcome(id = "true, 1", expect = Expect.ACCEPTABLE, desc = "one was back in time, and the other is there")
@Outcome(id = "false, 2", expect = Expect.ACCEPTABLE, desc = "none was back in time, and both are there")
@State
public class LentMemoryStress extends StressedPool {

  @Actor
  public void one() {
    first.release();
  }

  @Actor
  public void other() {
    second.release();
  }

  @Actor
  public void loop(ZI_Result result) {
    result.r1 = pool.take(RegisteredBufferPool.UNIT) != null;
  }

  @Arbiter
  public void end(ZI_Result result) {
    while (pool.take(RegisteredBufferPool.UNIT) != null) {
      result.r2++;
    }
  }
}
