package io.github.vertxrdma.provider.shm;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZJ_Result;

/** The memory of a record is written again only after the record was read. */
@JCStressTest
@Outcome(id = "false, 1", expect = Expect.ACCEPTABLE, desc = "the ring was still full")
@Outcome(id = "true, 1", expect = Expect.ACCEPTABLE, desc = "read, then written again")
@State
public class ReuseStress extends StressedRing {
  private static final int QUARTER = Ring.SMALLEST / 4;

  public ReuseStress() {
    while (write(QUARTER, 1)) {
    }
  }

  @Actor
  public void writer(ZJ_Result result) {
    result.r1 = write(QUARTER, 2);
  }

  @Actor
  public void reader(ZJ_Result result) {
    result.r2 = read(QUARTER);
    reader.publish();
  }
}
