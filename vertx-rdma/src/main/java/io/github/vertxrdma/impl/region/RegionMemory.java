package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.loop.LoopHost;
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

/**
 * The memory of a region, and its registrations for operations of this process, whose keys no peer is given on purpose. It is freed only
 * when the last operation that uses it is over, whoever closes it. Thread-safe.
 */
final class RegionMemory {
  private static final long PAGE = 4096;
  private static final int COPY = 8 << 20;
  private static final int CLOSE_ATTEMPTS = 1000;
  private static final long CLOSE_PAUSE_MILLIS = 10;

  private final LoopHost host;
  /** The device that allocated it; null if none did. */
  private final Domain home;
  /** Null for memory of the application. */
  private final Arena arena;
  private final MemorySegment segment;
  private final Map<Domain, Future<MemoryRegion>> locals = new HashMap<>();
  private int uses;
  private boolean closing;
  private Promise<Void> idle;
  /** Completes when it moves no more: what is registered before that could be pinned where it was. */
  private Future<Void> settled = Future.succeededFuture();
  private Future<Void> closed;

  private RegionMemory(LoopHost host, Domain home, Arena arena, MemorySegment segment) {
    this.host = host;
    this.home = home;
    this.arena = arena;
    this.segment = segment;
  }

  /**
   * Zeroed memory that begins with a file's content. Blocks.
   *
   * @param home the device whose peers should reach it best; null for none
   * @param access all that it will be registered for
   * @param size 0 for the file's
   * @param file null for none
   */
  static RegionMemory allocate(LoopHost host, String label, Domain home, Set<Access> access, long size, String file) {
    Arena arena = Arena.ofShared();
    try {
      long bytes = size;
      long content = 0;
      if (file != null) {
        content = Files.size(Path.of(file));
        bytes = size == 0 ? content : size;
        if (content > bytes) {
          throw new RdmaException(Reason.OUT_OF_RANGE, label + " of " + bytes + " bytes cannot hold " + file + " of " + content + " bytes");
        }
      }
      if (bytes == 0) {
        throw new RdmaException(Reason.OUT_OF_RANGE, label + " has no size: set one, or a file that is not empty");
      }
      MemorySegment segment = home == null ? arena.allocate(bytes, PAGE) : home.allocate(bytes, access, arena);
      if (content > 0) {
        copy(Path.of(file), segment.asSlice(0, content));
      }
      return new RegionMemory(host, home, arena, segment);
    } catch (IOException e) {
      arena.close();
      throw new RdmaException(Reason.NOT_FOUND, label + " could not be filled from " + file + ": " + e, e);
    } catch (ProviderException e) {
      arena.close();
      throw new RdmaException(Reason.LIMIT, label + " got no memory: " + e.getMessage(), e);
    } catch (OutOfMemoryError e) {
      arena.close();
      throw new RdmaException(Reason.LIMIT, label + " of " + size + " bytes: this machine has not so much memory free", e);
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  /** Memory of the application, which keeps it until this is closed; see {@link GivenMemory}. */
  static RegionMemory of(LoopHost host, MemorySegment memory) {
    return new RegionMemory(host, null, null, memory);
  }

  /** Read rather than mapped: a mapped file that shrinks meanwhile kills the reader. */
  private static void copy(Path file, MemorySegment to) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      for (long at = 0; at < to.byteSize();) {
        ByteBuffer part = to.asSlice(at, Math.min(COPY, to.byteSize() - at)).asByteBuffer();
        int count = channel.read(part);
        if (count < 0) {
          throw new IOException("it ended after " + at + " of " + to.byteSize() + " bytes");
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

  /** An operation of this process begins to use it. @return false if it is closed */
  synchronized boolean retain() {
    if (closing) {
      return false;
    }
    uses++;
    return true;
  }

  /** The operation is over, and the fabric does not touch the memory any more. */
  void release() {
    Promise<Void> last;
    synchronized (this) {
      last = --uses == 0 ? idle : null;
    }
    if (last != null) {
      last.complete();
    }
  }

  /** Its registration for operations of this process on that device, made off the loop at the first call; for who has retained it. */
  synchronized Future<MemoryRegion> local(Domain domain, Registrations registrations) {
    Future<MemoryRegion> local = locals.get(domain);
    if (local == null || local.failed()) {
      local = settled.compose(v -> host.blocking(
        () -> registrations.register(domain, segment, segment.isReadOnly() ? Set.of() : Set.of(Access.LOCAL_WRITE, Access.READ_SINK))));
      locals.put(domain, local);
    }
    return local;
  }

  /**
   * Takes it back from processes that have it mapped and did not let go; see {@link Domain#reclaim}.
   *
   * @param pinned whether a device has it pinned for peers
   * @return fails with {@code TIMEOUT} if that cannot be
   */
  synchronized Future<Void> reclaim(String label, boolean pinned) {
    if (home == null || !retain()) {
      return Future.succeededFuture();
    }
    boolean movable = !pinned && locals.keySet().stream().noneMatch(RegionMemory::pins);
    Future<Void> reclaimed = settled.compose(v -> host.<Void>blocking(() -> {
      if (!home.reclaim(segment, movable)) {
        throw new RdmaException(Reason.TIMEOUT,
          label + " is still mapped by a process that did not give it back in time, and cannot be moved away"
            + " from it, since a device of this process has its pages pinned: close the region");
      }
      return null;
    })).onComplete(v -> release());
    settled = reclaimed.otherwiseEmpty();
    return reclaimed;
  }

  static boolean pins(Domain domain) {
    return domain.capabilities().pinned();
  }

  /**
   * Frees it, once the last operation of this process is over.
   *
   * @return fails with {@code TIMEOUT} if a thread of the application does not come out of a call with the segment; it may be closed again
   *   then
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

  /** Frees it. A thread of the application may be in the middle of a call with the segment: again, some times. */
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
      // One promise for all attempts: futures of so many that stand for each other complete deeper than a stack is.
      if (!(failure instanceof IllegalStateException)) {
        freed.complete(v, failure);
      } else if (attempt < CLOSE_ATTEMPTS) {
        host.schedule(() -> free(label, attempt + 1, freed), CLOSE_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
      } else {
        freed.fail(new RdmaException(Reason.TIMEOUT, label + " could not be freed: a thread of this process is in the middle of a call"
          + " with its segment, since more than " + CLOSE_ATTEMPTS * CLOSE_PAUSE_MILLIS + " ms; end that call, and close the region again",
          failure));
      }
    });
  }
}
