package io.github.vertxrdma.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class GivenPathTest {

  @Test
  void pathIsReturned() {
    assertEquals(Path.of("/run/orders"), GivenPath.of("/run/orders", "VERTX_RDMA_RUNTIME"));
  }

  @Test
  void errorNamesTheSettingAndTheRemedy() {
    assertEquals("cannot use the path 'a\0b' of VERTX_RDMA_RUNTIME: the locale of this process has no encoding for its"
      + " characters. Start the process with LC_ALL=C.UTF-8, or name a path of ASCII characters.", message("ANSI_X3.4-1968"));
    assertEquals("cannot use the path 'a\0b' of VERTX_RDMA_RUNTIME: Nul character not allowed. Name another one.", message("UTF-8"));
  }

  private static String message(String encoding) {
    return assertThrows(IllegalArgumentException.class, () -> GivenPath.of("a\0b", "VERTX_RDMA_RUNTIME", encoding)).getMessage();
  }
}
