package io.github.vertxrdma.impl.peers;

import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node's file of the same-host directory, as it is written and as others read it. */
@Timeout(60)
class SameHostFileTest {
  private static final int SEQUENCE = 1_000;

  @TempDir
  Path folder;

  @Test
  void aFileThatWasWrittenAnewIsReadAnew() throws IOException {
    SameHostFile file = SameHostFile.own(folder, 1);
    NodeEntry node = NodeEntry.local("a", 7);
    OtherEntries other = new OtherEntries(file);
    int size = file.write(List.of(node));
    assertEquals(List.of(node), read(other, file).added());
    assertTrue(other.isUpToDate(Files.readAttributes(file.path(), BasicFileAttributes.class)));
    file.append(size, SameHostFile.record(node.withName("added")));
    assertEquals(List.of(node.withName("added")), read(other, file).added());
    assertEquals(0, read(other, file).bytes());
    file.write(List.of());
    OtherEntries.Changes changes = read(other, file);
    assertEquals(List.of(node.withName("added")), changes.removed());
    assertEquals(List.of(), changes.added());
  }

  private static OtherEntries.Changes read(OtherEntries other, SameHostFile file) throws IOException {
    return other.read(Files.readAttributes(file.path(), BasicFileAttributes.class));
  }

  /** A name is looked for when it is published, and where another node has it. */
  @Test
  void publishingAsksForItsOwnNameAlone() throws IOException {
    AtomicInteger asked = new AtomicInteger();
    OwnEntries own = new OwnEntries(SameHostFile.own(folder, 1), region -> {
      asked.incrementAndGet();
      return null;
    }, trouble -> {});
    for (int i = 0; i < SEQUENCE; i++) {
      own.queue(new OwnEntries.Change(new RegionEntry("table " + i, "a", 7, i, 64, Set.of(), 0, RegionEntry.NONE, List.of()), true,
        Promise.promise()));
      own.leaveTaken();
      own.write(own.take());
    }
    assertEquals(SEQUENCE, asked.get());
  }

  /** It needs the folder's lock, and what was queued before it may not have taken that. */
  @Test
  void whatIsQueuedLaterIsWrittenWithTheNextOnes() throws IOException {
    SameHostFile file = SameHostFile.own(folder, 1);
    OwnEntries own = new OwnEntries(file, region -> null, trouble -> {});
    Promise<Void> gone = Promise.promise();
    Promise<Void> come = Promise.promise();
    NodeEntry node = NodeEntry.local("a", 7);
    assertTrue(own.queue(new OwnEntries.Change(node, false, gone)));
    List<OwnEntries.Change> taken = own.take();
    assertTrue(own.queue(new OwnEntries.Change(node, true, come)), "somebody has to be told of it");
    own.write(taken);
    assertTrue(gone.future().succeeded());
    assertFalse(come.future().isComplete());
    own.fail(own.take(), new IOException("the folder is gone"));
    assertTrue(come.future().failed());
    assertFalse(Files.exists(file.path()));
  }

  /** Its reader may look while it is written. */
  @Test
  void aRecordThatIsOnItsWayIsNoneYet() {
    NodeEntry node = NodeEntry.local("a", 7);
    Buffer content = SameHostFile.record(node).appendBuffer(SameHostFile.record(node.withName("later")));
    for (int length = 0; length < content.length(); length++) {
      int whole = SameHostFile.record(node).length();
      assertEquals(length < whole ? List.of() : List.of(node), SameHostFile.entries(content.getBuffer(0, length)),
        "of " + length + " bytes");
    }
    assertEquals(List.of(node.withName("later")), SameHostFile.entries(content));
    assertEquals(List.of(), SameHostFile.entries(content.appendBuffer(SameHostFile.removal(node))));
  }
}
