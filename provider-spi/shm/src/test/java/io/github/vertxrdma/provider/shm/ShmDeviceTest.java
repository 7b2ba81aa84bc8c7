package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.Leaks;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Pattern;
import io.github.vertxrdma.provider.contract.Side;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShmDeviceTest {
  private static final int MOST_CONNECTIONS = 1 << 16;

  static Device device() {
    return Devices.require(new ShmProvider(), "shm");
  }

  /**
   * Waits until this process has searched for abandoned names, for tests that count sockets. The first listener starts this search on
   * another thread, which opens sockets.
   */
  static void awaitAbandonedNames() {
    try (Pair pair = Pair.connected(device())) {
      DaemonThreads.FOLDER.await();
    }
  }

  private static void finish(Side side, long id) {
    Await.until("operation " + id, () -> side.completion(id) != null, side::poll, side::toString);
    assertTrue(side.completion(id).ok(), side.completion(id).toString());
  }

  /** Lets searches of the last second end, since they create folders. */
  @AfterEach
  void awaitSearches() {
    DaemonThreads.FOLDER.await();
  }

  private static MeetingFolder folder(Path runtime) {
    return MeetingFolder.find(new DiscoveryOptions(null, Map.of("runtime", runtime.toString())), SystemCalls.userId()).getFirst();
  }

  @Test
  void listenersUseEachFolderAndOnlyThoseWithAllTheirSocketsAreOffered(@TempDir Path temp) throws Exception {
    MeetingFolder one = folder(temp.resolve("one"));
    MeetingFolder two = folder(temp.resolve("two"));
    List<MeetingFolder> usable = new CopyOnWriteArrayList<>(List.of(one));
    ShmDevice device = new ShmDevice(one, () -> usable, 10_000);
    Path obstacle = Files.createFile(Files.createDirectory(two.path().resolve("name")).resolve("file"));
    try (Domain domain = device.open();
      Side side = new Side(domain, new PairOptions());
      Listener listener = side.listen(EndpointAddress.of("name"), side::accept)) {
      assertEquals(List.of(one.identity()), device.subnets());
      usable.add(two);
      Await.until("it finds the second folder", () -> device.folders().size() == 2);
      assertFalse(domain.restoreFiles(), "something has taken the name");
      assertEquals(List.of(one.identity()), device.subnets());
      try (Listener other = side.listen(EndpointAddress.of("other"), side::accept)) {
        assertTrue(Files.exists(two.path().resolve("other")));
        assertEquals(List.of(one.identity()), device.subnets());
      }
      Files.delete(obstacle);
      Files.delete(obstacle.getParent());
      assertTrue(domain.restoreFiles());
      assertEquals(List.of(one.identity(), two.identity()), device.subnets());
      usable.remove(one);
      Await.until("the first folder is gone", () -> device.folders().equals(List.of(two)));
      assertEquals(List.of(two.identity()), device.subnets());
      assertEquals(two.socket(listener.localAddress()), device.socket(listener.localAddress()));
    }
  }

  @Test
  void folderThatComesAndGoesLeavesNothingOpen(@TempDir Path temp) throws Exception {
    MeetingFolder one = folder(temp.resolve("one"));
    MeetingFolder two = folder(temp.resolve("two"));
    List<MeetingFolder> usable = new CopyOnWriteArrayList<>(List.of(one));
    try (Domain domain = new ShmDevice(one, () -> usable, 10_000).open();
      Side side = new Side(domain, new PairOptions());
      Listener listener = side.listen(null, side::accept)) {
      List<Path> files = domain.files();
      long open = open(temp);
      for (int round = 0; round < 20; round++) {
        usable.add(two);
        for (int restored = 0; restored < 3; restored++) {
          assertTrue(domain.restoreFiles());
          Files.delete(Path.of(two.socket(listener.localAddress())));
        }
        new ProcessBuilder("rm", "-rf", temp.resolve("two").toString()).start().waitFor();
        usable.remove(two);
        assertTrue(domain.restoreFiles());
        assertEquals(files, domain.files(), "a missing file would be polled");
        Await.until("nothing of it is open", () -> open(temp) <= open);
      }
      side.connect(listener.localAddress());
      Await.until("connected", () -> !side.connected.isEmpty(), side::poll, side::toString);
    }
  }

  /** Returns the number of open sockets, and files of a folder, also deleted ones. */
  private static long open(Path folder) {
    return Leaks.descriptors().stream().filter(target -> target.startsWith("socket:") || target.startsWith(folder.toString())).count();
  }

  @Test
  void listenFailsIfAnotherListenerHasTheNameInOneFolder(@TempDir Path temp) {
    MeetingFolder one = folder(temp.resolve("one"));
    MeetingFolder two = folder(temp.resolve("two"));
    EndpointAddress name = EndpointAddress.of("name");
    ShmDevice both = new ShmDevice(one, () -> List.of(one, two), 10_000);
    try (Domain domain = new ShmDevice(two, () -> List.of(two), 10_000).open();
      Side side = new Side(domain, new PairOptions());
      Listener first = side.listen(name, side::accept);
      Domain ofBoth = both.open();
      Side other = new Side(ofBoth, new PairOptions())) {
      assertEquals(ProviderException.Reason.ADDRESS_IN_USE,
        assertThrows(ProviderException.class, () -> other.listen(name, other::accept)).reason());
      DaemonThreads.FOLDER.await();
      assertTrue(Files.notExists(Path.of(one.socket(name))));
      assertEquals(List.of(one.identity(), two.identity()), both.subnets());
      first.close();
      DaemonThreads.FOLDER.await();
      other.listen(name, other::accept);
      assertTrue(Files.exists(Path.of(one.socket(name))) && Files.exists(Path.of(two.socket(name))));
    }
  }

  @Test
  void subnetsAreReadWithoutSystemCallsOfTheCaller(@TempDir Path temp) {
    MeetingFolder one = folder(temp.resolve("one"));
    List<Thread> searching = new CopyOnWriteArrayList<>();
    ShmDevice device = new ShmDevice(one, () -> {
      searching.add(Thread.currentThread());
      return List.of(one);
    }, 10_000);
    searching.clear();
    Await.until("it searches again", () -> device.subnets().equals(List.of(one.identity())) && !searching.isEmpty());
    assertFalse(searching.contains(Thread.currentThread()));
  }

  @Test
  void allOneSidedOperationsAreDoneWhileTheOwnerDoesNotPoll() {
    try (Pair pair = Pair.connected(device())) {
      MemoryRegion mine = pair.a.openRegion(8192);
      MemoryRegion theirs = pair.b.openRegion(8192);
      RemoteMemory remote = pair.a.remote(theirs);
      pair.left().post(new WorkRequest().read(mine, 0, 8, remote, 0).id(1).flags(PostFlags.SIGNALED));
      pair.success(pair.a, 1);
      Pattern.fill(mine.segment(), 0, 4096, 7);
      pair.left().post(new WorkRequest().write(mine, 0, 4096, remote, 0).id(2).flags(PostFlags.SIGNALED | PostFlags.DELIVERY_COMPLETE));
      finish(pair.a, 2);
      Pattern.check(theirs.segment(), 0, 4096, 7);
      pair.left().post(new WorkRequest().read(mine, 4096, 4096, remote, 0).id(3).flags(PostFlags.SIGNALED));
      finish(pair.a, 3);
      Pattern.check(mine.segment(), 4096, 4096, 7);
      theirs.segment().set(ValueLayout.JAVA_LONG, 4096, 40);
      pair.left().post(new WorkRequest().fetchAdd(mine, 0, remote, 4096, 2).id(4).flags(PostFlags.SIGNALED));
      finish(pair.a, 4);
      assertEquals(42, theirs.segment().get(ValueLayout.JAVA_LONG, 4096));
    }
  }

  @Test
  void operationsThatWaitForTheFileOfARegionKeepTheirOrder() {
    try (Pair pair = Pair.connected(device())) {
      MemoryRegion mine = pair.a.openRegion(64);
      RemoteMemory remote = pair.a.remote(pair.b.openRegion(64));
      for (int i = 1; i <= 8; i++) {
        assertEquals(Status.OK, pair.left().post(i % 2 == 0 ? new WorkRequest().send(mine, 0, 8).id(i).flags(PostFlags.SIGNALED)
          : new WorkRequest().read(mine, 0, 8, remote, 0).id(i).flags(PostFlags.SIGNALED)));
      }
      assertEquals(0, pair.a.queue().unannounced());
      pair.until("all of them", () -> pair.a.completions.size() == 8);
      for (int i = 1; i <= 8; i++) {
        assertEquals(i, pair.a.completions.get(i - 1).requestId());
      }
    }
  }

  /** Nothing would wake a queue that waits for the answer to another one. */
  @Test
  void remoteMemoryIsUsedByTwoQueuesAtOnce() {
    try (Pair pair = Pair.connected(device()); Side third = new Side(pair.a.domain(), new PairOptions())) {
      third.connect(pair.listener().localAddress());
      pair.until("the third is connected", () -> third.poll() >= 0 && !third.connected.isEmpty());
      MemoryRegion first = pair.a.openRegion(64);
      MemoryRegion second = third.openRegion(64);
      RemoteMemory remote = pair.a.remote(pair.b.openRegion(64));
      assertEquals(Status.OK, pair.left().post(new WorkRequest().read(first, 0, 8, remote, 0).id(1).flags(PostFlags.SIGNALED)));
      assertEquals(Status.OK, third.endpoint.post(new WorkRequest().read(second, 0, 8, remote, 0).id(2).flags(PostFlags.SIGNALED)));
      pair.success(pair.a, 1);
      pair.until("the third's read", () -> third.poll() >= 0 && third.completion(2) != null);
      assertTrue(third.completion(2).ok(), third.completion(2).toString());
    }
  }

  @Test
  void aRegionForReadersAloneIsNotWritten() {
    try (Pair pair = Pair.connected(device())) {
      MemoryRegion mine = pair.a.openRegion(64);
      MemoryRegion theirs = pair.b.region(64, Access.REMOTE_READ);
      RemoteMemory remote = pair.a.remote(theirs);
      pair.left().post(new WorkRequest().read(mine, 0, 8, remote, 0).id(1).flags(PostFlags.SIGNALED));
      pair.success(pair.a, 1);
      mine.segment().fill((byte) 1);
      pair.left().post(new WorkRequest().write(mine, 0, 8, remote, 0).id(2).flags(PostFlags.SIGNALED));
      assertEquals(Status.REMOTE_ACCESS, pair.completion(pair.a, 2).status());
      assertEquals(0, theirs.segment().get(ValueLayout.JAVA_LONG, 0));
    }
  }

  /** Peers could map the region's file for writing, so the owner keeps the file and executes their reads. */
  @Test
  void readerGetsNoFileThatOthersMayWrite() {
    try (Pair pair = Pair.connected(device())) {
      MemoryRegion mine = pair.a.openRegion(64);
      MemoryRegion open = pair.b.openRegion(64);
      open.segment().fill((byte) 9);
      try (MemoryRegion forReaders = pair.b.domain().register(open.segment(), Set.of(Access.REMOTE_READ));
        MemoryRegion sealed = pair.b.region(64, Access.REMOTE_READ)) {
        assertNull(((ShmRegion) forReaders).permit);
        assertNotNull(((ShmRegion) open).permit);
        assertFalse(((ShmRegion) sealed).permit.writable());
        RemoteMemory remote = pair.a.remote(forReaders);
        pair.left().post(new WorkRequest().read(mine, 0, 8, remote, 0).id(1).flags(PostFlags.SIGNALED));
        pair.success(pair.a, 1);
        assertEquals(9, mine.segment().get(ValueLayout.JAVA_BYTE, 0));
        pair.left().post(new WorkRequest().write(mine, 0, 8, remote, 0).id(2).flags(PostFlags.SIGNALED));
        assertEquals(Status.REMOTE_ACCESS, pair.completion(pair.a, 2).status());
      }
    }
  }

  /** A peer that maps a file can read all of it, also memory of other regions. */
  @Test
  void onlyRegionOfWholeAllocationIsMapped() {
    try (Pair pair = Pair.connected(device()); Arena arena = Arena.ofShared()) {
      int mapped = Mapping.mapped();
      for (Set<Access> access : List.of(Set.of(Access.REMOTE_READ), Set.of(Access.REMOTE_READ, Access.REMOTE_WRITE))) {
        MemorySegment memory = pair.b.domain().allocate(5000, access, arena);
        memory.fill((byte) 9);
        for (MemorySegment part : List.of(memory.asSlice(0, 4096), memory.asSlice(0, 4999), memory.asSlice(4096))) {
          try (MemoryRegion region = pair.b.domain().register(part, access)) {
            assertNull(((ShmRegion) region).permit, part.byteSize() + " bytes");
            MemoryRegion mine = pair.a.openRegion(64);
            RemoteMemory remote = pair.a.remote(region);
            pair.left().post(new WorkRequest().read(mine, 0, 8, remote, part.byteSize() - 8).id(1).flags(PostFlags.SIGNALED));
            pair.success(pair.a, 1);
            assertEquals(9, mine.segment().get(ValueLayout.JAVA_BYTE, 7));
            pair.a.completions.clear();
          }
        }
        assertEquals(mapped, Mapping.mapped());
        try (MemoryRegion whole = pair.b.domain().register(memory, access)) {
          assertNotNull(((ShmRegion) whole).permit);
        }
      }
    }
  }

  @Test
  void fileOfAnotherLengthThanRegionIsRefusedWithLimit() {
    for (long[] sent : new long[][] {{0, 4 * AnonymousFile.PAGE}, {0, AnonymousFile.PAGE}, {8, 2 * AnonymousFile.PAGE}}) {
      try (Pair pair = Pair.connected(device())) {
        int mapped = Mapping.mapped();
        ShmRemoteMemory remote = (ShmRemoteMemory) pair.a.remote(pair.b.openRegion(64));
        pair.left().post(new WorkRequest().read(pair.a.openRegion(64), 0, 8, remote, 0).id(1).flags(PostFlags.SIGNALED));
        assertEquals(ShmRemoteMemory.State.ASKED, remote.state());
        AnonymousFile file = AnonymousFile.create(sent[1], true);
        SocketMessage answer = SocketMessage.of(SocketMessage.OPENED, out -> out.i32(remote.slot()).i64(remote.secret()).i64(sent[0])
          .i64(64).i32(ShmRegion.READ).i64(0).i64(0).i64(sent[1]));
        SocketMessage.Received received = new SocketMessage.Received(answer.bytes(),
          List.of(new ReceivedDescriptor(SystemCalls.reopen(file.fd), SystemCalls.userId())));
        ((ShmEndpoint) pair.left()).link().files.opened(received);
        received.discard();
        file.unmap();
        file.release();
        assertEquals(Status.LIMIT, pair.completion(pair.a, 1).status());
        assertEquals(ProviderException.Reason.LIMIT, pair.left().failure().reason());
        assertTrue(pair.left().failure().getMessage().contains("a file of " + sent[1] + " bytes"), pair.left().failure().getMessage());
        assertEquals(mapped, Mapping.mapped());
      }
    }
  }

  @Test
  void memoryForWritersAloneIsWrittenWhereItLies() {
    try (Pair pair = Pair.connected(device())) {
      MemoryRegion mine = pair.a.openRegion(64);
      mine.segment().fill((byte) 9);
      MemoryRegion open = pair.b.openRegion(64);
      try (MemoryRegion forWriters = pair.b.domain().register(open.segment().asSlice(16, 32),
        Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE))) {
        RemoteMemory remote = pair.a.remote(forWriters);
        pair.left().post(new WorkRequest().write(mine, 0, 8, remote, 4).id(1).flags(PostFlags.SIGNALED));
        pair.success(pair.a, 1);
        for (int i = 0; i < 64; i++) {
          assertEquals(i >= 20 && i < 28 ? 9 : 0, open.segment().get(ValueLayout.JAVA_BYTE, i));
        }
        pair.left().post(new WorkRequest().read(mine, 0, 8, remote, 0).id(2).flags(PostFlags.SIGNALED));
        assertEquals(Status.REMOTE_ACCESS, pair.completion(pair.a, 2).status());
      }
    }
  }

  @Test
  void pagesMappedByAPeerAreNotReused() {
    try (Pair pair = Pair.connected(device())) {
      MemoryRegion mine = pair.a.openRegion(1 << 20);
      ShmRemoteMemory stale;
      try (Arena arena = Arena.ofShared()) {
        MemorySegment memory = pair.b.domain().allocate(1 << 20, Set.of(Access.REMOTE_READ, Access.REMOTE_WRITE), arena);
        try (MemoryRegion revoked = pair.b.domain().register(memory, Set.of(Access.REMOTE_READ, Access.REMOTE_WRITE))) {
          stale = (ShmRemoteMemory) pair.a.remote(revoked);
          pair.left().post(new WorkRequest().read(mine, 0, 8, stale, 0).id(1).flags(PostFlags.SIGNALED));
          pair.success(pair.a, 1);
        }
      }
      // The holder never acknowledged the close: it would still write when the owner reuses the memory.
      assertEquals(ShmRemoteMemory.State.MAPPED, stale.state());
      for (int i = 0; i < 50; i++) {
        MemoryRegion next = pair.b.openRegion(1 << 20);
        stale.region().fill((byte) (i + 1));
        assertEquals(-1, next.segment().mismatch(MemorySegment.ofArray(new byte[1 << 20])));
        next.segment().fill((byte) 0x55);
        assertEquals(i + 1, stale.region().get(ValueLayout.JAVA_BYTE, 4096));
        next.close();
      }
      stale.close();
    }
  }

  @Test
  void aQueueWithAllItsConnectionsRejectsAnother() {
    try (Pair pair = Pair.open(device(), new PairOptions())) {
      Listener listener = pair.b.listenAndAccept();
      ConnectionTable table = ((ShmQueue) pair.b.queue()).connections;
      ShmEndpoint other = (ShmEndpoint) pair.b.domain().createEndpoint(pair.b.queue(), new EndpointOptions(), pair.b);
      for (int i = 0; i < MOST_CONNECTIONS; i++) {
        table.add(other);
      }
      pair.a.connect(listener.localAddress());
      pair.until("both are notified of it", () -> !pair.a.disconnected.isEmpty() && !pair.b.disconnected.isEmpty());
      assertEquals(ProviderException.Reason.REJECTED, pair.a.cause.reason(), pair.a.cause.getMessage());
      assertEquals(ProviderException.Reason.LIMIT, pair.b.cause.reason(), pair.b.cause.getMessage());
    }
  }

  private static Device forgetful() {
    return Devices.require(List.of(new ShmProvider()), "shm", Map.of(ShmProvider.IDLE, "50"));
  }

  @Test
  void fullRingGrowsAndShrinksWhenIdle() {
    try (Pair pair = Pair.connected(forgetful(), new PairOptions().withSlots(64, 4000))) {
      QueueLink link = ((ShmEndpoint) pair.left()).link();
      for (int i = 0; i < 30; i++) {
        pair.a.send(pair.left(), Pattern.bytes(i, 4000), PostFlags.SIGNALED);
      }
      assertTrue(link.output.writer().capacity > Ring.SMALLEST);
      for (int i = 0; i < 30; i++) {
        Pattern.check(pair.message(pair.b).data(), 4000, i);
      }
      pair.until("the small ring", () -> link.output.writer().capacity == Ring.SMALLEST);
      pair.a.send(pair.left(), Pattern.bytes(77, 300), PostFlags.SIGNALED);
      Pattern.check(pair.message(pair.b).data(), 300, 77);
    }
  }

  @Test
  void unusedLinkIsClosedAndOpenedAgain() {
    try (Pair pair = Pair.connected(forgetful())) {
      pair.left().close();
      pair.until("no link", () -> ((ShmQueue) pair.a.queue()).links() + ((ShmQueue) pair.b.queue()).links() == 0);
      pair.connect();
      pair.b.messages.clear();
      pair.a.send(pair.left(), Pattern.bytes(1, 300), PostFlags.SIGNALED);
      Pattern.check(pair.message(pair.b).data(), 300, 1);
    }
  }

  /** Another object may use memory of a closed region when the waiting message is copied. */
  @Test
  void aMessageThatWaitedIsNotWrittenToAClosedRegion() {
    try (Pair pair = Pair.connected(device(), new PairOptions().withSlots(0, 64))) {
      pair.a.send(pair.left(), Pattern.bytes(1, 64), PostFlags.SIGNALED);
      pair.until("it waits", () -> ((ShmEndpoint) pair.left()).link().output.writer().isRead());
      MemoryRegion region = pair.b.region(64, Access.LOCAL_WRITE);
      assertEquals(Status.OK, pair.right().receiveQueue().post(Side.nextId(), region, 0, 64));
      region.close();
      pair.until("the end", () -> !pair.b.disconnected.isEmpty());
      assertEquals(ProviderException.Reason.INVALID, pair.b.cause.reason(), pair.b.cause.getMessage());
      assertEquals(0, region.segment().get(ValueLayout.JAVA_LONG, 0));
    }
  }

  private static void connect(Side side, String name) {
    int before = side.connected.size();
    side.connect(EndpointAddress.of(name));
    Await.until("connected", () -> side.connected.size() > before, side::poll, side::toString);
  }

  private static boolean asksThroughTheRing(Side side, String name) {
    side.connect(EndpointAddress.of(name));
    QueueLink shared = ((ShmQueue) side.queue()).connectedTo(EndpointAddress.of(name));
    return shared != null && ((ShmEndpoint) side.endpoint).connector().isBy(shared);
  }

  /** The peer knows only connected endpoints. The waiting connect finds no listener at the socket. */
  @Test
  void listenerConnectedThroughTheRingStopsDiesAndReturns() throws Exception {
    String name = "lane-" + ProcessHandle.current().pid();
    try (Domain domain = device().open(); Side side = new Side(domain, new PairOptions())) {
      try (ChildJvm child = ChildJvm.start(ShmChild.class, name)) {
        RemoteMemory theirs = domain.remoteMemory(0, 1 << 20, HexFormat.of().parseHex(child.await("region ")));
        child.await("listening ");
        connect(side, name);
        side.endpoint.post(new WorkRequest().read(side.openRegion(4096), 0, 4096, theirs, 0).id(1).flags(PostFlags.SIGNALED));
        finish(side, 1);
        connect(side, name);
        child.signal("STOP");
        assertTrue(asksThroughTheRing(side, name));
        child.signal("CONT");
        Await.until("connected", () -> side.connected.size() == 3, side::poll, side::toString);
        child.signal("STOP");
        assertTrue(asksThroughTheRing(side, name));
        child.kill();
        Await.until("their ends", () -> side.disconnected.size() == 4, side::poll, side::toString);
        assertEquals(ProviderException.Reason.REFUSED, side.endpoint.failure().reason(), side.endpoint.failure().getMessage());
        side.connected.forEach(each -> assertEquals(ProviderException.Reason.PEER_ENDED, each.failure().reason()));
        // The mapping outlives the process.
        theirs.close();
      }
      try (ChildJvm again = ChildJvm.start(ShmChild.class, name)) {
        again.await("listening ");
        assertFalse(asksThroughTheRing(side, name));
        Await.until("connected", () -> side.connected.size() == 4, side::poll, side::toString);
        connect(side, name);
        assertTrue(asksThroughTheRing(side, name));
        Await.until("connected", () -> side.connected.size() == 6, side::poll, side::toString);
        side.send(side.endpoint, Pattern.bytes(1, 64), PostFlags.SIGNALED);
        Await.until("the echo", () -> !side.messages.isEmpty(), side::poll, side::toString);
        Pattern.check(side.messages.poll().data(), 64, 1);
      }
    }
  }
}
