package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * File that an event loop and its peers on this host map. Its ints state whether the loop sleeps and whether peers need its progress.
 *
 * @param token random number that distinguishes files of the same name
 */
public record WakeFile(Path path, Path socket, long token) {
  /** Accesses an int. Each int has its own cache line, because peers may write it for every message. */
  static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  /** Offset of the state: {@link #ASLEEP} or {@link #ASLEEP_WAITING} while the loop sleeps, otherwise 0. */
  static final long SLEEPING_AT = 0;
  /** Offset of the flag of peers whose posts need the loop's progress. */
  static final long NEEDED_AT = 64;
  /** Offset of the flag of a peer that sleeps until the loop has served its operations. The loop then wakes the peer. */
  static final long WAITED_AT = 128;
  static final int ASLEEP = 1;
  /** Value while the loop sleeps until peers have served its operations. */
  static final int ASLEEP_WAITING = 2;

  private static final VersionRange VERSIONS = new VersionRange(4, 4);
  private static final int HEAD = Short.BYTES + Long.BYTES;
  private static final long MAGIC = 0x76782D72646D6131L;
  private static final long MAGIC_AT = 8;
  private static final long TOKEN_AT = 16;
  private static final int SIZE = 192;
  static final String NAME = "wake-";
  private static final String FILE_SUFFIX = ".word";
  private static final String SOCKET_SUFFIX = ".sock";

  public static WakeFile in(Path directory, long token) {
    String name = NAME + ProcessHandle.current().pid() + "-" + Long.toHexString(token);
    return new WakeFile(directory.resolve(name + FILE_SUFFIX), directory.resolve(name + SOCKET_SUFFIX), token);
  }

  Path unnamed() {
    return socket.resolveSibling(socket.getFileName().toString().replaceFirst(NAME, "part-"));
  }

  static WakeFile of(Path file) {
    String name = String.valueOf(file.getFileName());
    int dot = name.lastIndexOf('.');
    if (!name.startsWith(NAME) || dot < 0 || !name.endsWith(FILE_SUFFIX) && !name.endsWith(SOCKET_SUFFIX)) {
      return null;
    }
    String stem = name.substring(0, dot);
    return new WakeFile(file.resolveSibling(stem + FILE_SUFFIX), file.resolveSibling(stem + SOCKET_SUFFIX), 0);
  }

  MemorySegment create(Arena arena) throws IOException {
    try (FileChannel channel = FileChannel.open(path, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
      StandardOpenOption.WRITE), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      RuntimeFolder.reserve(path, channel, 0, SIZE);
      MemorySegment segment = channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, arena);
      segment.set(ValueLayout.JAVA_LONG, TOKEN_AT, token);
      segment.set(ValueLayout.JAVA_LONG, MAGIC_AT, MAGIC);
      return segment;
    }
  }

  /** @throws IOException if the file does not exist, belongs to another user, or has another token than this address */
  MemorySegment map(Arena arena) throws IOException {
    if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException("The wake-up file " + path + " does not exist: its process has ended, or runs in another mount namespace "
        + "(container)");
    }
    RuntimeFolder.check(path);
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      if (channel.size() < SIZE) {
        throw new IOException("The wake-up file " + path + " has " + channel.size() + " bytes, fewer than " + SIZE);
      }
      MemorySegment segment = channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, arena);
      if (segment.get(ValueLayout.JAVA_LONG, MAGIC_AT) != MAGIC || segment.get(ValueLayout.JAVA_LONG, TOKEN_AT) != token) {
        throw new IOException("The wake-up file " + path + " belongs to another process than expected");
      }
      return segment;
    }
  }

  void delete() throws IOException {
    Files.deleteIfExists(path);
    Files.deleteIfExists(socket);
  }

  public byte[] descriptor() {
    byte[] bytes = path.toString().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(HEAD + bytes.length).putShort((short) VERSIONS.word()).putLong(token).put(bytes).array();
  }

  public static WakeFile parse(byte[] descriptor) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(descriptor);
    if (buffer.remaining() <= HEAD) {
      throw new IOException("The peer's wake-up address ends too early, after " + descriptor.length + " bytes");
    }
    VersionRange peer = VersionRange.of(buffer.getShort());
    if (VERSIONS.common(peer) == 0) {
      throw new IOException(VERSIONS.refusal("the peer", "wake-up files", peer));
    }
    long token = buffer.getLong();
    String text = StandardCharsets.UTF_8.decode(buffer).toString();
    if (text.length() > PeerText.MOST || !PeerText.isPrintable(text)) {
      throw new IOException("A wake-up address is not a path: " + PeerText.of(text));
    }
    Path path;
    try {
      path = Path.of(text);
    } catch (InvalidPathException e) {
      throw new IOException("A wake-up address is not a path: " + e.getMessage(), e);
    }
    WakeFile file = of(path);
    if (file == null || !path.isAbsolute() || !path.equals(file.path)) {
      throw new IOException("A wake-up address is not the path of a wake-up file: " + path);
    }
    return new WakeFile(file.path, file.socket, token);
  }
}
