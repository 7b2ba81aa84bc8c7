package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.contract.DescriptorLimit;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.SocketCalls;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Messages with files at the limit of descriptors, when the kernel drops files. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class DescriptorLimitTest {
  @TempDir
  Path folder;

  /** Takes from this thread the capabilities by which root may send more files than the limit, capabilities(7). */
  private static final class NoPrivilege implements AutoCloseable {
    private static final long CAPGET = Downcall.libc("capget");
    private static final long CAPSET = Downcall.libc("capset");
    private static final int VERSION = 0x20080522;
    private static final int SYS_ADMIN = 1 << 21;
    private static final int SYS_RESOURCE = 1 << 24;
    private static final int EFFECTIVE = 8;

    private final long state = Memory.allocate(64);
    private final int before;

    NoPrivilege() {
      Memory.fill(state, 64, (byte) 0);
      Memory.putInt(state, VERSION);
      assertEquals(0, Calls.number(CAPGET, state, state + EFFECTIVE));
      before = Memory.getInt(state + EFFECTIVE);
      set(before & ~(SYS_ADMIN | SYS_RESOURCE));
    }

    private void set(int effective) {
      Memory.putInt(state + EFFECTIVE, effective);
      assertEquals(0, Calls.number(CAPSET, state, state + EFFECTIVE));
    }

    @Override
    public void close() {
      set(before);
      Memory.free(state);
    }
  }

  private DescriptorSocket from;
  private DescriptorSocket to;

  @BeforeEach
  void connect() {
    String path = folder.resolve("listens").toString();
    int listening = SystemCalls.socket();
    assertEquals(0, SystemCalls.bind(listening, path));
    SystemCalls.listen(listening, 1);
    from = new DescriptorSocket(SystemCalls.socket());
    assertEquals(0, SystemCalls.connect(from.fd, path));
    to = new DescriptorSocket(SocketCalls.accept(listening));
    FileDescriptor.close(listening);
  }

  @AfterEach
  void close() {
    from.close();
    to.close();
  }

  private void sendFile() {
    AnonymousFile file = AnonymousFile.create(AnonymousFile.PAGE, true);
    try {
      assertTrue(from.send(SocketMessage.of(SocketMessage.RING, file)));
    } finally {
      file.unmap();
      file.release();
    }
  }

  private SocketMessage.Received received(boolean hasDescriptors) {
    sendFile();
    if (hasDescriptors) {
      return to.receive();
    }
    try (DescriptorLimit none = DescriptorLimit.none()) {
      return to.receive();
    }
  }

  @Test
  void aMessageWhoseFilesAreLostIsNotTakenForTheEnd() {
    // Loads the classes, which needs descriptors.
    SocketMessage.Received whole = received(true);
    assertEquals(1, whole.files().size());
    whole.checkWhole();
    whole.discard();
    assertSame(SocketMessage.Received.TRUNCATED, received(false));
    ProviderException why = assertThrows(ProviderException.class, SocketMessage.Received.TRUNCATED::checkWhole);
    assertEquals(Reason.LIMIT, why.reason());
    assertTrue(why.getMessage().contains("ulimit -n"), why.getMessage());
    whole = received(true);
    assertEquals(SocketMessage.RING, whole.type());
    whole.discard();
    from.close();
    assertEquals(0, to.receive().bytes().length, "the end");
  }

  /** A peer that waits for its files would wait for ever. */
  @Test
  void aMessageWhoseFilesMayNotBeOnTheirWayYetIsSentLater() {
    received(true).discard();
    AnonymousFile file = AnonymousFile.create(AnonymousFile.PAGE, true);
    int messages = 8;
    int sent = 0;
    try (DescriptorLimit none = DescriptorLimit.none(); NoPrivilege no = new NoPrivilege()) {
      while (sent < messages && from.send(SocketMessage.of(SocketMessage.RING, file))) {
        sent++;
      }
    }
    assertEquals(messages, sent, "the peer is taken for gone");
    assertTrue(from.unsent() > 0, "there is no such limit");
    file.unmap();
    file.release();
    for (int received = 0; received < messages; received++) {
      assertTrue(from.flush());
      SocketMessage.Received message = to.receive();
      message.checkWhole();
      assertEquals(1, message.files().size());
      message.discard();
    }
    assertEquals(0, from.unsent());
  }

  /** The kernel reports a reset first, and then returns earlier messages. */
  @Test
  void messagesOfAPeerThatClosedWithOthersUnreadAreReceived() {
    sendFile();
    to.wake();
    from.close();
    SocketMessage.Received message = to.receive();
    assertEquals(SocketMessage.RING, message.type());
    assertEquals(1, message.files().size());
    message.discard();
    assertEquals(0, to.receive().bytes().length, "the end");
  }
}
