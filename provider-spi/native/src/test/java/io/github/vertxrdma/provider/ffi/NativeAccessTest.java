package io.github.vertxrdma.provider.ffi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.SystemError;
import io.github.vertxrdma.provider.contract.HeaderProbe;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class NativeAccessTest {
  private static final int SIGFPE = 8;
  private static final long SIG_IGN = 1;

  @BeforeAll
  static void onLinux() {
    Assumptions.assumeTrue(System.getProperty("os.name").equals("Linux"), "native access is for Linux");
  }

  @Test
  void callsPassArgumentsOfAnySizeAndResultsOfAnySize() {
    assertEquals(7, Calls.number(Downcall.libc("abs"), -7));
    assertEquals(1L << 40, Calls.pointer(Downcall.libc("labs"), -1L << 40));
    assertEquals('A', (int) Calls.plain(Downcall.function("toupper"), 'a'));
    assertEquals(ProcessHandle.current().pid(), Calls.number(Downcall.libc("getpid")));
    assertEquals(-1, Calls.number(Downcall.libc("fcntl"), -1, 1), "one of its arguments is variable");
    assertEquals(9, Errno.last(), "EBADF");
    Calls.plain(Downcall.function("close"), -2);
    assertEquals(-1, Calls.pointer(Downcall.libc("lseek"), -1, 0, 2));
    assertEquals(9, Errno.last());
  }

  @Test
  void callsHaveSixArguments() {
    long page = Calls.pointer(Downcall.libc("mmap"), 0, 4096, 3, 0x22, -1, 0);
    assertNotEquals(-1, page);
    Memory.putLong(page, 5);
    assertEquals(5, Memory.getLong(page));
    assertEquals(-1, Calls.plain(Downcall.function("mmap"), 0, 0, 3, 0x22, -1, 0), "of no bytes");
    assertEquals(0, Calls.number(Downcall.libc("munmap"), page, 4096));
  }

  @Test
  void allocatedPagesAreOccupiedWhenTheyAreFirstUsed() {
    int pages = 256;
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = Memory.allocatePages(pages * 4096L, arena);
      assertEquals(0, occupied(memory, pages));
      assertEquals(0, memory.get(ValueLayout.JAVA_LONG, 0));
      memory.set(ValueLayout.JAVA_BYTE, 5 * 4096L, (byte) 1);
      memory.set(ValueLayout.JAVA_BYTE, 5 * 4096L + 1, (byte) 1);
      memory.set(ValueLayout.JAVA_BYTE, pages * 4096L - 1, (byte) 1);
      assertEquals(3, occupied(memory, pages));
    }
  }

  @Test
  void pagesThatNoArenaTakesAreUnmapped() throws IOException {
    Arena closed = Arena.ofShared();
    closed.close();
    long before = addressSpaceKilobytes();
    for (int i = 0; i < 64; i++) {
      assertThrows(IllegalStateException.class, () -> Memory.allocatePages(1L << 30, closed));
    }
    assertTrue(addressSpaceKilobytes() - before < 32L << 20);
  }

  private static long addressSpaceKilobytes() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream().filter(line -> line.startsWith("VmSize:"))
      .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).sum();
  }

  private static int occupied(MemorySegment memory, int pages) {
    long states = Memory.allocate(pages);
    assertEquals(0, Calls.number(Downcall.libc("mincore"), memory.address(), pages * 4096L, states));
    int count = 0;
    for (byte state : Memory.getBytes(states, pages)) {
      count += state & 1;
    }
    Memory.free(states);
    return count;
  }

  @Test
  void memoryHoldsWhatIsPut() {
    long address = Memory.allocateAligned(100, 64);
    assertEquals(0, address % 64);
    assertEquals(0, Memory.getLong(address + 92));
    Memory.putLong(address + 1, -2);
    Memory.putInt(address + 9, 7);
    Memory.putBytes(address + 16, new byte[] {1, 2, 3});
    assertEquals(-2, Memory.getLong(address + 1));
    assertEquals(7, Memory.getInt(address + 9));
    assertArrayEquals(new byte[] {1, 2, 3}, Memory.getBytes(address + 16, 3));
    Memory.free(address);
    Memory.free(0);
    long string = Memory.allocateString("größer");
    assertEquals("größer", Memory.getString(string));
    Memory.free(string);
  }

  @Test
  void theNullPageIsRefused() {
    assertThrows(NullPointerException.class, () -> Memory.getLong(0));
    assertThrows(NullPointerException.class, () -> Memory.putInt(24, 1));
    assertEquals(null, Memory.getString(0));
  }

  @Test
  void signalHandlersArePutBack() {
    long before = SignalGuard.handler(SIGFPE);
    long signal = Downcall.libc("signal");
    int value = SignalGuard.run(() -> {
      Calls.pointer(signal, SIGFPE, SIG_IGN);
      assertEquals(SIG_IGN, SignalGuard.handler(SIGFPE));
      return 5;
    });
    assertEquals(5, value);
    assertEquals(before, SignalGuard.handler(SIGFPE));
  }

  @Test
  void aLibraryIsFoundBySoname() {
    var found = assertInstanceOf(LibraryLookup.Found.class, NativeLibrary.load(search("libm.so.6", null)));
    assertNotEquals(0, found.library().find("cos"));
    assertEquals(0, found.library().find("no_such_function"));
    assertTrue(found.library().file("cos").contains("libm"), found.library().file("cos"));
    var e = assertThrows(ProviderException.class, () -> found.library().require("no_such_function"));
    assertEquals(ProviderException.Reason.TOO_OLD, e.reason());
  }

  @Test
  void aMissingLibraryIsExplained(@TempDir Path folder) throws Exception {
    var missing = assertInstanceOf(LibraryLookup.Missing.class, NativeLibrary.load(search("libnosuchthing.so.1", null)));
    assertTrue(missing.reason().contains("libnosuchthing.so.1"), missing.reason());
    assertEquals("install it", missing.remedy());
    Path text = Files.writeString(folder.resolve("text.so"), "not a library");
    missing = assertInstanceOf(LibraryLookup.Missing.class, NativeLibrary.load(search("libm.so.6", text.toString())));
    assertTrue(missing.reason().contains("GIVEN_BY names " + text), missing.reason());
    assertTrue(missing.remedy().contains("GIVEN_BY"), missing.remedy());
  }

  @Test
  void commandsForRootAreWrittenForTheUser(@TempDir Path folder) throws IOException {
    Path status = folder.resolve("status");
    Files.writeString(status, "Name:\tjava\nUid:\t1000\t0\t0\t0\n");
    assertTrue(RootCommand.isRoot(status));
    Files.writeString(status, "Name:\tjava\nUid:\t1000\t1000\t1000\t1000\n");
    assertFalse(RootCommand.isRoot(status));
    assertEquals("modprobe siw", RootCommand.of("modprobe siw", true));
    assertEquals("sudo modprobe siw", RootCommand.of("modprobe siw", false));
  }

  private static LibrarySearch search(String soname, String given) {
    return new LibrarySearch(soname, given, "GIVEN_BY", List.of("/nowhere/" + soname), "install it");
  }

  @Test
  void anEpollJoinsFds() {
    int one = FileDescriptor.event();
    int two = FileDescriptor.event();
    long eight = Memory.allocate(8);
    Memory.putLong(eight, 1);
    try (Epoll epoll = new Epoll()) {
      epoll.add(one);
      epoll.add(two);
      assertFalse(FileDescriptor.readable(epoll.fd(), 0));
      assertEquals(8, FileDescriptor.write(two, eight, 8));
      assertTrue(FileDescriptor.readable(epoll.fd(), 1000));
      assertEquals(8, FileDescriptor.read(two, eight, 8));
      assertFalse(FileDescriptor.readable(epoll.fd(), 0));
      assertTrue(FileDescriptor.read(two, eight, 8) < 0, "reads do not wait");
      epoll.remove(one);
      var e = assertThrows(ProviderException.class, () -> epoll.add(-1));
      assertTrue(e.getMessage().contains("EBADF"), e.getMessage());
      epoll.close();
    } finally {
      FileDescriptor.close(one);
      FileDescriptor.close(two);
      Memory.free(eight);
    }
  }

  @Test
  void errnoHasNamesAndWords() {
    assertEquals("ENOMEM", Errno.name(12));
    assertEquals("errno 4000", Errno.name(4000));
    assertTrue(Errno.describe(111).startsWith("errno 111 ECONNREFUSED, "), Errno.describe(111));
    assertTrue(MemlockLimit.bytes() > 0);
    assertTrue(MemlockLimit.describe().contains("memlock limit"));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OTHER")
  void jdkExceptionIsRecognisedByItsLocalisedText(SystemError error) {
    assertEquals(Errno.message(error.errno()), new Strerror().of(error.errno()));
    assertEquals(error, SystemError.of(new IOException(Errno.message(error.errno()))));
  }

  @Test
  void numbersAreThoseOfTheHeaders() {
    Map<String, Long> expected = new java.util.TreeMap<>(
      Map.of("RTLD_NOW", 2L, "sizeof(Dl_info) <= 64", 1L, "EFD_NONBLOCK | EFD_CLOEXEC", 0x80800L,
        "EPOLL_CLOEXEC", 0x80000L, "EPOLLIN", 1L, "sizeof(struct epoll_event) <= 16", 1L, "RLIMIT_MEMLOCK", 8L,
        "sizeof(struct sigaction) <= 256", 1L, "offsetof(struct sigaction, sa_handler)", 0L, "O_NONBLOCK", 0x800L));
    expected.put("offsetof(struct epoll_event, data)", System.getProperty("os.arch").equals("amd64") ? 4L : 8L);
    for (int errno : new int[] {Errno.EPERM, Errno.ENOSPC, Errno.ENOSYS, Errno.EOPNOTSUPP, Errno.ECANCELED, Errno.ENODATA}) {
      expected.put(Errno.name(errno), (long) errno);
    }
    for (SystemError error : SystemError.values()) {
      if (error != SystemError.OTHER) {
        expected.put(error.name(), (long) error.errno());
      }
    }
    HeaderProbe.check(List.of("dlfcn.h", "errno.h", "fcntl.h", "signal.h", "sys/epoll.h", "sys/eventfd.h", "sys/resource.h"), expected);
  }
}
