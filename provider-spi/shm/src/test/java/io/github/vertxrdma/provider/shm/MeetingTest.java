package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Pattern;
import io.github.vertxrdma.provider.contract.Side;
import io.github.vertxrdma.provider.contract.attack.Attacker;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Processes that see one folder share memory, also across containers, as one user or one group. */
class MeetingTest {
  /** Runs a command as another user who may access any file. */
  private static final List<String> STRANGER = setpriv("4711", "--clear-groups", "dac_override");
  private static final String GROUP = "4712";
  private static final List<String> OF_GROUP = setpriv("4711", "--groups=" + GROUP, "dac_read_search");
  /** User 4713 of the group, in a user namespace of its own, when {@link #map} has given it that number. */
  private static final List<String> MAPPED = Stream.concat(
    Stream.of("unshare", "--user", "sh", "-c", "until grep -q 4714 /proc/self/uid_map; do sleep 0.05; done; exec \"$@\"", "sh"),
    setpriv("4713", "--groups=" + GROUP, "dac_read_search").stream()).toList();

  /** Short, because socket names are limited. */
  private Path folder;

  @BeforeEach
  void makeFolder() throws IOException {
    folder = Files.createTempDirectory("vr");
  }

  @AfterEach
  void removeFolder() throws IOException, InterruptedException {
    new ProcessBuilder("rm", "-rf", folder.toString()).inheritIO().start().waitFor();
  }

  private static Device device(Map<String, String> settings) {
    return Devices.require(List.of(new ShmProvider()), "shm", settings);
  }

  private static void assumeWorks(List<String> program) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(program);
    command.add("true");
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes());
      assumeTrue(process.waitFor() == 0, () -> "'" + String.join(" ", command) + "' is needed and fails here: " + said);
    } catch (IOException e) {
      abort("'" + command.getFirst() + "' is needed and not there: " + e.getMessage());
    }
  }

  /**
   * Connects to a {@link ShmChild}, reads its region and has a message echoed.
   *
   * @return the kernel's description of both ends
   */
  private static String shareMemory(Device device, String name, String key) {
    try (Domain domain = device.open(); Side side = new Side(domain, new PairOptions())) {
      side.connect(EndpointAddress.of(name));
      Await.until("connected", () -> !side.connected.isEmpty(), side::poll, side::toString);
      MemoryRegion mine = side.openRegion(4096);
      RemoteMemory theirs = domain.remoteMemory(0, 1 << 20, HexFormat.of().parseHex(key));
      side.endpoint.post(new WorkRequest().read(mine, 0, 4096, theirs, 0).id(1).flags(PostFlags.SIGNALED));
      Await.until("the read", () -> side.completion(1) != null, side::poll, side::toString);
      assertTrue(side.completion(1).ok(), side.completion(1).toString());
      side.send(side.endpoint, Pattern.bytes(1, 64), PostFlags.SIGNALED);
      Await.until("the echo", () -> !side.messages.isEmpty(), side::poll, side::toString);
      Pattern.check(side.messages.poll().data(), 64, 1);
      theirs.close();
      return HexFormat.of().formatHex(side.endpoint.channelBinding());
    }
  }

  @Test
  void containersThatShareTheFolderShareMemory() throws Exception {
    List<String> container = List.of("unshare", "--pid", "--ipc", "--net", "--uts", "--fork", "--kill-child");
    assumeWorks(container);
    String runtime = folder.resolve("run").toString();
    Device device = device(Map.of("runtime", runtime));
    try (ChildJvm child = ChildJvm.startBy(container, ShmChild.class, "contained", "runtime", runtime)) {
      assertEquals(device.subnet(), child.await("subnet "));
      String key = child.await("region ");
      child.await("listening ");
      shareMemory(device, "contained", key);
    }
  }

  @Test
  void requestsOfAUserHaveOneSource() {
    List<Object> sources = new ArrayList<>();
    try (Domain domain = device(Map.of("runtime", folder.resolve("run").toString())).open();
      Side listening = new Side(domain,
        new PairOptions());
      Side one = new Side(domain, new PairOptions());
      Side other = new Side(domain, new PairOptions())) {
      EndpointAddress there = listening.listen(null, request -> {
        sources.add(request.source());
        request.reject(new byte[0]);
      }).localAddress();
      one.connect(there);
      other.connect(there);
      Await.until("both requests", () -> sources.size() == 2, () -> listening.poll() + one.poll() + other.poll(), sources::toString);
    }
    String user = "user " + SystemCalls.userId();
    assertEquals(List.of(user, user), sources);
  }

  /** A process whose user namespace maps no user. */
  static final class Unmapped {
    public static void main(String[] settings) {
      System.out.println("source " + KernelIds.source(SystemCalls.userId()));
      System.out
        .println("unavailable " + new ShmProvider().discover(new DiscoveryOptions(null, Map.of(settings[0], settings[1]))).unavailable());
    }
  }

  /** The kernel reports all users of the host as one to such a process. */
  @Test
  void unknownUsersAreNotTheSameUser() throws Exception {
    List<String> namespace = List.of("unshare", "--user");
    assumeWorks(namespace);
    assertEquals("user " + SystemCalls.userId(), KernelIds.source(SystemCalls.userId()));
    try (ChildJvm child = ChildJvm.startBy(namespace, Unmapped.class, "runtime", folder.resolve("run").toString())) {
      assertEquals("unknown users", child.await("source "));
      String reason = child.await("unavailable ");
      assertTrue(reason.contains("cannot recognize this user's processes"), reason);
    }
  }

  @Test
  void differentFoldersAreNamed() throws IOException {
    Device one = device(Map.of("runtime", folder.resolve("one").toString()));
    assertNotEquals(one.subnet(), device(Map.of("runtime", folder.resolve("two").toString())).subnet());
    Path other = Files.createSymbolicLink(folder.resolve("same"), folder);
    assertEquals(one.subnet(), device(Map.of("runtime", other.resolve("one").toString())).subnet());
    Files.delete(folder.resolve("one/shm"));
    assertTrue(one.subnet().startsWith("folder ") && !one.subnet().equals("folder none"), one.subnet());
  }

  @Test
  void usersOfAGroupShareMemory() throws Exception {
    List<String> other = setpriv("4713", "--groups=" + GROUP, "dac_read_search");
    assumeWorks(OF_GROUP);
    Path meeting = folder.resolve("meeting");
    String[] settings = {MeetingFolder.GROUP, GROUP, MeetingFolder.FOLDER, meeting.toString()};
    device(Map.of(settings[0], settings[1], settings[2], settings[3]));
    assertEquals(03770, (Integer) Files.getAttribute(meeting, "unix:mode") & 07777);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (ChildJvm listener = ChildJvm.startBy(OF_GROUP, ShmChild.class, "one", settings[0], settings[1], settings[2], settings[3])) {
      String key = listener.await("region ");
      listener.await("listening ");
      try (ChildJvm visitor = ChildJvm.startBy(other, Visitor.class, key, settings[0], settings[1], settings[2], settings[3])) {
        visitor.await("shared");
        assertEquals("0000126900001267", visitor.await("users "), "user 4713 connected, user 4711 accepted");
        assertEquals("0000126900001267", listener.await("users "));
      }
    }
  }

  /** The kernel then refuses O_CREAT for files of other users in a folder with a sticky bit, proc_sys_fs(5). Debian's default. */
  @Test
  void usersOfGroupListenWhereRegularFilesAreProtected() throws Exception {
    List<String> one = setpriv("4711", "--groups=" + GROUP, "dac_read_search");
    List<String> other = setpriv("4713", "--groups=" + GROUP, "dac_read_search");
    assumeWorks(one);
    Path setting = Path.of("/proc/sys/fs/protected_regular");
    assumeTrue(Files.isWritable(setting), "SKIPPED protected_regular: this process may not set it");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path meeting = folder.resolve("meeting");
    String[] settings = {MeetingFolder.GROUP, GROUP, MeetingFolder.FOLDER, meeting.toString()};
    device(Map.of(settings[0], settings[1], settings[2], settings[3]));
    String before = Files.readString(setting).strip();
    Files.writeString(setting, "2");
    try (ChildJvm first = ChildJvm.startBy(one, ShmChild.class, "one", settings[0], settings[1], settings[2], settings[3])) {
      first.await("listening ");
      assertEquals(4711, Files.getAttribute(meeting.resolve(".lock"), "unix:uid"));
      try (ChildJvm second = ChildJvm.startBy(other, ShmChild.class, "two", settings[0], settings[1], settings[2], settings[3])) {
        second.await("listening ");
      }
    } finally {
      Files.writeString(setting, before);
    }
  }

  /** Users have other numbers in the other namespace, so proofs cannot cover them. */
  @Test
  void connectorOfGroupInAnotherUserNamespaceIsRefused() throws Exception {
    assertRefusedBetweenUserNamespaces(OF_GROUP, MAPPED);
  }

  /** The listener knows the connector by its number, and only the connector notices. */
  @Test
  void listenerOfGroupInAnotherUserNamespaceIsRefused() throws Exception {
    assertRefusedBetweenUserNamespaces(MAPPED, OF_GROUP);
  }

  private void assertRefusedBetweenUserNamespaces(List<String> listening, List<String> connecting) throws Exception {
    assumeWorks(OF_GROUP);
    assumeWorks(List.of("unshare", "--user"));
    Path meeting = folder.resolve("meeting");
    String[] settings = {MeetingFolder.GROUP, GROUP, MeetingFolder.FOLDER, meeting.toString()};
    device(Map.of(settings[0], settings[1], settings[2], settings[3]));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (ChildJvm listener = ChildJvm.startBy(listening, ShmChild.class, "one", settings[0], settings[1], settings[2], settings[3]);
      ChildJvm visitor = ChildJvm.startBy(connecting, Foreigner.class, settings[0], settings[1], settings[2], settings[3])) {
      map((listening == MAPPED ? listener : visitor).pid());
      listener.await("listening ");
      visitor.send("connect");
      String why = visitor.await("answer ");
      assertTrue(why.startsWith("UNREACHABLE") && why.contains("another user namespace") && why.contains("4714"), why);
    }
  }

  /** The kernel shows the listener's user, who has no number in the connector's user namespace, as 65534. */
  @Test
  void listenerOfUserOfAnotherUserNamespaceIsNamed() throws Exception {
    List<String> unmapped = setpriv("4715", "--clear-groups", "dac_override");
    assumeWorks(unmapped);
    assumeWorks(List.of("unshare", "--user"));
    Path run = folder.resolve("run");
    device(Map.of("runtime", run.toString()));
    Path meeting = run.resolve("shm");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    for (Path each : List.of(run, meeting)) {
      Files.setAttribute(each, "unix:uid", 4714);
    }
    try (ChildJvm listener = ChildJvm.startBy(unmapped, Knock.class, meeting.resolve("one").toString(), "listen");
      ChildJvm visitor = ChildJvm.startBy(MAPPED, Foreigner.class, "runtime", run.toString())) {
      map(visitor.pid());
      listener.await("listening");
      Files.setPosixFilePermissions(meeting.resolve("one"), PosixFilePermissions.fromString("rwxrwxrwx"));
      visitor.send("connect");
      String why = visitor.await("answer ");
      assertTrue(why.startsWith("REFUSED") && why.contains("user 65534, the number of users of another user namespace, listens there. Run"
        + " both as one user in one user namespace"), why);
    }
  }

  /** Gives user 4714 the number 4713 in the user namespace of a process, in which user 4711 keeps its number. */
  private static void map(long pid) throws InterruptedException {
    Path process = Path.of("/proc/" + pid);
    try {
      Path own = Files.readSymbolicLink(Path.of("/proc/self/ns/user"));
      while (own.equals(Files.readSymbolicLink(process.resolve("ns/user")))) {
        Thread.sleep(10);
      }
      Files.writeString(process.resolve("gid_map"), "0 0 65536");
      Files.writeString(process.resolve("uid_map"), "0 0 1\n4711 4711 1\n4713 4714 1");
    } catch (IOException e) {
      abort("this process may not map users of a namespace: " + e);
    }
  }

  static final class Foreigner {
    private Foreigner() {
    }

    public static void main(String[] arguments) {
      Map<String, String> settings = new HashMap<>();
      for (int i = 0; i < arguments.length; i += 2) {
        settings.put(arguments[i], arguments[i + 1]);
      }
      Device device = device(settings);
      IO.readln();
      try (Domain domain = device.open(); Side side = new Side(domain, new PairOptions())) {
        side.connect(EndpointAddress.of("one"));
        Await.until("an answer", () -> side.cause != null || !side.connected.isEmpty(), side::poll, side::toString);
        System.out.println("answer " + (side.cause == null ? "connected" : side.cause.reason() + " " + side.cause.getMessage()));
      }
    }
  }

  static final class Visitor {
    private Visitor() {
    }

    public static void main(String[] arguments) {
      String users = shareMemory(device(Map.of(arguments[1], arguments[2], arguments[3], arguments[4])), "one", arguments[0]);
      System.out.println("shared");
      System.out.println("users " + users);
    }
  }

  private static List<String> setpriv(String user, String groups, String capability) {
    return List.of("setpriv", "--reuid=" + user, "--regid=" + user, groups, "--inh-caps=+" + capability, "--ambient-caps=+" + capability);
  }

  @Test
  void userOutsideTheGroupIsDisconnectedWithoutHarm() throws Exception {
    assumeWorks(STRANGER);
    Device own = device(Map.of("runtime", folder.resolve("run").toString()));
    Path meeting = folder.resolve("meeting");
    Device shared = device(Map.of(MeetingFolder.GROUP, GROUP, MeetingFolder.FOLDER, meeting.toString()));
    for (Device device : List.of(own, shared)) {
      try (Pair pair = Pair.connected(device, new PairOptions())) {
        int before = Attacker.held().size();
        String path = ((ShmDevice) device).folder.socket(pair.listener().localAddress());
        try (ChildJvm child = ChildJvm.startBy(STRANGER, Knock.class, path)) {
          Await.until("it is hung up on", () -> child.hasPrinted("hung up") || child.hasPrinted("taken"), () -> exchange(pair),
            pair::toString);
          assertFalse(child.hasPrinted("taken"));
        }
        exchange(pair);
        assertEquals(1, pair.b.connected.size());
        Await.until("nothing is left", () -> Attacker.held().size() <= before, pair::poll, () -> before + ": " + Attacker.held());
        Endpoint more = pair.a.connect(pair.listener().localAddress());
        pair.until("another connection", () -> more.state() == EndpointState.CONNECTED);
      }
    }
  }

  private static int exchange(Pair pair) {
    pair.a.send(pair.left(), Pattern.bytes(1, 64), PostFlags.SIGNALED);
    pair.until("a message", () -> !pair.b.messages.isEmpty());
    Pattern.check(pair.b.messages.poll().data(), 64, 1);
    pair.a.completions.clear();
    pair.b.completions.clear();
    return 0;
  }

  @Test
  void listenerOfAnotherUserIsNotTrusted() throws Exception {
    assumeWorks(STRANGER);
    Device device = device(Map.of("runtime", folder.resolve("run").toString()));
    String path = ((ShmDevice) device).folder.socket(EndpointAddress.of("taken"));
    try (ChildJvm child = ChildJvm.startBy(STRANGER, Knock.class, path, "listen");
      Domain domain = device.open();
      Side side = new Side(domain, new PairOptions())) {
      child.await("listening");
      side.connect(EndpointAddress.of("taken"));
      Await.until("refused", () -> side.cause != null, side::poll, side::toString);
      assertEquals(Reason.REFUSED, side.cause.reason());
      assertTrue(side.cause.getMessage().contains("user 4711"), side.cause.getMessage());
    }
  }

  static final class Knock {
    private static final int TIMES = 300;

    private Knock() {
    }

    public static void main(String[] arguments) throws InterruptedException {
      if (arguments.length > 1) {
        int fd = SystemCalls.socket();
        check(SystemCalls.bind(fd, arguments[0]));
        SystemCalls.listen(fd, 1);
        System.out.println("listening");
        Thread.sleep(Long.MAX_VALUE);
      }
      List<DescriptorSocket> sockets = new ArrayList<>();
      for (int i = 0; i < TIMES; i++) {
        int fd = SystemCalls.socket();
        int errno = SystemCalls.connect(fd, arguments[0]);
        while (errno == Errno.EAGAIN) {
          Thread.sleep(1);
          errno = SystemCalls.connect(fd, arguments[0]);
        }
        check(errno);
        sockets.add(new DescriptorSocket(fd));
      }
      boolean taken = false;
      for (DescriptorSocket socket : sockets) {
        SocketMessage.Received end = null;
        while (end == null) {
          end = socket.receive();
        }
        taken |= end.bytes().length > 0;
      }
      System.out.println(taken ? "taken" : "hung up");
    }

    private static void check(int errno) {
      if (errno != 0) {
        throw new ProviderException(Reason.OTHER, errno, "errno " + errno);
      }
    }
  }

  @Test
  void aFolderOpenToOthersIsRefusedByName() throws IOException {
    Path meeting = Files.createDirectory(folder.resolve("meeting"));
    Files.setPosixFilePermissions(meeting, PosixFilePermissions.fromString("rwxrwxrwx"));
    String group = Files.getAttribute(meeting, "unix:gid").toString();
    assertUnavailable(Map.of(MeetingFolder.GROUP, group, MeetingFolder.FOLDER, meeting.toString()), "must be a folder of the group");
    assertUnavailable(Map.of("runtime", meeting.toString()), "must be a folder of this user");
    assertUnavailable(Map.of(MeetingFolder.GROUP, "no-such-group", MeetingFolder.FOLDER, folder.resolve("new").toString()),
      "there is no group 'no-such-group' on this system");
  }

  @Test
  void fileOrLinkInPlaceOfTheFolderIsNamed() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), Files.createDirectory(folder.resolve("meeting")));
    assertUnavailable(Map.of("runtime", file.toString()), "cannot use " + file + ": it is not a folder. Remove it, or name another");
    assertUnavailable(Map.of("runtime", link.toString()), "cannot use " + link + ": it is a symbolic link. Remove it, or name another");
  }

  private static void assertUnavailable(Map<String, String> settings, String why) {
    Discovery discovery = new ShmProvider().discover(new DiscoveryOptions(null, settings));
    assertTrue(discovery.devices().isEmpty() && discovery.unavailable().toString().contains(why), discovery.toString());
  }

  /** A letter beyond ASCII has two or more bytes. */
  @Test
  void pathsThatAreTooLongForSocketsAreNamedWithTheirLimit() {
    assertUnavailable(Map.of("runtime", folder.resolve("ü".repeat(50)).toString()),
      "/shm is too long: with a name, a path of a socket may have at most 107 bytes. To correct it, name another runtime folder "
        + "with VERTX_RDMA_RUNTIME");
    MeetingFolder meeting = ((ShmDevice) device(Map.of("runtime", folder.resolve("run").toString()))).folder;
    String name = "ü".repeat(53);
    int bytes = folder.resolve("run").resolve("shm").toString().length() + 1 + 2 * 53;
    assertEquals(
      "shm: the name '" + name + "' is too long: with its folder it has " + bytes + " bytes, and at most 107 are allowed. Name a "
        + "folder with a shorter path with VERTX_RDMA_RUNTIME",
      assertThrows(ProviderException.class, () -> meeting.socket(EndpointAddress.of(name)))
        .getMessage());
  }

  /** A member of the group could exchange files of others, rename(2). */
  @Test
  void folderOfGroupWithoutStickyBitIsRefusedByName() throws IOException {
    Path meeting = Files.createDirectory(folder.resolve("meeting"));
    Files.setAttribute(meeting, "unix:mode", 02770);
    String group = Files.getAttribute(meeting, "unix:gid").toString();
    assertUnavailable(Map.of(MeetingFolder.GROUP, group, MeetingFolder.FOLDER, meeting.toString()), "chmod 3770 " + meeting);
  }

  /** Only a member can give a folder to the group. Another user who creates it first takes it away from the group. */
  @Test
  void folderThatUserOutsideTheGroupCreatedIsRefusedByName() throws Exception {
    assumeWorks(STRANGER);
    Path meeting = folder.resolve("meeting");
    List<String> create = new ArrayList<>(STRANGER);
    create.addAll(List.of("mkdir", "--mode=3770", meeting.toString()));
    assertEquals(0, new ProcessBuilder(create).inheritIO().start().waitFor());
    create.subList(STRANGER.size(), create.size()).clear();
    create.addAll(List.of("chgrp", GROUP, meeting.toString()));
    assertNotEquals(0, new ProcessBuilder(create).start().waitFor(), "a user gave a folder to a group without being its member");
    assertUnavailable(Map.of(MeetingFolder.GROUP, GROUP, MeetingFolder.FOLDER, meeting.toString()),
      "or name another folder with -Dvertx.rdma." + MeetingFolder.FOLDER);
  }

  private Device ofGroup() throws IOException {
    Path meeting = folder.resolve("meeting");
    return device(Map.of(MeetingFolder.GROUP, Files.getAttribute(folder, "unix:gid").toString(), MeetingFolder.FOLDER, meeting.toString()));
  }

  @Test
  void fileBehindExchangedLinkKeepsItsMode() throws IOException {
    MeetingFolder meeting = ((ShmDevice) ofGroup()).folder;
    Path key = Files.createFile(folder.resolve("key"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Path link = Files.createSymbolicLink(meeting.path().resolve("link"), key);
    assertThrows(IOException.class, () -> meeting.open(link, PathDescriptor.SOCKET));
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(key)));
    Files.createSymbolicLink(meeting.path().resolve(".lock"), key);
    assertThrows(IOException.class, meeting::lock);
  }

  @Test
  void fifoInPlaceOfTheLockDoesNotBlock() throws Exception {
    MeetingFolder meeting = ((ShmDevice) ofGroup()).folder;
    String fifo = meeting.path().resolve(".lock").toString();
    assertEquals(0, new ProcessBuilder("mkfifo", fifo).inheritIO().start().waitFor());
    assertThrows(IOException.class, meeting::lock);
  }

  @Test
  void socketOfGroupIsOpenToItsMembersWhateverTheUmask() throws Exception {
    Path meeting = folder.resolve("meeting");
    String[] settings = {MeetingFolder.GROUP, Files.getAttribute(folder, "unix:gid").toString(), MeetingFolder.FOLDER, meeting.toString()};
    try (ChildJvm child = ChildJvm.startBy(List.of("sh", "-c", "umask 077; exec \"$@\"", "sh"), ShmChild.class, "one", settings[0],
      settings[1], settings[2], settings[3])) {
      child.await("listening ");
      assertEquals("rw-rw----", PosixFilePermissions.toString(Files.getPosixFilePermissions(meeting.resolve("one"))));
      assertEquals("rw-rw----", PosixFilePermissions.toString(Files.getPosixFilePermissions(meeting.resolve(".lock"))));
    }
  }

  @Test
  void removedSocketIsRestored() throws Exception {
    String runtime = folder.resolve("run").toString();
    Device device = device(Map.of("runtime", runtime));
    try (ChildJvm child = ChildJvm.start(ShmChild.class, "kept", "runtime", runtime)) {
      String key = child.await("region ");
      child.await("listening ");
      Path socket = folder.resolve("run/shm/kept");
      Files.delete(socket);
      Await.until("it listens again", () -> {
        int fd = SystemCalls.socket();
        try {
          return SystemCalls.connect(fd, socket.toString()) == 0;
        } finally {
          FileDescriptor.close(fd);
        }
      });
      shareMemory(device, "kept", key);
    }
  }

  @Test
  void cleanerOfTemporaryFilesLeavesFolderWithListenerAlone() throws Exception {
    Path config = Files.writeString(folder.resolve("tmp.conf"), "q " + folder + " 1777 root root am:1d\n");
    List<String> clean = List.of("systemd-tmpfiles", "--clean", config.toString());
    assumeTrue(cleans(clean), () -> "'" + String.join(" ", clean) + "' is needed and fails here");
    String runtime = folder.resolve("run").toString();
    try (ChildJvm child = ChildJvm.start(ShmChild.class, "kept", "runtime", runtime)) {
      child.await("listening ");
      Path file = Files.createFile(folder.resolve("run/secret"));
      Path left = Files.createFile(folder.resolve("left"));
      for (Path old : List.of(file, left, folder.resolve("run/shm/kept"))) {
        assertEquals(0, new ProcessBuilder("touch", "-h", "-d", "3 days ago", old.toString()).inheritIO().start().waitFor());
      }
      assertTrue(cleans(clean));
      assertEquals(List.of(false, true, true),
        List.of(Files.exists(left), Files.exists(file), Files.exists(folder.resolve("run/shm/kept"))));
    }
  }

  private static boolean cleans(List<String> clean) throws InterruptedException {
    try {
      return new ProcessBuilder(clean).inheritIO().start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void noOtherClassChangesFilesByTheirPaths() throws IOException {
    Path sources = Path.of("src/main/java/io/github/vertxrdma/provider/shm");
    Predicate<String> changes = java.util.regex.Pattern
      .compile("setPosixFilePermissions|setAttribute|setOwner|createLink|createSymbolicLink|Files\\.move").asPredicate();
    try (Stream<Path> files = Files.list(sources)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        String text = Files.readString(file);
        String rest = name.equals("MeetingFolder.java") ? text.replace("Files.move(made, folder", "") : text;
        assertTrue(name.equals("PathDescriptor.java") || !changes.test(rest), name);
      }
    }
  }
}
