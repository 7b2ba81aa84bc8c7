package io.github.vertxrdma.provider.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.DescriptorLimit;
import io.github.vertxrdma.provider.contract.NoWatches;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import java.io.IOException;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sockets that cannot be watched again, because the user has no epoll watches left. */
@Timeout(60)
class UnwatchedSocketTest {
  private static final long PAUSE_MILLIS = 100;
  private static final int SLOTS = 2;
  private static final int LENGTH = 1000;
  private static final int MESSAGES = 100;

  private Pair pair;

  @BeforeEach
  void open() {
    pair = Pair.open(BackEnds.linux(), new PairOptions().withSlots(SLOTS, LENGTH));
    pair.connect();
  }

  @AfterEach
  void close() {
    pair.close();
  }

  /** An endpoint of b whose messages find no receive and exceed its buffer, so that it stops reading. */
  private Endpoint stalled(Socket peer) throws IOException {
    RawSockets.connect(pair, peer);
    pair.b.reposting(false);
    for (int i = 0; i < MESSAGES; i++) {
      RawSockets.send(peer, NioFrame.SEND, LENGTH);
      pair.poll();
    }
    int socket = ((LinuxSocket) ((NioEndpoint) pair.right()).socket).descriptor();
    pair.until("it does not read although bytes wait", () -> pair.b.messages.size() == SLOTS && FileDescriptor.readable(socket, 0)
      && pair.b.queue().arm() && !FileDescriptor.readable(pair.b.queue().fd(), 0));
    return pair.right();
  }

  private void assertItAloneEnded(Endpoint stalled) {
    assertEquals(List.of(stalled), pair.b.disconnected);
    assertTrue(pair.b.cause.getMessage().contains("epoll_ctl"), pair.b.cause.getMessage());
    pair.b.messages.clear();
    pair.a.send(pair.left(), new byte[3], 0);
    assertEquals(3, pair.message(pair.b).data().length);
  }

  @Test
  void aConnectionThatCannotReadOnEnds() throws Exception {
    try (Socket peer = RawSockets.open(pair.listener())) {
      Endpoint stalled = stalled(peer);
      try (NoWatches none = new NoWatches(pair.b.queue())) {
        pair.b.reposting(true);
        pair.until("the end", () -> !pair.b.disconnected.isEmpty());
      }
      assertItAloneEnded(stalled);
    }
  }

  @Test
  void aConnectionThatCannotWriteOnEnds() throws Exception {
    try (Socket peer = RawSockets.open(pair.listener())) {
      Endpoint stalled = stalled(peer);
      MemoryRegion region = pair.b.region(16 << 20);
      try (NoWatches none = new NoWatches(pair.b.queue())) {
        assertEquals(Status.OK, stalled.post(new WorkRequest().send(region, 0, 16 << 20).id(1)));
        pair.until("the end", () -> !pair.b.disconnected.isEmpty());
      }
      pair.b.reposting(true);
      assertItAloneEnded(stalled);
    }
  }

  @Test
  void aListenerThatPausedGoesOnWhenItCan() {
    // Loads the classes of the failure, for which no descriptor is left afterwards.
    assertNotNull(Sockets.failure("", LinuxCalls.failure(Errno.EMFILE)));
    pair.a.connect(pair.listener().localAddress());
    try (DescriptorLimit none = DescriptorLimit.none()) {
      ((NioListener) pair.listener()).ready(SocketHandler.READ);
    }
    boolean[] later = {false};
    ((NioCompletionQueue) pair.b.queue()).deadline(PAUSE_MILLIS + 1, () -> later[0] = true);
    try (NoWatches none = new NoWatches(pair.b.queue())) {
      Await.until("it tried again", () -> later[0], pair.b::poll, pair.b::toString);
    }
    assertEquals(1, pair.b.requests.size(), "it did not pause");
    pair.until("both ends are connected", () -> pair.a.connected.size() == 2 && pair.b.connected.size() == 2);
  }
}
