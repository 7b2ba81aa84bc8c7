package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Messages whose files come when this process has no descriptor left: the kernel drops those and delivers the rest. */
@EnabledOnOs(OS.LINUX)
@Timeout(20)
class DescriptorLimitTest {
  private static final int RLIMIT_NOFILE = 7;

  @TempDir
  Path folder;

  /** The limit of descriptors of this process, setrlimit(2), until it is closed. */
  private static final class NoDescriptors implements AutoCloseable {
    private static final long GETRLIMIT = Downcall.libc("getrlimit");
    private static final long SETRLIMIT = Downcall.libc("setrlimit");

    private final long limits = Memory.allocate(16);
    private final long before;

    NoDescriptors() {
      assertEquals(0, Calls.number(GETRLIMIT, RLIMIT_NOFILE, limits));
      before = Memory.getLong(limits);
      Memory.putLong(limits, 3);
      assertEquals(0, Calls.number(SETRLIMIT, RLIMIT_NOFILE, limits));
    }

    @Override
    public void close() {
      Memory.putLong(limits, before);
      assertEquals(0, Calls.number(SETRLIMIT, RLIMIT_NOFILE, limits));
      Memory.free(limits);
    }
  }

  private Message.Received received(DescriptorSocket from, DescriptorSocket to, boolean hasDescriptors) {
    AnonymousFile file = AnonymousFile.create(SharedFile.PAGE, true);
    try {
      assertTrue(from.send(Message.of(Message.RING, file)));
    } finally {
      file.unmap();
      file.release();
    }
    if (hasDescriptors) {
      return to.receive();
    }
    try (NoDescriptors none = new NoDescriptors()) {
      return to.receive();
    }
  }

  @Test
  void aMessageWhoseFilesAreLostIsNotTakenForTheEnd() {
    String path = folder.resolve("listens").toString();
    int listening = Libc.socket();
    assertEquals(0, Libc.bind(listening, path));
    Libc.listen(listening, 1);
    DescriptorSocket from = new DescriptorSocket(Libc.socket());
    assertEquals(0, Libc.connect(from.fd(), path));
    DescriptorSocket to = new DescriptorSocket(Libc.accept(listening));
    try {
      // Loads the classes, which takes descriptors.
      Message.Received whole = received(from, to, true);
      assertEquals(1, whole.files().size());
      whole.checkWhole();
      whole.discard();
      assertSame(Message.Received.CUT, received(from, to, false));
      ProviderException why = assertThrows(ProviderException.class, Message.Received.CUT::checkWhole);
      assertEquals(Reason.LIMIT, why.reason());
      assertTrue(why.getMessage().contains("ulimit -n"), why.getMessage());
      whole = received(from, to, true);
      assertEquals(Message.RING, whole.type());
      whole.discard();
      from.close();
      assertEquals(0, to.receive().bytes().remaining(), "the end");
    } finally {
      from.close();
      to.close();
      FileDescriptor.close(listening);
    }
  }
}
