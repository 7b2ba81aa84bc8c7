package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.nic.Nic;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Base of benchmarks with 64-byte messages and reads on the verbs device in user space, which executes requests during their post. Reports
 * the median, which excludes invocations that another process interrupted.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 8, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public abstract class UserSpaceBenchmark {
  static final int SIZE = 64;
  /** Operations of an invocation, few enough to end before other processes interrupt them. */
  static final int TIMES = 1000;
  /** Messages of a burst, few enough for the peer's credits and the send queue, so that each message has its own work request. */
  static final int BURST = 16;
  static final int BURSTS = 64;

  /**
   * Makes this process's verbs provider use the device's libraries.
   *
   * @throws IllegalStateException with the reason if the device cannot be built here
   */
  static Nic device() {
    Nic nic = Nic.built();
    if (nic.missing() != null) {
      throw new IllegalStateException(nic.missing());
    }
    nic.provide(Nic.DEFAULT);
    return nic;
  }
}
