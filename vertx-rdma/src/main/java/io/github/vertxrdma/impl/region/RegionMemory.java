package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.FileErrors;
import io.github.vertxrdma.base.GivenPath;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.poll.LoopHost;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Memory of a region, and registrations for this process only. Freed after the last operation. Thread-safe. */
final class RegionMemory {
  private static final long PAGE = 4096;
  private static final int COPY = 8 << 20;
  private static final int CLOSE_ATTEMPTS = 1000;
  private static final long CLOSE_PAUSE_MILLIS = 10;

  private final LoopHost host;
  private final Domain home;
  private final Arena arena;
  private final MemorySegment segment;
  private final Map<Domain, Future<MemoryRegion>> locals = new HashMap<>();
  private int uses;
  private boolean closing;
  private Promise<Void> idle;
  /** Result of the last {@link #reclaim}. It may move the pages of the memory, so registrations wait for it. */
  private Future<Void> lastReclaim = Future.succeededFuture();
  private Future<Void> closed;

  private RegionMemory(LoopHost host, Domain home, Arena arena, MemorySegment segment) {
    this.host = host;
    this.home = home;
    this.arena = arena;
    this.segment = segment;
  }

  /**
   * Allocates zeroed memory, and copies a file's content to its start. Blocks.
   *
   * @param home domain of the device with the fastest access for peers, or null
   * @param access rights of all registrations together
   * @param size in bytes; 0 for the file's size
   * @param file may be null
   */
  static RegionMemory allocate(LoopHost host, String label, Domain home, Set<Access> access, long size, String file) {
    Arena arena = Arena.ofShared();
    try {
      long bytes = size;
      long content = 0;
      if (file != null) {
        content = Files.size(GivenPath.of(file, "RegionOptions.setFile"));
        bytes = size == 0 ? content : size;
        if (content > bytes) {
          throw new RdmaException(Reason.OUT_OF_RANGE, label + " of " + bytes + " bytes is too small for the " + content + " bytes "
            + "of file " + file);
        }
      }
      if (bytes == 0) {
        throw new RdmaException(Reason.OUT_OF_RANGE, label + " has no size. Set one, or name a file that is not empty");
      }
      MemorySegment segment = home == null ? arena.allocate(bytes, PAGE) : home.allocate(bytes, access, arena);
      if (content > 0) {
        copy(Path.of(file), segment.asSlice(0, content));
      }
      return new RegionMemory(host, home, arena, segment);
    } catch (IOException e) {
      arena.close();
      throw new RdmaException(Reason.NOT_FOUND, label + " could not be filled from " + file + ": " + FileErrors.words(e), e);
    } catch (ProviderException e) {
      arena.close();
      throw new RdmaException(Reason.LIMIT, label + " cannot be allocated: " + e.getMessage(), e);
    } catch (OutOfMemoryError e) {
      arena.close();
      throw new RdmaException(Reason.LIMIT, label + " of " + size + " bytes: this machine does not have that much free memory", e);
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  static RegionMemory of(LoopHost host, MemorySegment memory) {
    return new RegionMemory(host, null, null, memory);
  }

  /** Reads the file without a mapping, because truncation of a mapped file would kill the process. */
  private static void copy(Path file, MemorySegment to) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      for (long at = 0; at < to.byteSize();) {
        ByteBuffer part = to.asSlice(at, Math.min(COPY, to.byteSize() - at)).asByteBuffer();
        int count = channel.read(part);
        if (count < 0) {
          throw new IOException("the file ended after " + at + " of " + to.byteSize() + " bytes");
        }
        at += count;
      }
    }
  }

  MemorySegment segment() {
    return segment;
  }

  long size() {
    return segment.byteSize();
  }

  synchronized void checkOpen(String label) {
    if (closing) {
      throw new RdmaException(Reason.CLOSED, label + " is closed");
    }
  }

  /** Keeps the memory allocated until {@link #release}. Returns false if the memory is closed. */
  synchronized boolean retain() {
    if (closing) {
      return false;
    }
    uses++;
    return true;
  }

  /** Called when the fabric no longer uses the memory. */
  void release() {
    Promise<Void> last;
    synchronized (this) {
      last = --uses == 0 ? idle : null;
    }
    if (last != null) {
      last.complete();
    }
  }

  /** Returns the registration for local use on a device. Requires {@link #retain}. */
  synchronized Future<MemoryRegion> local(Domain domain, Registrations registrations) {
    Future<MemoryRegion> local = locals.get(domain);
    if (local == null || local.failed()) {
      local = lastReclaim.compose(v -> host.blocking(
        () -> registrations.register(domain, segment, segment.isReadOnly() ? Set.of() : Set.of(Access.LOCAL_WRITE, Access.READ_SINK))));
      locals.put(domain, local);
    }
    return local;
  }

  /**
   * See {@link Domain#reclaim}.
   *
   * @param pinned true if a device pins the memory for peers
   * @return fails with {@code TIMEOUT} if another process still maps the memory while a device pins it
   */
  synchronized Future<Void> reclaim(String label, boolean pinned) {
    if (home == null || !retain()) {
      return Future.succeededFuture();
    }
    boolean movable = !pinned && locals.keySet().stream().noneMatch(RegionMemory::pins);
    Future<Void> reclaimed = lastReclaim.compose(v -> host.<Void>blocking(() -> {
      if (!home.reclaim(segment, movable)) {
        throw new RdmaException(Reason.TIMEOUT,
          label + " cannot be moved to other memory: a process that did not close it in time still maps it, and a device of this "
            + "process uses it. Close the region");
      }
      return null;
    })).onComplete(v -> release());
    lastReclaim = reclaimed.otherwiseEmpty();
    return reclaimed;
  }

  static boolean pins(Domain domain) {
    return domain.capabilities().pinned();
  }

  /**
   * Frees the memory after the last operation. Fails with {@code TIMEOUT} if a thread remains in a call that uses the segment. The close
   * may then be repeated.
   */
  synchronized Future<Void> close(String label) {
    if (closed == null || closed.failed()) {
      closing = true;
      idle = Promise.promise();
      if (uses == 0) {
        idle.complete();
      }
      Promise<Void> freed = Promise.promise();
      idle.future().onSuccess(v -> free(label, 1, freed));
      closed = freed.future();
    }
    return closed;
  }

  private void free(String label, int attempt, Promise<Void> freed) {
    host.<Void>blocking(() -> {
      Map<Domain, Future<MemoryRegion>> registered;
      synchronized (this) {
        registered = Map.copyOf(locals);
        locals.clear();
      }
      registered.values().stream().filter(Future::succeeded).forEach(local -> local.result().close());
      if (arena != null) {
        arena.close();
      }
      return null;
    }).onComplete((v, failure) -> {
      // Retries without chained futures, which would overflow the stack.
      if (!(failure instanceof IllegalStateException)) {
        freed.complete(v, failure);
      } else if (attempt < CLOSE_ATTEMPTS) {
        if (!host.run(() -> host.schedule(() -> free(label, attempt + 1, freed), CLOSE_PAUSE_MILLIS, TimeUnit.MILLISECONDS))) {
          freed.fail(LoopCall.closed());
        }
      } else {
        freed.fail(new RdmaException(Reason.TIMEOUT, label + " could not be freed: a thread of this process has been in a call"
          + " with its segment for more than " + CLOSE_ATTEMPTS * CLOSE_PAUSE_MILLIS + " ms. End that call, and close the region again",
          failure));
      }
    });
  }
}
