package io.github.vertxrdma.impl.peers;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.*;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.impl.poll.BlockingCalls;
import io.github.vertxrdma.impl.process.HeldFile;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class FolderControlTest {
  private static final String NAME = "0123456789abcdef.peer";

  /** As while a node begins to use a folder that another user has freed. */
  @Test
  void nodeThatDoesNotListenOnItsFirstSocketYetIsReachedByTheSecond(@TempDir Path temp) throws Exception {
    Path one = RuntimeFolder.ensure(temp.resolve("one"));
    Path two = RuntimeFolder.ensure(temp.resolve("two"));
    Path first = RuntimeFolder.ensure(one.resolve("group")).resolve(NAME);
    RuntimeFolder.ensure(two.resolve("group"));
    Vertx vertx = Vertx.vertx();
    try (SocketChannel silent = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      silent.bind(UnixDomainSocketAddress.of(first));
      await(control(vertx, new NodeFolder(two.resolve("group"), () -> List.of(two), NAME)).listen("", 0, pipe -> {
      }));
      assertNotNull(await(control(vertx, new NodeFolder(one.resolve("group"), () -> List.of(one, two))).connect(NAME, 0, 5_000)));
      assertTrue(Files.exists(first));
    } finally {
      await(vertx.close());
    }
  }

  @Test
  void failureInOneFolderDoesNotHideThatTheOtherIsUsedAgain(@TempDir Path temp) throws Exception {
    Path one = RuntimeFolder.ensure(temp.resolve("one"));
    Path two = RuntimeFolder.ensure(temp.resolve("two"));
    Path open = RuntimeFolder.ensure(two.resolve("group"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
    Vertx vertx = Vertx.vertx();
    try {
      FolderControl control = control(vertx, new NodeFolder(one.resolve("group"), () -> List.of(one, two), NAME));
      await(control.listen("", 0, pipe -> {
      }));
      Files.delete(one.resolve("group").resolve(NAME));
      AtomicInteger bound = new AtomicInteger();
      Exception failure = assertThrows(ExecutionException.class, () -> await(control.rebind(bound::incrementAndGet)));
      assertTrue(failure.getMessage().contains(open.toString()), failure.getMessage());
      assertEquals(1, bound.get());
    } finally {
      await(vertx.close());
    }
  }

  /** As in a folder that cannot be written. */
  @Test
  void nodeIsDeadAlthoughOneOfItsSocketsCannotBeDeleted(@TempDir Path temp) throws Exception {
    Path one = RuntimeFolder.ensure(temp.resolve("one"));
    Path two = RuntimeFolder.ensure(temp.resolve("two"));
    Files.createDirectories(one.resolve("group").resolve(NAME).resolve("file"));
    Path second = Files.createFile(RuntimeFolder.ensure(two.resolve("group")).resolve(NAME));
    assumeTrue(HeldFile.seesLocks(second), "SKIPPED: the temporary folder is on a file system of several kernels");
    assertTrue(new NodeFolder(one.resolve("group"), () -> List.of(one, two)).removeDead(NAME));
    assertFalse(Files.exists(second));
  }

  private static FolderControl control(Vertx vertx, NodeFolder folder) {
    ContextInternal context = ((VertxInternal) vertx).createEventLoopContext();
    return new FolderControl(context, folder, new BlockingCalls(context));
  }
}
