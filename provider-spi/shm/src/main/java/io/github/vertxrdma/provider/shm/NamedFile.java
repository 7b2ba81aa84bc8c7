package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.SystemError;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file of the meeting folder, which peers map by its name. One that peers may write is for one of them, who removes the name as soon as
 * it is mapped. It is filled when it is made, so that a full disk is told then, and no access to the mapping fails later. Nothing but the
 * folder's mode keeps others from making it shorter, which would make an access fail with an {@code InternalError}.
 */
final class NamedFile implements SharedFile {
  private static final int ZEROS = 64 << 10;

  private final NamedFiles files;
  private final Path path;
  private final Arena arena;
  private final MemorySegment memory;
  private final boolean forOne;
  private final AtomicInteger users = new AtomicInteger(1);
  private volatile boolean handedOut;

  private NamedFile(NamedFiles files, Path path, Arena arena, MemorySegment memory, boolean forOne) {
    this.files = files;
    this.path = path;
    this.arena = arena;
    this.memory = memory;
    this.forOne = forOne;
  }

  /** @throws ProviderException {@code LIMIT} with size, reason and remedy if there is no room for it */
  static NamedFile create(NamedFiles files, long bytes, boolean forOne) {
    Path path = null;
    Arena arena = Arena.ofShared();
    try {
      path = files.create();
      try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        fill(channel, bytes);
        return new NamedFile(files, path, arena, channel.map(MapMode.READ_WRITE, 0, bytes, arena), forOne);
      }
    } catch (IOException e) {
      arena.close();
      if (path != null) {
        files.remove(path);
      }
      throw failure(bytes, e);
    }
  }

  private static void fill(FileChannel channel, long bytes) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocate((int) Math.min(bytes, ZEROS));
    for (long at = 0; at < bytes; ) {
      at += channel.write(zeros.clear().limit((int) Math.min(bytes - at, ZEROS)), at);
    }
  }

  static ProviderException failure(long bytes, IOException cause) {
    boolean full = switch (SystemError.of(cause)) {
      case ENOSPC, EDQUOT, EFBIG, EMFILE, ENFILE -> true;
      default -> false;
    };
    return new ProviderException(full ? Reason.LIMIT : Reason.OTHER, "shm: " + bytes + " bytes of shared memory could not be had: " + cause
      + (full ? "; make room there, raise that limit, or name a runtime folder elsewhere with VERTX_RDMA_RUNTIME" : ""), cause);
  }

  @Override
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public void unmap() {
    arena.close();
  }

  @Override
  public void hold() {
    users.incrementAndGet();
  }

  @Override
  public void release() {
    if (users.decrementAndGet() == 0 && !(forOne && handedOut)) {
      remove();
    }
  }

  /** Its name, for a peer. */
  String handOut() {
    handedOut = true;
    return path.getFileName().toString();
  }

  boolean isForOne() {
    return forOne;
  }

  boolean hasName() {
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
  }

  void remove() {
    files.remove(path);
  }

  /** The name of a peer's. */
  static final class Received implements PeerFile {
    private final Path path;
    private boolean forOne;

    Received(Path path, boolean forOne) {
      this.path = path;
      this.forOne = forOne;
    }

    @Override
    public Mapping map(long bytes, long most, boolean writable) {
      Set<OpenOption> options = writable ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)
        : Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
      Arena arena = Arena.ofShared();
      try (FileChannel channel = FileChannel.open(path, options)) {
        long size = channel.size();
        long wanted = bytes == 0 ? size : bytes;
        if (size < wanted || wanted <= 0 || bytes == 0 && size > most) {
          throw new IOException("it has " + size + " bytes for " + wanted);
        }
        return new Mapping(channel.map(writable ? MapMode.READ_WRITE : MapMode.READ_ONLY, 0, wanted, arena), arena::close);
      } catch (IOException e) {
        arena.close();
        throw new ProviderException(Reason.OTHER, "shm: the peer's file " + path + " could not be mapped: " + e, e);
      } finally {
        discard();
      }
    }

    @Override
    public void discard() {
      if (forOne) {
        forOne = false;
        try {
          Files.deleteIfExists(path);
        } catch (IOException e) {
          // Whoever made it removes it.
        }
      }
    }
  }
}
