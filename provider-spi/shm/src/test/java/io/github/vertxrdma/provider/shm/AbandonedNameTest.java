package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Names of listeners that a killed process left behind: the next who want one race for it, and one of them gets it. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class AbandonedNameTest {
  private static final int RACERS = 4;
  private static final int ROUNDS = 50;

  private final Domain domain = Devices.require(List.of(new ShmProvider()), "shm", Map.of()).open();
  private final String name = "left-" + ProcessHandle.current().pid();
  private final String path = ((ShmDomain) domain).folder().socket(EndpointAddress.of(name));
  private final ExecutorService threads = Executors.newFixedThreadPool(RACERS);
  private final CyclicBarrier barrier = new CyclicBarrier(RACERS);
  @TempDir
  private Path runtime;
  /** A folder in which this process has not listened. */
  private ShmDevice device;
  private Path folder;

  @BeforeEach
  void find() {
    device = (ShmDevice) Devices.require(List.of(new ShmProvider()), "shm", Map.of("runtime", runtime.toString()));
    folder = device.folder().path();
  }

  @AfterEach
  void close() throws Exception {
    threads.close();
    domain.close();
    Files.deleteIfExists(Path.of(path));
  }

  /** A socket whose process is gone. */
  private static Path leave(String path) {
    int fd = SystemCalls.socket();
    assertEquals(0, SystemCalls.bind(fd, path));
    FileDescriptor.close(fd);
    return Path.of(path);
  }

  /** Of one of those who want the name: whether it got it, in each round. */
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
  void oneOfThoseWhoWantItGetsIt() throws Exception {
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

  private static void age(Path file) throws IOException {
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(1, ChronoUnit.MINUTES)));
  }

  /** Names that it chose for itself are wanted by nobody. */
  @Test
  void theFirstWhoListensInAFolderRemovesThem() throws IOException {
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
    AbandonedNames.removeAll(device.folder());
    assertEquals(-Errno.EAGAIN, SystemCalls.accept(living), "it is asked");
    FileDescriptor.close(living);
    assertEquals(List.of(false, true, true, true), List.of(Files.exists(left), Files.exists(aboutToListen), Files.exists(file),
      Files.exists(folder.resolve("2-abc"))));
  }
}
