package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.RecordedWatch;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@EnabledOnOs(OS.LINUX)
@Timeout(60)
class DescriptorSetTest {
  private static final int LEARNT = 32;

  @TempDir
  private Path folder;
  private DescriptorSet set;
  private RecordedWatch watch;
  private UnixListenSocket listener;
  private Peer often;
  private Peer rare;

  private final class Peer implements Pollable {
    private final DescriptorSocket theirs = set.connect(folder.resolve("socket").toString());
    private final DescriptorSocket mine = listener.accept();
    private final int fd = mine.fd;
    private int calls;
    private int messages;
    private boolean gone;

    Peer() {
      set.watch(fd, this);
    }

    @Override
    public void ready() {
      calls++;
      set.receive(fd, message -> {
        messages++;
        gone |= message.bytes().length == 0;
      });
    }

    void receive() {
      theirs.wake();
      assertTrue(FileDescriptor.readable(fd, 20_000));
    }

    void wake() {
      set.arm(0);
      receive();
      int before = messages;
      set.poll();
      assertEquals(before + 1, messages);
    }

    void close() {
      theirs.close();
      mine.close();
    }
  }

  @BeforeEach
  void open() {
    Devices.require(new ShmProvider(), "shm");
    set = new DescriptorSet();
    watch = new RecordedWatch(set.fd());
    listener = UnixListenSocket.listen(folder.resolve("socket").toString(), 4);
    often = new Peer();
    rare = new Peer();
  }

  @AfterEach
  void close() {
    if (set != null) {
      often.close();
      rare.close();
      listener.close();
      set.close();
    }
  }

  private void wakeUntilDirect() {
    set.offer(watch);
    for (int i = 0; i < LEARNT; i++) {
      often.wake();
    }
    set.arm(0);
    assertEquals(List.of(often.fd), watch.watched);
  }

  private boolean setTells() {
    return FileDescriptor.readable(set.fd(), 0);
  }

  @Test
  void descriptorThatEndsAllSleepsIsWatchedDirectly() {
    wakeUntilDirect();
    for (int i = 0; i < 100; i++) {
      often.wake();
    }
    set.arm(0);
    often.receive();
    assertFalse(setTells(), "the set tells of it too");
    rare.receive();
    assertTrue(setTells(), "the set does not tell of others");
    set.poll();
    assertEquals(1, rare.messages);
    often.wake();
    assertEquals(List.of(often.fd), watch.watched, "one that has something now and then changes nothing");
  }

  @Test
  void onlyReadyDescriptorsAreReadAfterASleep() {
    wakeUntilDirect();
    int calls = often.calls;
    rare.receive();
    set.poll();
    assertEquals(1, rare.messages);
    set.arm(0);
    set.poll();
    assertEquals(calls, often.calls, "looks in vain");
    watch.reportsSet = false;
    rare.receive();
    for (int i = 0; i < 100; i++) {
      often.wake();
    }
    assertEquals(1, rare.messages, "of a set that nobody has found readable");
    watch.reportsSet = true;
    set.arm(0);
    set.poll();
    assertEquals(2, rare.messages);
  }

  /** A task of the loop may end a sleep, and its poll makes no system call. The message ends the next sleep. */
  @Test
  void pollReadsNoSocketWhenNoDescriptorEndedTheSleep() {
    set.offer(watch);
    watch.reportsSet = false;
    rare.receive();
    set.arm(0);
    assertFalse(set.poll());
    assertEquals(0, rare.calls);
    set.poll();
    assertEquals(1, rare.messages, "a poll without a sleep before it reads all sockets");
    watch.reportsSet = true;
    rare.wake();
  }

  @Test
  void furtherPollsFindOtherDescriptors() {
    wakeUntilDirect();
    set.poll();
    rare.receive();
    set.poll();
    assertEquals(1, rare.messages);
  }

  @Test
  void furtherPollsFindTheDirectlyWatchedDescriptor() {
    wakeUntilDirect();
    set.poll();
    int messages = often.messages;
    often.receive();
    set.poll();
    assertEquals(messages + 1, often.messages);
  }

  private record Change(String name, Consumer<DescriptorSetTest> action) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Change> changes() {
    return Stream.of(
      new Change("the offer ends", test -> test.set.offer(null)),
      new Change("another one has as much", test -> {
        test.rare.wake();
        test.rare.wake();
      }));
  }

  @ParameterizedTest
  @MethodSource("changes")
  void directWatchReturnsToTheSetWhen(Change change) {
    wakeUntilDirect();
    change.action.accept(this);
    assertEquals(List.of(often.fd, -1), watch.watched);
    set.arm(0);
    often.receive();
    assertTrue(setTells());
    int messages = often.messages;
    set.poll();
    assertEquals(messages + 1, often.messages);
  }

  @Test
  void itIsWatchedNoLongerWhenTheSetIsNotToTellOfIt() {
    wakeUntilDirect();
    set.unwatch(often.fd, often);
    assertEquals(List.of(often.fd, -1), watch.watched);
    set.arm(0);
    often.receive();
    assertFalse(setTells());
    rare.wake();
  }

  @Test
  void reusedDescriptorNumberIsAnotherSocket() {
    for (int i = 0; i < LEARNT; i++) {
      often.wake();
    }
    set.unwatch(often.fd, often);
    set.watch(often.fd, rare);
    set.offer(watch);
    set.arm(0);
    assertEquals(List.of(), watch.watched);
    set.unwatch(often.fd, rare);
  }

  @Test
  void endOfADescriptorIsReported() {
    wakeUntilDirect();
    often.theirs.close();
    assertTrue(FileDescriptor.readable(often.fd, 20_000));
    set.poll();
    assertTrue(often.gone);
  }

  @Test
  void failedDirectWatchIsNotRepeated() {
    watch.able = false;
    set.offer(watch);
    for (int i = 0; i < 4 * LEARNT; i++) {
      often.wake();
    }
    assertEquals(List.of(often.fd), watch.watched);
    set.arm(0);
    often.receive();
    assertTrue(setTells());
  }
}
