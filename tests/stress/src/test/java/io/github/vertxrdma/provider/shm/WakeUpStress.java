package io.github.vertxrdma.provider.shm;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A reader that falls asleep while a record is published finds the record, or is woken. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "woken")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "seen before the sleep")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "seen, and woken for nothing")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "slept through")
@State
public class WakeUpStress extends StressedRing {
  private final MemorySegment page = MemorySegment.ofArray(new long[1]);
  private final OwnSleep own = new OwnSleep(page);

  @Actor
  public void writer(ZZ_Result result) {
    write(RECORD, 1);
    result.r1 = RingOutput.sleepToEnd(page, 0) != 0;
  }

  @Actor
  public void reader(ZZ_Result result) {
    own.begin();
    result.r2 = reader.hasNext();
  }
}
