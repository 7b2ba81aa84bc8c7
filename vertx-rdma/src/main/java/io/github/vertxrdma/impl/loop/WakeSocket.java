package io.github.vertxrdma.impl.loop;

import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Wake-up of a loop by peers on this host that posted something for it, where no fd would wake it. Its word lives in a mapped
 * file of mode 0600, the socket is a Unix datagram one beside it; unix(7). Who sleeps says so first and polls once more;
 * who posts looks at the word afterwards: with a full fence on both sides one of the two sees the other.
 *
 * <p>Made and closed anywhere, used on the thread of one event loop; owns the files, the socket and the mapping.
 */
final class WakeSocket implements AutoCloseable {
  /** Folders that this process has cleaned, or is cleaning. */
  private static final Set<Path> CLEANED = ConcurrentHashMap.newKeySet();
  /** Bytes taken at once; Linux holds ten by default. */
  private static final int MOST_BYTES = 64;

  private final WakeFile file;
  private final Socket socket;
  private final Arena arena;
  private final MemorySegment word;
  private final ByteBuffer sink = ByteBuffer.allocateDirect(8);
  private boolean closed;

  private WakeSocket(WakeFile file, Socket socket, Arena arena, MemorySegment word) {
    this.file = file;
    this.socket = socket;
    this.arena = arena;
    this.word = word;
  }

  /** Whether this machine can have one: Linux, with Netty's native library. */
  static boolean available() {
    return Epoll.isAvailable();
  }

  /** Hangs one up in the runtime directory; the first of a process takes down those of dead processes. Blocks; any thread. */
  // There is nothing in place of the constant.
  @SuppressWarnings("deprecation")
  static WakeSocket open() throws IOException {
    if (!available()) {
      throw new IOException("it needs Netty's native library for Linux", Epoll.unavailabilityCause());
    }
    Path directory = RuntimeFolder.user();
    if (CLEANED.add(directory)) {
      removeStale(directory);
    }
    WakeFile file = WakeFile.in(directory, new SecureRandom().nextLong());
    if (file.socket().toString().length() > Socket.UDS_SUN_PATH_SIZE) {
      throw new IOException("The name " + file.socket() + " is too long for a Unix socket; name a shorter folder with VERTX_RDMA_RUNTIME");
    }
    Socket socket = Socket.newSocketDomainDgram();
    Arena arena = Arena.ofShared();
    try {
      // The socket first: a word without a socket is a dead one.
      socket.bind(new DomainSocketAddress(file.unnamed().toString()));
      Files.move(file.unnamed(), file.socket(), StandardCopyOption.ATOMIC_MOVE);
      return new WakeSocket(file, socket, arena, file.create(arena));
    } catch (IOException | RuntimeException e) {
      arena.close();
      socket.close();
      Files.deleteIfExists(file.unnamed());
      file.delete();
      throw e;
    }
  }

  // The socket of a dead process refuses to be connected to. Unlike a process id, that holds across PID namespaces.
  private static void removeStale(Path directory) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, WakeFile.NAME + '*')) {
      for (Path path : files) {
        WakeFile file = WakeFile.of(path);
        if (file != null && !alive(file)) {
          file.delete();
        }
      }
    }
  }

  private static boolean alive(WakeFile file) throws IOException {
    Socket probe = Socket.newSocketDomainDgram();
    try {
      probe.connect(new DomainSocketAddress(file.socket().toString()));
      return true;
    } catch (IOException e) {
      return false;
    } finally {
      probe.close();
    }
  }

  /** Address by which a peer wakes it: {@link PeerWaker#open}. */
  byte[] descriptor() {
    return file.descriptor();
  }

  FileDescriptor fd() {
    return socket;
  }

  /** Says that its loop is about to sleep. The loop has to poll once more after it. @param waiting for operations that peers serve */
  void sleeping(boolean waiting) {
    WakeFile.INT.setVolatile(word, WakeFile.SLEEPING_AT, waiting ? WakeFile.ASLEEP_WAITING : WakeFile.ASLEEP);
    VarHandle.fullFence();
  }

  /** Says that its loop polls. */
  void awake() {
    WakeFile.INT.setOpaque(word, WakeFile.SLEEPING_AT, 0);
  }

  /** Whether anybody posted for this loop since it was asked last. */
  boolean needed() {
    if ((int) WakeFile.INT.getOpaque(word, WakeFile.NEEDED_AT) == 0) {
      return false;
    }
    WakeFile.INT.setOpaque(word, WakeFile.NEEDED_AT, 0);
    return true;
  }

  /** Whether a peer went to sleep waiting for this loop since it was asked last. */
  boolean waited() {
    // Requests are served before the look, and a question that comes after the look is not wiped out.
    VarHandle.fullFence();
    return (int) WakeFile.INT.getOpaque(word, WakeFile.WAITED_AT) != 0
      && (int) WakeFile.INT.getAndSet(word, WakeFile.WAITED_AT, 0) != 0;
  }

  /** Empties the socket after peers have written to it. */
  void clear() throws IOException {
    for (int i = 0; i < MOST_BYTES && socket.recv(sink, 0, sink.capacity()) > 0; i++) {
      // A byte says nothing but that it came.
    }
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      file.delete();
      socket.close();
      arena.close();
    }
  }
}
