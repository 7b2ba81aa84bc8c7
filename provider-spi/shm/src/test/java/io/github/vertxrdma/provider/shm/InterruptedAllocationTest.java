package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
@Timeout(120)
class InterruptedAllocationTest {
  private static final int SIGURG = 23;
  private static final long ABS = Downcall.libc("abs");
  private static final long SIGNAL = Downcall.libc("signal");
  private static final long SELF = Downcall.libc("pthread_self");
  private static final long KILL = Downcall.libc("pthread_kill");
  /** Bytes whose allocation takes longer than the time between two signals. */
  private static final long BYTES = 64 << 20;
  private static final int SIGNALS = 300;
  private static final int APART_NANOS = 500_000;

  private final AtomicBoolean enough = new AtomicBoolean();
  private final AtomicInteger sent = new AtomicInteger();
  private long before;
  private Thread profiler;

  @BeforeEach
  void sendSignals() {
    before = Calls.pointer(SIGNAL, SIGURG, ABS);
    long self = Calls.pointer(SELF);
    profiler = Thread.ofPlatform().start(() -> {
      while (!enough.get()) {
        Calls.number(KILL, self, SIGURG);
        sent.incrementAndGet();
        LockSupport.parkNanos(APART_NANOS);
      }
    });
  }

  @AfterEach
  void sendNoMore() throws InterruptedException {
    enough.set(true);
    profiler.join();
    Calls.pointer(SIGNAL, SIGURG, before);
  }

  @Test
  void allOfItIsAllocated() throws Exception {
    boolean last;
    do {
      AnonymousFile file = AnonymousFile.create(BYTES, true);
      try {
        last = sent.get() >= SIGNALS;
        assertEquals(BYTES, last ? allocated(file.fd) : BYTES);
      } finally {
        file.unmap();
        file.release();
      }
    } while (!last);
  }

  private static long allocated(int fd) throws IOException {
    Process stat = new ProcessBuilder("stat", "-L", "-c", "%b", "/proc/" + ProcessHandle.current().pid() + "/fd/" + fd).start();
    return 512 * Long.parseLong(new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip());
  }
}
