package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.LogLines;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import io.github.vertxrdma.provider.contract.attack.Attacker;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Descriptors of peers that cannot be closed at once: no poll waits for them, and their number is limited. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class StrayDescriptorsTest {
  private static final long USER = 4711;
  private static final long OTHER_USER = 4712;
  private static final long BUSY_USER = 4713;
  private static final long THIRD_USER = 4714;
  private static final int NO_DESCRIPTOR = -1;
  private static final int SOL_SOCKET = 1;
  private static final int SO_PASSRIGHTS = 83;
  private static final String NO_PASSRIGHTS = "this kernel has no SO_PASSRIGHTS (Linux 6.16)";

  private final Domain domain = ShmDeviceTest.device().open();
  private final Side side = new Side(domain, new PairOptions());
  private final List<SlowClosingSocket> lingering = new ArrayList<>();
  private final List<DescriptorSocket> strangers = new ArrayList<>();
  private Listener listener;

  @BeforeEach
  void listen() {
    awaitClosed();
    listener = side.listenAndAccept();
  }

  @AfterEach
  void close() {
    lingering.forEach(SlowClosingSocket::close);
    strangers.forEach(DescriptorSocket::close);
    side.close();
    domain.close();
    awaitClosed();
  }

  private static void awaitClosed() {
    Await.until("all descriptors are closed", () -> StrayDescriptors.unclosed() == 0, () -> 0,
      () -> StrayDescriptors.unclosed() + " are not");
  }

  private SlowClosingSocket lingering() {
    SlowClosingSocket made = new SlowClosingSocket();
    lingering.add(made);
    return made;
  }

  private DescriptorSocket connect() {
    DescriptorSocket stranger = new DescriptorSocket(SystemCalls.socket());
    strangers.add(stranger);
    assertEquals(0, SystemCalls.connect(stranger.fd, ((ShmDomain) domain).folder().socket(listener.localAddress())));
    return stranger;
  }

  private DescriptorSocket accepted() {
    int before = side.connected.size();
    DescriptorSocket stranger = connect();
    stranger.send(SocketMessages.connect(1, 2));
    Await.until("accepted", () -> side.connected.size() > before, side::poll, side::toString);
    return stranger;
  }

  private boolean pass(DescriptorSocket over) {
    long sent = lingering().pass(over.fd, SocketMessage.of(SocketMessage.RING, out -> out.i64(Ring.DATA + Ring.SMALLEST)));
    assertTrue(sent > 0 || sent == -Errno.EPERM, "sent " + sent);
    return sent > 0;
  }

  /** Queries the kernel itself, so that no test is skipped if the listener does not use the option. */
  private static boolean isPassingOptional() {
    int fd = SystemCalls.socket();
    long off = Memory.allocate(4);
    try {
      Memory.putInt(off, 0);
      return Calls.number(Downcall.libc("setsockopt"), fd, SOL_SOCKET, SO_PASSRIGHTS, off, 4) == 0;
    } finally {
      Memory.free(off);
      FileDescriptor.close(fd);
    }
  }

  @Test
  void blockedCloseDelaysNoPoll() {
    assertTrue(pass(accepted()));
    Await.until("the connection ends", () -> !side.disconnected.isEmpty(), side::poll, side::toString);
    assertTrue(StrayDescriptors.unclosed() > 0);
  }

  /** A close of a file in user space waits for the process that serves the file system. */
  @Test
  void fileInUserSpaceThatIsNeverClosedDelaysNoPoll() throws Exception {
    try (Attacker attacker = Attacker.build()) {
      Process stuck = attacker.stuck(((ShmDomain) domain).folder().socket(listener.localAddress()));
      try {
        Await.until("the connection ends, or there is no FUSE", () -> !side.disconnected.isEmpty() || !stuck.isAlive(), side::poll,
          side::toString);
        assumeTrue(stuck.isAlive(), "files in user space need root and /dev/fuse");
        assertTrue(StrayDescriptors.unclosed() > 0);
        accepted();
      } finally {
        stuck.destroyForcibly().waitFor();
      }
    }
    awaitClosed();
  }

  @Test
  void unreadDescriptorsDelayNoClose() {
    DescriptorSocket stranger = accepted();
    stranger.send(SocketMessage.of(SocketMessage.CONNECT));
    for (int i = 0; i < 12; i++) {
      assertTrue(pass(stranger));
    }
    Await.until("the connection ends", () -> !side.disconnected.isEmpty(), side::poll, side::toString);
    assertTrue(StrayDescriptors.unclosed() > 0);
  }

  @Test
  void descriptorsInBacklogDelayNoCloseOfListener() {
    assumeTrue(!isPassingOptional(), "SO_PASSRIGHTS lets nobody send a descriptor before a connection is accepted");
    assertTrue(pass(connect()));
    listener.close();
    assertTrue(StrayDescriptors.unclosed() > 0);
  }

  @Test
  void noDescriptorIsReceivedBeforeConnectionIsAccepted() {
    assumeTrue(isPassingOptional(), NO_PASSRIGHTS);
    assertFalse(pass(connect()), "it was sent before the acceptance");
    assertTrue(pass(accepted()), "it may be sent after the acceptance");
  }

  private void closeSlowly(long user) {
    for (int i = 0; i < StrayDescriptors.MOST_THREADS; i++) {
      assertFalse(StrayDescriptors.refuses(user));
      StrayDescriptors.close(lingering().take(), user);
    }
  }

  private void block(long user) {
    closeSlowly(user);
    Await.until("all are blocked", () -> StrayDescriptors.refuses(user), () -> 0, () -> StrayDescriptors.unclosed() + " wait");
  }

  private void release(long user) {
    lingering.forEach(SlowClosingSocket::close);
    Await.until("none is blocked", () -> !StrayDescriptors.refuses(user), () -> 0, () -> StrayDescriptors.unclosed() + " wait");
  }

  @Test
  void refusedSocketThatCannotHaveDescriptorsIsClosedAtOnce() {
    assumeTrue(isPassingOptional(), NO_PASSRIGHTS);
    long own = SystemCalls.userId();
    block(own);
    long refused = StrayDescriptors.refused(own);
    int blocked = StrayDescriptors.unclosed();
    for (int i = 0; i < 8; i++) {
      connect();
    }
    Await.until("they are refused", () -> StrayDescriptors.refused(own) >= refused + 8, side::poll, side::toString);
    assertEquals(blocked, StrayDescriptors.unclosed());
  }

  @Test
  void sixteenBlockedDescriptorsOfUserEndItsConnections() {
    try (LogLines log = new LogLines(StrayDescriptors.class)) {
      block(USER);
      assertTrue(StrayDescriptors.refuses(USER));
      assertFalse(StrayDescriptors.refuses(OTHER_USER));
      assertEquals(2, StrayDescriptors.refused(USER));
      assertEquals(1, log.warnings().size(), log.warnings()::toString);
    }
    release(USER);
  }

  @Test
  void userWithSixteenBlockedDescriptorsIsNotAccepted() {
    long own = SystemCalls.userId();
    block(own);
    long refused = StrayDescriptors.refused(own);
    DescriptorSocket stranger = connect();
    stranger.send(SocketMessages.connect(1, 2));
    Await.until("it is refused", () -> StrayDescriptors.refused(own) > refused, side::poll, side::toString);
    assertTrue(side.connected.isEmpty());
    release(own);
    accepted();
  }

  /** Adds descriptors that wait behind the blocked ones. A close of each would return at once. */
  private static void add(int number, long user) {
    for (int i = 0; i < number; i++) {
      StrayDescriptors.close(NO_DESCRIPTOR, user);
    }
  }

  @Test
  void userWithManyUnclosedDescriptorsIsRefusedWhileSomeAreClosed() {
    block(BUSY_USER);
    StrayDescriptors.close(lingering().take(), BUSY_USER);
    add(StrayDescriptors.MOST_WAITING - StrayDescriptors.MOST_THREADS, BUSY_USER);
    lingering.getFirst().close();
    Await.until("one is closed", () -> StrayDescriptors.unclosed() == StrayDescriptors.MOST_WAITING, () -> 0,
      () -> StrayDescriptors.unclosed() + " wait");
    assertTrue(StrayDescriptors.refuses(BUSY_USER));
    assertFalse(StrayDescriptors.refuses(OTHER_USER));
    release(BUSY_USER);
  }

  @Test
  void connectionsWaitWhileTooManyDescriptorsOfAllUsersAreUnclosed() {
    closeSlowly(BUSY_USER);
    closeSlowly(THIRD_USER);
    add(StrayDescriptors.MOST_OF_ALL / 2, BUSY_USER);
    add(StrayDescriptors.MOST_OF_ALL / 2, THIRD_USER);
    DescriptorSocket stranger = connect();
    stranger.send(SocketMessages.connect(1, 2));
    for (int i = 0; i < 10; i++) {
      side.poll();
    }
    assertTrue(side.requests.isEmpty());
    assertEquals(Reason.LIMIT, assertThrows(ProviderException.class, StrayDescriptors::checkRoom).reason());
    release(BUSY_USER);
    release(THIRD_USER);
    Await.until("accepted", () -> !side.connected.isEmpty(), side::poll, side::toString);
  }
}
