package io.github.vertxrdma.impl.poll;

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
 * Unix socket through which peers on this host wake an event loop, for queues whose fd does not report posts of peers.
 *
 * <p>Before it sleeps, the loop marks itself as asleep in its {@link WakeFile} and polls once more. A peer posts an operation, then reads
 * the mark. Full fences ensure that the loop finds the post or the peer sees the mark.
 *
 * <p>Created and closed on any thread, used on one event loop.
 */
final class WakeSocket implements AutoCloseable {
  private static final Set<Path> CLEANED = ConcurrentHashMap.newKeySet();
  /** Maximum number of datagrams, of one byte each, that {@link #clear} reads. Linux queues about ten by default. */
  private static final int MOST_BYTES = 64;

  private final WakeFile file;
  private final Socket socket;
  private final Arena arena;
  private final MemorySegment state;
  private final ByteBuffer sink = ByteBuffer.allocateDirect(8);
  private boolean closed;

  private WakeSocket(WakeFile file, Socket socket, Arena arena, MemorySegment state) {
    this.file = file;
    this.socket = socket;
    this.arena = arena;
    this.state = state;
  }

  static boolean available() {
    return Epoll.isAvailable();
  }

  /** Creates the socket in {@link RuntimeFolder#inMemory}, or in {@link RuntimeFolder#user} if that fails. Blocks; thread-safe. */
  static WakeSocket open() throws IOException {
    if (!available()) {
      throw new IOException("Netty's native library for Linux is not available", Epoll.unavailabilityCause());
    }
    Path memory = RuntimeFolder.inMemory();
    try {
      return open(memory);
    } catch (IOException e) {
      Path user = RuntimeFolder.user();
      if (user.equals(memory)) {
        throw e;
      }
      return open(user);
    }
  }

  /** The first call removes the files of dead processes. */
  // Netty has no replacement for the deprecated UDS_SUN_PATH_SIZE.
  @SuppressWarnings("deprecation")
  private static WakeSocket open(Path directory) throws IOException {
    if (CLEANED.add(directory)) {
      removeStale(directory);
    }
    WakeFile file = WakeFile.in(directory, new SecureRandom().nextLong());
    if (file.socket().toString().length() > Socket.UDS_SUN_PATH_SIZE) {
      throw new IOException("The name " + file.socket() + " is too long for a Unix socket; set a shorter folder with VERTX_RDMA_RUNTIME");
    }
    Socket socket = Socket.newSocketDomainDgram();
    Arena arena = Arena.ofShared();
    try {
      // The socket is created first, because a file without a socket is deleted as that of a dead process.
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

  // Removes files whose socket refuses connections: the process is dead, even if it ran in another PID namespace.
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

  byte[] descriptor() {
    return file.descriptor();
  }

  FileDescriptor fd() {
    return socket;
  }

  /**
   * Marks the loop as asleep. The caller must poll once more afterwards.
   *
   * @param waiting whether the loop waits for operations that peers serve
   */
  void sleeping(boolean waiting) {
    WakeFile.INT.setVolatile(state, WakeFile.SLEEPING_AT, waiting ? WakeFile.ASLEEP_WAITING : WakeFile.ASLEEP);
    VarHandle.fullFence();
  }

  void awake() {
    WakeFile.INT.setOpaque(state, WakeFile.SLEEPING_AT, 0);
  }

  boolean takePosted() {
    if ((int) WakeFile.INT.getOpaque(state, WakeFile.NEEDED_AT) == 0) {
      return false;
    }
    WakeFile.INT.setOpaque(state, WakeFile.NEEDED_AT, 0);
    return true;
  }

  boolean takeWaiting() {
    // The fence orders this read after the operations that this loop served. The next call finds a mark that a peer sets later.
    VarHandle.fullFence();
    return (int) WakeFile.INT.getOpaque(state, WakeFile.WAITED_AT) != 0
      && (int) WakeFile.INT.getAndSet(state, WakeFile.WAITED_AT, 0) != 0;
  }

  void clear() throws IOException {
    for (int i = 0; i < MOST_BYTES && socket.recv(sink, 0, sink.capacity()) > 0; i++) {
      // The byte has no meaning.
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
