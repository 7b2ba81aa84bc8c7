package io.github.vertxrdma.provider.shm;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A writer that waits for room finds it, or is woken, while the reader reads and falls asleep. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "seen before the wait")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "woken")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "seen, and woken for nothing")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "both wait for each other")
@State
public class RoomStress extends StressedRing {
  private static final int QUARTER = Ring.SMALLEST / 4;
  private final OwnSleep readers = new OwnSleep(MemorySegment.ofArray(new long[1]));

  public RoomStress() {
    while (write(QUARTER, 1)) {
    }
  }

  @Actor
  public void writer(ZZ_Result result) {
    writer.waits(true);
    VarHandle.fullFence();
    result.r1 = writer.moved();
  }

  @Actor
  public void reader(ZZ_Result result) {
    read(QUARTER);
    reader.publish();
    readers.begin();
    result.r2 = reader.takeWriterWaits();
  }
}
