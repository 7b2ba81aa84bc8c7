package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Registered slots: taking and returning one, and passing one through a post and its completion. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class SlotBenchmark {
  private static final int SLOT = 16 << 10;
  private static final int SLOTS = 64;

  private final RequestTable requests = new RequestTable();
  private final InFlight inFlight = new InFlight();
  private final SlotPool<Slot> pool = new SlotPool<>(requests, SLOT, SLOTS, Plain::new);

  public SlotBenchmark() {
    Arena arena = Arena.ofAuto();
    pool.add(new SlotPool.Slab(arena, new Memory(arena.allocate((long) SLOT * SLOTS, 4096))));
  }

  @Benchmark
  public Slot takeAndRelease() {
    Slot slot = pool.take();
    pool.release(slot);
    return slot;
  }

  @Benchmark
  public Request takePostCompleteRelease() {
    Slot slot = pool.take();
    inFlight.add(slot);
    Request completed = requests.find(slot.id());
    inFlight.remove(completed);
    pool.release(slot);
    return completed;
  }

  private static final class Plain extends Slot {
    Plain(MemoryRegion region, long offset, int size, int slab) {
      super(region, offset);
    }
  }

  /** Memory that belongs to no device. */
  private record Memory(MemorySegment segment) implements MemoryRegion {
    @Override
    public long size() {
      return segment.byteSize();
    }

    @Override
    public Set<Access> access() {
      return Set.of();
    }

    @Override
    public long remoteAddress() {
      return 0;
    }

    @Override
    public byte[] remoteKey() {
      return new byte[0];
    }

    @Override
    public void close() {
    }
  }
}
