package io.github.vertxrdma.provider.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.RecordedWatch;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Invariants of the epoll set of a completion queue: every message wakes the loop and is read, and a closed socket is never read again. */
@Timeout(60)
class LinuxSetTest {
  private static final int LEARNT = 8;

  private LinuxSet set;
  private RecordedWatch watch;
  private ServerSocket listener;
  private Peer requests;
  private Peer replies;

  private final class Peer implements SocketHandler, AutoCloseable {
    private final SocketBuffer buffer = new SocketBuffer(64);
    private final TcpSocket mine;
    private final Socket theirs;
    private int messages;

    Peer() throws IOException {
      mine = set.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort()), null);
      theirs = listener.accept();
      while (!mine.isConnected()) {
        mine.finishConnect();
      }
      set.watch(mine, SocketHandler.READ, this);
    }

    @Override
    public void ready(int operations) {
      try {
        messages += mine.read(buffer.clear());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    void receive() throws IOException {
      theirs.getOutputStream().write(1);
      assertTrue(FileDescriptor.readable(((LinuxSocket) mine).fd(), 20_000));
    }

    /** Delivers a message to a sleeping thread, which then polls until it finds nothing. */
    void wake() throws IOException {
      set.arm(0);
      receive();
      int before = messages;
      set.poll(false);
      assertEquals(before + 1, messages);
      set.poll(false);
      set.poll(false);
    }

    @Override
    public void close() throws IOException {
      mine.close();
      theirs.close();
    }
  }

  @BeforeEach
  void open() throws IOException {
    BackEnds.linux();
    set = new LinuxSet();
    watch = new RecordedWatch(set.fd());
    listener = new ServerSocket(0, 2, InetAddress.getLoopbackAddress());
    requests = new Peer();
    replies = new Peer();
  }

  @AfterEach
  void close() throws IOException {
    if (set != null) {
      requests.close();
      replies.close();
      listener.close();
      set.close();
    }
  }

  private static boolean isReleased(LinuxSet ended) throws IOException {
    InetSocketAddress address;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      address = (InetSocketAddress) free.getLocalSocketAddress();
    }
    assertThrows(ProviderException.class, () -> ended.listen(address, 1, operations -> {}));
    try (ServerSocket next = new ServerSocket(address.getPort(), 1, address.getAddress())) {
      return next.isBound();
    } catch (BindException e) {
      return false;
    }
  }

  @Test
  void listenReleasesThePortWhenTheListenerCannotBeWatched() throws IOException {
    LinuxSet ended = new LinuxSet();
    ended.close();
    // Another process may take one port meanwhile, but hardly each of several.
    assertTrue(isReleased(ended) || isReleased(ended) || isReleased(ended), "the ports are still in use");
  }

  @Test
  void socketsAreReadWhileTheOwnerAlwaysHasOtherWork() throws IOException {
    for (int i = 0; i < LEARNT; i++) {
      requests.wake();
    }
    requests.receive();
    int messages = requests.messages;
    for (int i = 0; i < 8 && requests.messages == messages; i++) {
      set.poll(true);
    }
    assertEquals(messages + 1, requests.messages);
  }

  @Test
  void socketClosedByItsHandlerIsNotReadAgain() throws IOException {
    requests.close();
    replies.close();
    try (Peer ended = new Peer()) {
      int[] calls = new int[1];
      ended.mine.handler(operations -> {
        calls[0]++;
        ended.ready(operations);
        ended.mine.close();
      });
      ended.receive();
      for (int i = 0; i < 64; i++) {
        set.poll(false);
      }
      assertEquals(1, calls[0], "calls of the handler");
    }
  }

  /** An accepted socket moves to another set when its first message requests a connection that another thread serves. */
  @Test
  void socketThatMovedToAnotherSetIsNotReadByTheFirst() throws IOException {
    requests.close();
    replies.close();
    LinuxSet others = new LinuxSet();
    try (Peer moved = new Peer()) {
      moved.mine.unwatch();
      set.watch(moved.mine, SocketHandler.READ, operations -> {
        moved.ready(operations);
        moved.mine.unwatch();
      });
      moved.receive();
      while (moved.messages == 0) {
        set.poll(false);
      }
      others.watch(moved.mine, SocketHandler.READ, moved);
      moved.receive();
      for (int i = 0; i < 64; i++) {
        set.poll(false);
      }
      assertEquals(1, moved.messages, "bytes that the first set read");
      while (moved.messages == 1) {
        others.poll(false);
      }
    } finally {
      others.close();
    }
  }

  private record Change(String name, Action action) {
    interface Action {
      void run(LinuxSetTest test) throws IOException;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Change> changes() {
    return Stream.of(
      new Change("the loop withdraws its offer", test -> test.set.offer(null)),
      new Change("another socket is as active", test -> {
        test.replies.wake();
        test.replies.wake();
        test.replies.wake();
      }),
      new Change("the socket waits for room to write", test -> test.requests.mine.interest(SocketHandler.WRITE, 0)),
      new Change("many reads found nothing", test -> {
        for (int i = 0; i < 100; i++) {
          test.set.poll(false);
        }
      }));
  }

  private int wakeUntilDirect() throws IOException {
    set.offer(watch);
    for (int i = 0; i < 4 * LEARNT; i++) {
      requests.wake();
    }
    set.arm(0);
    int fd = ((LinuxSocket) requests.mine).descriptor();
    assertEquals(List.of(fd), watch.watched);
    return fd;
  }

  private boolean setIsReadable() {
    return FileDescriptor.readable(set.fd(), 0);
  }

  @Test
  void directlyWatchedSocketAndTheSetLoseNoMessage() throws IOException {
    int fd = wakeUntilDirect();
    for (int i = 0; i < 100; i++) {
      requests.wake();
    }
    set.arm(0);
    requests.receive();
    assertFalse(setIsReadable(), "the set reports the directly watched socket");
    replies.receive();
    assertTrue(setIsReadable(), "the set does not report other sockets");
    requests.messages = 0;
    for (int i = 0; i < 100 && requests.messages + replies.messages < 2; i++) {
      set.poll(false);
    }
    assertEquals(2, requests.messages + replies.messages);
    assertEquals(List.of(fd), watch.watched, "a rarely active socket changes the watch");
  }

  /** A task of the loop may end a sleep, and its poll makes no system call. The message ends the next sleep. */
  @Test
  void pollReadsNoSocketWhenNoDescriptorEndedTheSleep() throws IOException {
    requests.wake();
    set.offer(watch);
    watch.reportsSet = false;
    requests.receive();
    int messages = requests.messages;
    set.arm(0);
    set.poll(false);
    assertEquals(messages, requests.messages);
    set.poll(false);
    assertEquals(messages + 1, requests.messages, "a poll without a sleep before it reads the active socket");
    watch.reportsSet = true;
    replies.wake();
  }

  @ParameterizedTest
  @MethodSource("changes")
  void setWatchesTheSocketAgainWhen(Change change) throws IOException {
    int fd = wakeUntilDirect();
    change.action.run(this);
    assertEquals(List.of(fd, -1), watch.watched);
    set.arm(0);
    requests.receive();
    assertTrue(setIsReadable());
    int messages = requests.messages;
    set.poll(false);
    assertEquals(messages + 1, requests.messages);
  }

  @Test
  void socketWithoutReadInterestDoesNotWakeTheLoop() throws IOException {
    int fd = wakeUntilDirect();
    requests.mine.interest(0, SocketHandler.READ);
    assertEquals(List.of(fd, -1), watch.watched);
    set.arm(0);
    requests.receive();
    assertFalse(setIsReadable());
  }

  @Test
  void directWatchEndsWhenTheSocketIsClosed() throws IOException {
    int fd = wakeUntilDirect();
    requests.close();
    assertEquals(List.of(fd, -1), watch.watched);
    replies.wake();
  }

  @Test
  void socketClosedBeforeTheOfferIsNotWatched() throws IOException {
    for (int i = 0; i < 4 * LEARNT; i++) {
      requests.wake();
    }
    requests.close();
    set.offer(watch);
    set.arm(0);
    assertEquals(List.of(), watch.watched);
    replies.wake();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void endOfADirectlyWatchedSocketIsReported(boolean reset) throws IOException {
    int fd = wakeUntilDirect();
    requests.theirs.setSoLinger(reset, 0);
    requests.theirs.close();
    assertTrue(FileDescriptor.readable(fd, 20_000));
    int messages = requests.messages;
    set.poll(false);
    assertEquals(messages - 1, requests.messages, "-1 was read");
  }

  @Test
  void setWakesTheLoopWhenTheDirectWatchIsRefused() throws IOException {
    watch.able = false;
    set.offer(watch);
    for (int i = 0; i < 8 * LEARNT; i++) {
      requests.wake();
    }
    assertEquals(1, watch.watched.size());
    set.arm(0);
    requests.receive();
    assertTrue(setIsReadable());
  }
}
