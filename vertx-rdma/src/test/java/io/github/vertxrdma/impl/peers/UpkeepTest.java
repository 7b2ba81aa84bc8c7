package io.github.vertxrdma.impl.peers;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files are checked only when others remove or change them. */
@Timeout(120)
class UpkeepTest {
  /** More than the first pause between checks without events. */
  private static final long IDLE_MILLIS = 7_000;

  private final VertxInternal vertx = (VertxInternal) Vertx.vertx();
  private final AtomicInteger looks = new AtomicInteger();

  @TempDir
  Path temp;
  private Path folder;
  private Path kept;
  private Path read;
  private Upkeep upkeep;

  @BeforeEach
  void open() throws Exception {
    folder = Files.createDirectories(temp.resolve("of node"));
    kept = Files.createFile(folder.resolve("kept"));
    read = Files.createFile(folder.resolve("read"));
  }

  @AfterEach
  void close() throws Exception {
    upkeep.close();
    await(vertx.close());
  }

  /** Restores the kept file, and its folder, at each check. */
  private void start(Path content) throws Exception {
    ContextInternal loop = vertx.createEventLoopContext();
    upkeep = new Upkeep(loop, () -> List.of(folder, kept), () -> content == null ? List.of() : List.of(content), () -> {
      try {
        Files.createDirectories(folder);
        if (!Files.exists(kept)) {
          Files.createFile(kept);
        }
        return Future.succeededFuture();
      } catch (IOException e) {
        return Future.failedFuture(e);
      } finally {
        looks.incrementAndGet();
      }
    });
    upkeep.now();
    until("it has looked", () -> looks.get() >= 1);
  }

  @Test
  @Tag("alone")
  void removedFileIsRestoredAndNotLookedAtAgain() throws Exception {
    start(read);
    Files.delete(kept);
    until("it has looked", () -> looks.get() > 1);
    assertTrue(Files.exists(kept));
    int restored = looks.get();
    // Files of others, and files that this side restores, are no changes.
    Files.delete(Files.createFile(folder.resolve("other")));
    TimeUnit.MILLISECONDS.sleep(IDLE_MILLIS);
    assertEquals(restored, looks.get());
  }

  @Test
  @Tag("full")
  void filesOfRestoredFolderAreWatched() throws Exception {
    start(null);
    for (int round = 0; round < 2; round++) {
      Files.deleteIfExists(read);
      Files.delete(kept);
      Files.delete(folder);
      until("folder and file are restored", () -> Files.exists(kept));
    }
  }

  @Test
  @Tag("full")
  void eachKindOfChangeOfReadFileIsSeen() throws Exception {
    Path link = Files.createSymbolicLink(temp.resolve("link"), read);
    start(link);
    int before = looks.get();
    Files.writeString(read, "written");
    until("the write is seen", () -> looks.get() > before);
    int written = looks.get();
    Files.move(Files.createFile(folder.resolve("new")), read, StandardCopyOption.REPLACE_EXISTING);
    until("the other file is seen", () -> looks.get() > written);
    int replaced = looks.get();
    Files.move(Files.createSymbolicLink(temp.resolve("new"), kept), link, StandardCopyOption.REPLACE_EXISTING);
    until("the other link is seen", () -> looks.get() > replaced);
  }

  @Test
  void filesOfFileSystemWithoutEventsAreLookedAtInPauses() throws Exception {
    kept = Path.of("/proc/self/status");
    start(null);
    until("it looks without an event", () -> looks.get() > 1);
  }
}
