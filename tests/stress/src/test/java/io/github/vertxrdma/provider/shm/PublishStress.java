package io.github.vertxrdma.provider.shm;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** Records are read complete and in order, or not at all. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "read before it was published")
@Outcome(id = {"1, 0", "0, 1"}, expect = Expect.ACCEPTABLE, desc = "the first alone")
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "both")
@State
public class PublishStress extends StressedRing {

  @Actor
  public void writer() {
    write(RECORD, 1);
    write(RECORD, 2);
  }

  @Actor
  public void reader(JJ_Result result) {
    result.r1 = read(RECORD);
    result.r2 = read(RECORD);
  }
}
