package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.DescriptorLimit;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.Leaks;
import io.github.vertxrdma.provider.contract.NoWatches;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Sockets that cannot be watched, because the user has no epoll watches left: their connections fail. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class UnwatchedSocketTest {
  private static final long PAUSE_MILLIS = 100;

  private Pair pair;
  private long before;

  @BeforeAll
  static void awaitAbandonedNames() throws IOException {
    ShmDeviceTest.awaitAbandonedNames();
    // The JDK keeps a socket of its own from the first socket channel on.
    SocketChannel.open(StandardProtocolFamily.UNIX).close();
  }

  @BeforeEach
  void open() {
    pair = Pair.open(Devices.require(new ShmProvider(), "shm"), new PairOptions());
    Await.until("sockets of earlier tests are closed", () -> StrayDescriptors.unclosed() == 0, () -> 0, () -> sockets() + " sockets");
    DaemonThreads.FOLDER.await();
    before = sockets();
  }

  @AfterEach
  void close() {
    pair.close();
  }

  private static long sockets() {
    return Leaks.descriptors().stream().filter(file -> file.startsWith("socket:")).count();
  }

  private void noneIsLeft() {
    pair.until("no socket is left", () -> sockets() == before + 1);
  }

  @Test
  void aConnectFails() {
    Listener listener = pair.b.listen(null, pair.b.requests::add);
    try (NoWatches none = new NoWatches(pair.a.queue())) {
      pair.a.connect(listener.localAddress());
      pair.until("the failure", () -> pair.a.disconnected.size() == 1);
    }
    assertTrue(pair.a.cause.getMessage().contains("epoll_ctl"), pair.a.cause.getMessage());
    noneIsLeft();
    pair.a.connect(listener.localAddress());
    pair.until("the next one asks", () -> pair.b.requests.size() == 1);
  }

  @Test
  void requestOfAnUnwatchedSocketIsClosed() {
    Listener listener = pair.b.listen(null, pair.b.requests::add);
    pair.a.connect(listener.localAddress());
    try (NoWatches none = new NoWatches(pair.b.queue())) {
      ((ShmListener) listener).ready();
    }
    pair.until("the asker hears of it", () -> pair.a.disconnected.size() == 1);
    assertEquals(Reason.REFUSED, pair.a.cause.reason());
    noneIsLeft();
  }

  @Test
  void anAcceptFails() {
    ConnectionRequest request = pair.request();
    try (NoWatches none = new NoWatches(pair.b.queue())) {
      pair.b.accept(request);
    }
    pair.until("both hear of it", () -> pair.a.disconnected.size() + pair.b.disconnected.size() == 2);
    assertTrue(pair.b.cause.getMessage().contains("epoll_ctl"), pair.b.cause.getMessage());
    noneIsLeft();
  }

  @Test
  void aListenerThatPausedGoesOnWhenItCan() {
    assertNotNull(new ProviderException(Reason.LIMIT, Errno.describe(Errno.EMFILE)));
    Listener listener = pair.b.listen(null, pair.b::accept);
    pair.a.connect(listener.localAddress());
    try (DescriptorLimit none = DescriptorLimit.none()) {
      ((ShmListener) listener).ready();
    }
    boolean[] later = {false};
    ((ShmQueue) pair.b.queue()).deadline(PAUSE_MILLIS + 1, () -> later[0] = true);
    try (NoWatches none = new NoWatches(pair.b.queue())) {
      Await.until("it tried again", () -> later[0], pair.b::poll, pair.b::toString);
    }
    assertTrue(pair.b.requests.isEmpty(), "it did not pause");
    pair.until("both ends are connected", () -> !pair.a.connected.isEmpty() && !pair.b.connected.isEmpty());
  }

  @Test
  void aListenerAcceptsSomeOfManyInATurn() {
    int many = 200;
    Listener listener = pair.b.listen(null, pair.b.requests::add);
    String path = ((ShmDomain) pair.b.domain()).folder().socket(listener.localAddress());
    int[] asking = new int[many];
    try {
      for (int i = 0; i < many; i++) {
        asking[i] = SystemCalls.socket();
        assertEquals(0, SystemCalls.connect(asking[i], path));
      }
      ((ShmListener) listener).ready();
      long accepted = sockets() - before - 1 - many;
      assertTrue(accepted > 0 && accepted < many, accepted + " of " + many + " were accepted in a turn");
      pair.until("all are", () -> sockets() == before + 1 + 2 * many);
    } finally {
      for (int fd : asking) {
        FileDescriptor.close(fd);
      }
    }
  }

  @Test
  void aListenerLeavesNoName() {
    EndpointAddress address = EndpointAddress.of("unwatched-" + ProcessHandle.current().pid());
    try (NoWatches none = new NoWatches(pair.b.queue())) {
      assertThrows(ProviderException.class, () -> pair.b.listen(address, pair.b.requests::add));
    }
    DaemonThreads.FOLDER.await();
    assertFalse(Files.exists(Path.of(((ShmDomain) pair.b.domain()).folder().socket(address))));
    pair.until("no socket is left", () -> sockets() == before);
  }
}
