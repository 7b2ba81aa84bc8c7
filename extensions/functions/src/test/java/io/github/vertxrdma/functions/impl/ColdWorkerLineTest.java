package io.github.vertxrdma.functions.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lines that a worker process prints. */
@Timeout(60)
class ColdWorkerLineTest {

  @Test
  void linesAreReadUpToTheirEnd() throws IOException {
    Reader output = new StringReader("{}\n\nlast");
    assertEquals("{}", ColdWorker.line(output, 10));
    assertEquals("", ColdWorker.line(output, 10));
    assertEquals("last", ColdWorker.line(output, 4));
    assertNull(ColdWorker.line(output, 10));
  }

  @Test
  void aLineThatDoesNotEndIsGivenUp() {
    Reader endless = new Reader() {
      @Override
      public int read(char[] into, int at, int length) {
        into[at] = 'x';
        return 1;
      }

      @Override
      public void close() {
        // Has no resources.
      }
    };
    assertThrows(IOException.class, () -> ColdWorker.line(endless, 1 << 20));
  }
}
