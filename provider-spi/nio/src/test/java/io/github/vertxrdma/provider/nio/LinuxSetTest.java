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

/** Sockets that a set reads from, and reads in vain of a thread that sleeps as soon as it finds nothing: each is a system call. */
@Timeout(60)
class LinuxSetTest {
  /** Sleeps that a socket may end alone before the other one is left in peace. */
  private static final int LEARNT = 8;

  private LinuxSet set;
  private RecordedWatch watch;
  private ServerSocket listener;
  private Peer requests;
  private Peer replies;

  /** A socket of the set, and its other end. */
  private final class Peer implements SocketHandler, AutoCloseable {
    private final SocketBuffer buffer = new SocketBuffer(64);
    private final TcpSocket mine;
    private final Socket theirs;
    private final boolean atOnce;
    private int tries;
    private int messages;

    Peer() throws IOException {
      mine = set.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort()), null);
      atOnce = mine.isConnected();
      theirs = listener.accept();
      while (!mine.isConnected()) {
        mine.finishConnect();
      }
      set.watch(mine, SocketHandler.READ, this);
    }

    @Override
    public void ready(int operations) {
      tries++;
      try {
        messages += mine.read(buffer.clear());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** A message comes, and is there. */
    void receive() throws IOException {
      theirs.getOutputStream().write(1);
      assertTrue(FileDescriptor.readable(((LinuxSocket) mine).fd(), 20_000));
    }

    /** A message comes while the thread sleeps, which then polls until there is no more, and sleeps again. */
    void wake() throws IOException {
      set.arm(0);
      receive();
      int before = messages;
      set.poll(false);
      assertEquals(before + 1, messages);
      // The answer was sent, so it looks once more: what comes after a read is nothing, without a call.
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
    requests.close();
    replies.close();
    listener.close();
    set.close();
  }

  /** As a rule: the kernel may be about other packets. */
  @Test
  void aPeerOnThisHostIsConnectedAtOnce() throws IOException {
    boolean atOnce = requests.atOnce;
    for (int i = 0; i < 20 && !atOnce; i++) {
      try (Peer another = new Peer()) {
        atOnce = another.atOnce;
      }
    }
    assertTrue(atOnce);
  }

  /** As when the user has no epoll watches left. */
  @Test
  void aListenerThatCannotBeWatchedLeavesItsPort() throws IOException {
    InetSocketAddress address;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      address = (InetSocketAddress) free.getLocalSocketAddress();
    }
    LinuxSet ended = new LinuxSet();
    ended.close();
    assertThrows(ProviderException.class, () -> ended.listen(address, 1, operations -> { }));
    try (ServerSocket next = new ServerSocket(address.getPort(), 1, address.getAddress())) {
      assertTrue(next.isBound());
    }
  }

  @Test
  void aSocketThatHasSomethingRarelyIsNotTriedInVain() throws IOException {
    requests.wake();
    replies.wake();
    for (int i = 0; i < LEARNT; i++) {
      replies.wake();
    }
    int tries = requests.tries;
    int messages = requests.messages;
    for (int i = 0; i < 200; i++) {
      for (int k = 0; k < 8; k++) {
        replies.wake();
      }
      requests.wake();
    }
    assertEquals(200, requests.messages - messages);
    assertEquals(200, requests.tries - tries);
  }

  @Test
  void ofTwoThatTakeTurnsOneIsTriedAtMost() throws IOException {
    for (int i = 0; i < LEARNT; i++) {
      requests.wake();
      replies.wake();
    }
    int tries = requests.tries + replies.tries;
    for (int i = 0; i < 100; i++) {
      requests.wake();
      replies.wake();
    }
    assertTrue(requests.tries + replies.tries - tries <= 500, requests.tries + replies.tries - tries + " reads of 200 messages");
  }

  @Test
  void whoPollsOnTriesBoth() throws IOException {
    for (int i = 0; i < 100; i++) {
      requests.receive();
      replies.receive();
      for (int before = requests.messages + replies.messages; requests.messages + replies.messages < before + 2;) {
        set.poll(false);
      }
    }
    int tries = Math.min(requests.tries, replies.tries);
    for (int i = 0; i < 32; i++) {
      set.poll(false);
    }
    assertTrue(Math.min(requests.tries, replies.tries) - tries >= 24, requests.tries + " and " + replies.tries + " tries, " + tries + " before");
  }

  /** An answer that was sent, say. Whoever always has some cannot keep sockets out. */
  @Test
  void whoHasOthersToTellOfMakesNoCall() throws IOException {
    for (int i = 0; i < LEARNT; i++) {
      requests.wake();
    }
    set.arm(0);
    requests.receive();
    set.poll(false);
    int tries = requests.tries;
    set.poll(true);
    set.poll(true);
    set.poll(false);
    assertEquals(tries, requests.tries, "reads");
    set.poll(false);
    assertEquals(tries + 1, requests.tries, "reads");
    requests.receive();
    set.poll(false);
    requests.receive();
    int messages = requests.messages;
    for (int i = 0; i < 8 && requests.messages == messages; i++) {
      set.poll(true);
    }
    assertEquals(messages + 1, requests.messages);
  }

  @Test
  void aSocketThatItsHandlerClosedIsNotTriedAgain() throws IOException {
    requests.close();
    replies.close();
    try (Peer ended = new Peer()) {
      int[] told = new int[1];
      ended.mine.handler(operations -> {
        told[0]++;
        ended.ready(operations);
        ended.mine.close();
      });
      ended.receive();
      for (int i = 0; i < 64; i++) {
        set.poll(false);
      }
      assertEquals(1, told[0], "times that it was told");
    }
  }

  /** As an accepted socket is, whose first message asks for a connection that another thread serves. */
  @Test
  void aSocketThatAnotherSetTookOverIsLeftAlone() throws IOException {
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

  // A socket that is watched directly

  private record Change(String name, Action action) {
    interface Action {
      void run(LinuxSetTest test) throws IOException;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** Changes after which the set watches a socket again that is watched directly, and tells of it. */
  static Stream<Change> changes() {
    return Stream.of(
      new Change("the offer ends", test -> test.set.offer(null)),
      new Change("another one has as much", test -> {
        test.replies.wake();
        test.replies.wake();
        test.replies.wake();
      }),
      new Change("it wants to write", test -> test.requests.mine.interest(SocketHandler.WRITE, 0)),
      new Change("it has been read in vain for long", test -> {
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

  private boolean setTells() {
    return FileDescriptor.readable(set.fd(), 0);
  }

  @Test
  void theOneThatEndsAllSleepsIsWatchedDirectly() throws IOException {
    int fd = wakeUntilDirect();
    for (int i = 0; i < 100; i++) {
      requests.wake();
    }
    set.arm(0);
    requests.receive();
    assertFalse(setTells(), "the set tells of it too");
    replies.receive();
    assertTrue(setTells(), "the set does not tell of others");
    requests.messages = 0;
    for (int i = 0; i < 100 && requests.messages + replies.messages < 2; i++) {
      set.poll(false);
    }
    assertEquals(2, requests.messages + replies.messages);
    assertEquals(List.of(fd), watch.watched, "one that has something now and then changes nothing");
  }

  @Test
  void afterASleepOnlyWhatToldIsRead() throws IOException {
    wakeUntilDirect();
    int tries = requests.tries;
    replies.receive();
    set.poll(false);
    assertEquals(1, replies.messages);
    set.arm(0);
    set.poll(false);
    assertEquals(tries, requests.tries, "reads in vain");
    set.poll(false);
    assertEquals(tries + 1, requests.tries, "reads of a thread that polls on");
    watch.tells = false;
    replies.receive();
    for (int i = 0; i < 100; i++) {
      set.arm(0);
      requests.receive();
      set.poll(false);
    }
    assertEquals(1, replies.messages, "of a set that nobody has found readable");
    watch.tells = true;
    set.arm(0);
    set.poll(false);
    assertEquals(2, replies.messages);
  }

  @ParameterizedTest
  @MethodSource("changes")
  void itIsTheSetsAgainWhen(Change change) throws IOException {
    int fd = wakeUntilDirect();
    change.action.run(this);
    assertEquals(List.of(fd, -1), watch.watched);
    set.arm(0);
    requests.receive();
    assertTrue(setTells());
    int messages = requests.messages;
    set.poll(false);
    assertEquals(messages + 1, requests.messages);
  }

  @Test
  void whatIsNotToBeReadWakesNobody() throws IOException {
    int fd = wakeUntilDirect();
    requests.mine.interest(0, SocketHandler.READ);
    assertEquals(List.of(fd, -1), watch.watched);
    set.arm(0);
    requests.receive();
    assertFalse(setTells());
  }

  @Test
  void itIsWatchedNoLongerWhenItIsClosed() throws IOException {
    int fd = wakeUntilDirect();
    requests.close();
    assertEquals(List.of(fd, -1), watch.watched);
    replies.wake();
  }

  @Test
  void oneThatEndedAllSleepsMayBeGoneBeforeItIsWatched() throws IOException {
    for (int i = 0; i < 4 * LEARNT; i++) {
      requests.wake();
    }
    requests.close();
    set.offer(watch);
    set.arm(0);
    assertEquals(List.of(), watch.watched);
    replies.wake();
  }

  /** In order, and by a reset, which a read that is only tried takes for nothing. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void itsEndIsTold(boolean reset) throws IOException {
    int fd = wakeUntilDirect();
    requests.theirs.setSoLinger(reset, 0);
    requests.theirs.close();
    assertTrue(FileDescriptor.readable(fd, 20_000));
    int messages = requests.messages;
    set.poll(false);
    assertEquals(messages - 1, requests.messages, "-1 was read");
  }

  /** As when the user has no epoll watches left. */
  @Test
  void whoCannotWatchIsNotAskedAgain() throws IOException {
    watch.able = false;
    set.offer(watch);
    for (int i = 0; i < 8 * LEARNT; i++) {
      requests.wake();
    }
    assertEquals(1, watch.watched.size());
    set.arm(0);
    requests.receive();
    assertTrue(setTells());
  }
}
