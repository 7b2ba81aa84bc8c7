package io.github.vertxrdma.functions.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CodeLoaderTest {
  private static final byte[] ZEROS = new byte[1 << 20];
  private static final int MOST_ENTRIES = 256;

  /** A small jar can have entries that need much more memory. */
  @Test
  void codeThatIsLargeWhenUnpackedIsRefused() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JarOutputStream out = new JarOutputStream(bytes)) {
      out.setLevel(Deflater.BEST_SPEED);
      for (int i = 0; i < MOST_ENTRIES; i++) {
        out.putNextEntry(new JarEntry("zeros-" + i));
        out.write(ZEROS);
      }
      out.putNextEntry(new JarEntry("one-more"));
      out.write(0);
    }
    assertEquals("the code has more than 268435456 bytes when unpacked",
      assertThrows(IOException.class, () -> new CodeLoader(bytes.toByteArray(), null)).getMessage());
  }
}
