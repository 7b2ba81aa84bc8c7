package io.github.vertxrdma.impl.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Texts whose writer stops in the middle, as a busy machine makes it. */
@Timeout(60)
class PublishedTextTest {
  private final MemorySegment memory = Arena.ofAuto().allocate(64, 8);
  private final PublishedText text = new PublishedText(memory);

  /** Several times at most, since this thread may itself be the one that comes back too late. */
  @Test
  void aWriterThatComesBackIsWaitedFor() throws Exception {
    text.write(bytes("before"));
    byte[] read = null;
    for (int i = 0; i < 20 && read == null; i++) {
      read = readAmidWriting();
    }
    assertEquals("before", new String(read, StandardCharsets.US_ASCII));
  }

  private byte[] readAmidWriting() throws Exception {
    int version = memory.get(ValueLayout.JAVA_INT, 0);
    memory.set(ValueLayout.JAVA_INT, 0, version + 1);
    CompletableFuture<byte[]> read = new CompletableFuture<>();
    Thread reader = Thread.ofPlatform().start(() -> read.complete(text.read()));
    while (reader.getState() != Thread.State.TIMED_WAITING && !read.isDone()) {
      Thread.onSpinWait();
    }
    memory.set(ValueLayout.JAVA_INT, 0, version + 2);
    return read.get(20, TimeUnit.SECONDS);
  }

  @Test
  void oneThatDoesNotIsGivenUp() {
    assertNull(text.read(), "nothing was written");
    text.write(bytes("before"));
    memory.set(ValueLayout.JAVA_INT, 0, 3);
    assertNull(text.read());
  }

  private static byte[] bytes(String words) {
    return words.getBytes(StandardCharsets.US_ASCII);
  }
}
