package io.github.vertxrdma.provider.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.ffi.Errno;
import java.io.IOException;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class LinuxSocketTest {
  private static final int BOUND = 1000;

  /** Always returns the same answer, and fails a caller that asks endlessly. */
  private static final class Always implements IntSupplier {
    private final int answer;
    private int calls;

    Always(int answer) {
      this.answer = answer;
    }

    @Override
    public int getAsInt() {
      assertTrue(++calls <= BOUND, calls + " calls of one accept");
      return answer;
    }
  }

  @BeforeAll
  static void onLinux() {
    BackEnds.linux();
  }

  /** A connection that a security module refuses stays in the listener's queue. */
  @Test
  void forbiddenConnectionIsAFailure() {
    Always forbidden = new Always(-Errno.EPERM);
    assertThrows(IOException.class, () -> LinuxSocket.accept(forbidden));
    assertEquals(1, forbidden.calls);
  }

  @Test
  void acceptSkipsBoundedNumberOfClosedConnections() throws IOException {
    Always gone = new Always(-Errno.ECONNABORTED);
    assertEquals(-1, LinuxSocket.accept(gone));
    assertTrue(gone.calls > 1, gone.calls + " calls");
  }

  @Test
  void connectionBehindClosedOnesIsAccepted() throws IOException {
    int[] calls = new int[1];
    assertEquals(7, LinuxSocket.accept(() -> ++calls[0] < 3 ? -Errno.ECONNABORTED : 7));
    assertEquals(-1, LinuxSocket.accept(() -> -Errno.EAGAIN));
  }
}
