package io.github.vertxrdma.impl.link;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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

/** The header of a message: written with credits as by a sender, and read as by a receiver. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class FrameBenchmark {
  private final MemorySegment memory = Arena.ofAuto().allocate(4096, 64);
  private int sequence;

  @Benchmark
  public int write() {
    Frame.encode(memory, 16, Frame.DATA, 0, 1, 0, sequence++, 64, 0, 0);
    return sequence;
  }

  @Benchmark
  public int read() {
    long first = Frame.first(memory, 16);
    long second = Frame.second(memory, 16);
    int sum = Frame.format(first) + Frame.type(first) + Frame.flags(first) + Frame.sequence(second) + Frame.length(second);
    return sum + Frame.dataCredits(first) + Frame.controlCredits(first);
  }
}
