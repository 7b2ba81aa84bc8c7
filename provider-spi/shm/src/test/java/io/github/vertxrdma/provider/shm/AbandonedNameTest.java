package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.SocketCalls;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
@Timeout(60)
class AbandonedNameTest {
  private static final int RACERS = 4;
  private static final int ROUNDS = 50;
  private static final int CHECKED = 1 << 14;

  private final Domain domain = Devices.require(List.of(new ShmProvider()), "shm", Map.of()).open();
  private final String name = "left-" + ProcessHandle.current().pid();
  private final String path = ((ShmDomain) domain).folder().socket(EndpointAddress.of(name));
  private final ExecutorService threads = Executors.newFixedThreadPool(RACERS);
  private final CyclicBarrier barrier = new CyclicBarrier(RACERS);
  @TempDir
  private Path runtime;
  private ShmDevice device;
  private Path folder;

  @BeforeEach
  void find() {
    device = (ShmDevice) Devices.require(List.of(new ShmProvider()), "shm", Map.of("runtime", runtime.toString()));
    folder = device.folder.path();
  }

  @AfterEach
  void close() throws Exception {
    threads.close();
    domain.close();
    Files.deleteIfExists(Path.of(path));
  }

  private static Path leave(String path) {
    int fd = SystemCalls.socket();
    assertEquals(0, SystemCalls.bind(fd, path));
    FileDescriptor.close(fd);
    return Path.of(path);
  }

  private List<Boolean> race(boolean first) throws Exception {
    List<Boolean> won = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      if (first) {
        leave(path);
      }
      try (Side side = new Side(domain, new PairOptions())) {
        barrier.await(20, TimeUnit.SECONDS);
        boolean listens = listens(side);
        won.add(listens);
        barrier.await(20, TimeUnit.SECONDS);
        if (listens) {
          int probe = SystemCalls.socket();
          assertEquals(0, SystemCalls.connect(probe, path), "who listens is found, round " + round);
          FileDescriptor.close(probe);
        }
        barrier.await(20, TimeUnit.SECONDS);
      }
      DaemonThreads.FOLDER.await();
      barrier.await(20, TimeUnit.SECONDS);
    }
    return won;
  }

  private boolean listens(Side side) {
    try {
      side.listen(EndpointAddress.of(name), side::accept);
      return true;
    } catch (ProviderException e) {
      assertEquals(Reason.ADDRESS_IN_USE, e.reason(), e.getMessage());
      return false;
    }
  }

  @Test
  void oneOfSeveralListenersGetsTheName() throws Exception {
    List<Callable<List<Boolean>>> racers = new ArrayList<>();
    for (int i = 0; i < RACERS; i++) {
      boolean first = i == 0;
      racers.add(() -> race(first));
    }
    List<List<Boolean>> won = new ArrayList<>();
    for (Future<List<Boolean>> racer : threads.invokeAll(racers)) {
      won.add(racer.get());
    }
    for (int round = 0; round < ROUNDS; round++) {
      int at = round;
      assertEquals(1, won.stream().filter(each -> each.get(at)).count(), "who listen in round " + round);
    }
  }

  static final class LockHolder {
    public static void main(String[] arguments) throws IOException {
      try (FileChannel lock = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        lock.lock();
        System.out.println("locked");
        System.in.read();
      }
      System.out.println("free");
    }
  }

  @Test
  void removedNameIsRestoredUnderTheLockOfTheFolder() throws Exception {
    try (Domain own = device.open();
      Side side = new Side(own, new PairOptions());
      ChildJvm child = ChildJvm.start(LockHolder.class, folder.resolve(".lock").toString())) {
      child.await("locked");
      Listener listener = side.listen(null, side::accept);
      Path socket = folder.resolve(listener.localAddress().toString());
      assertEquals(List.of(socket), own.files());
      Files.delete(socket);
      assertFalse(own.restoreFiles());
      assertTrue(Files.notExists(socket));
      child.send("end");
      child.await("free");
      assertTrue(own.restoreFiles());
      assertTrue(Files.exists(socket));
      listener.close();
      assertEquals(List.of(), own.files());
      assertTrue(own.restoreFiles());
    }
  }

  @Test
  void closedListenerLeavesTheSocketOfAnotherAlone() throws IOException {
    try (Domain own = device.open(); Side side = new Side(own, new PairOptions()); Side other = new Side(own, new PairOptions())) {
      Listener first = side.listen(EndpointAddress.of("taken"), side::accept);
      Files.delete(folder.resolve("taken"));
      Listener second = other.listen(EndpointAddress.of("taken"), other::accept);
      first.close();
      DaemonThreads.FOLDER.await();
      assertTrue(Files.exists(folder.resolve("taken")));
      second.close();
      DaemonThreads.FOLDER.await();
      assertTrue(Files.notExists(folder.resolve("taken")));
    }
  }

  /** The event loop makes only calls that do not change the folder. */
  @Test
  void listenerIsPreparedAndClosedWhileTheFolderIsLocked() throws Exception {
    try (Domain own = device.open();
      Side side = new Side(own, new PairOptions());
      ChildJvm child = ChildJvm.start(LockHolder.class, folder.resolve(".lock").toString())) {
      child.await("locked");
      Callable<EndpointAddress> preparation = own.listenPreparation(side.queue(), EndpointAddress.of("prepared"));
      assertThrows(ProviderException.class, preparation::call);
      child.send("end");
      child.await("free");
      assertEquals(EndpointAddress.of("prepared"), preparation.call());
      Files.delete(folder.resolve("prepared"));
      Listener listener = side.listen(EndpointAddress.of("prepared"), side::accept);
      assertTrue(Files.notExists(folder.resolve("prepared")));
      listener.close();
      Callable<EndpointAddress> unused = own.listenPreparation(side.queue(), null);
      Path left = folder.resolve(unused.call().toString());
      assertTrue(Files.exists(left));
      side.close();
      DaemonThreads.FOLDER.await();
      assertTrue(Files.notExists(left));
      assertThrows(ProviderException.class, unused::call);
    }
  }

  private static void age(Path file) throws IOException {
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(1, ChronoUnit.MINUTES)));
  }

  @Test
  void firstListenerInAFolderRemovesAbandonedNames() throws IOException {
    Path left = leave(folder.resolve("1-abc").toString());
    age(left);
    try (Domain own = device.open(); Side side = new Side(own, new PairOptions())) {
      side.listenAndAccept();
      Await.until("it is removed", () -> Files.notExists(left));
    }
  }

  @Test
  void socketOfLivingProcessAndYoungOneStay() throws IOException {
    Path left = leave(folder.resolve("1-abc").toString());
    age(left);
    Path aboutToListen = leave(folder.resolve("1-abd").toString());
    Path file = Files.createFile(folder.resolve("file"));
    age(file);
    int living = SystemCalls.socket();
    assertEquals(0, SystemCalls.bind(living, folder.resolve("2-abc").toString()));
    age(folder.resolve("2-abc"));
    SystemCalls.listen(living, 1);
    AbandonedNames.removeAll(device.folder);
    assertEquals(-Errno.EAGAIN, SocketCalls.accept(living), "it is asked");
    FileDescriptor.close(living);
    assertEquals(List.of(false, true, true, true), List.of(Files.exists(left), Files.exists(aboutToListen), Files.exists(file),
      Files.exists(folder.resolve("2-abc"))));
  }

  @Test
  void namesBeyondTheLimitAreLeftToALaterProcess() throws IOException {
    Path left = leave(folder.resolve("left").toString());
    age(left);
    for (int i = 0; i < CHECKED; i++) {
      Files.createLink(folder.resolve("1-" + i), left);
    }
    AbandonedNames.removeAll(device.folder);
    assertTrue(abandoned() > 0);
    AbandonedNames.removeAll(device.folder);
    assertEquals(0, abandoned());
  }

  private long abandoned() throws IOException {
    try (Stream<Path> names = Files.list(folder)) {
      return names.filter(each -> !each.endsWith(".lock")).count();
    }
  }
}
