package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.rma.RmaHandler;
import io.vertx.core.Promise;
import java.lang.foreign.MemorySegment;

/** An operation that moves its bytes in parts, several of them at once. */
abstract class ChunkedOperation<T> extends RegionOperation<T> {
  /** Parts under way at once: enough to keep a fabric busy, few enough to leave room for others. */
  private static final int WINDOW = 4;

  private final Chunk[] free;
  private final int chunkSize;
  private int freeCount;
  private long posted;
  private int unfinished;
  private int unreleased;

  /** A part on its way; reused. */
  private static final class Chunk implements RmaHandler {
    private final ChunkedOperation<?> operation;
    private long at;
    private int size;

    Chunk(ChunkedOperation<?> operation) {
      this.operation = operation;
    }

    @Override
    public void fill(MemorySegment memory, long to) {
      operation.put(memory, to, at, size);
    }

    @Override
    public void read(MemorySegment memory, long from) {
      // After its time the application may use its buffer for something else.
      if (!operation.over) {
        operation.take(memory, from, at, size);
      }
    }

    @Override
    public boolean cancelled() {
      return operation.over;
    }

    @Override
    public void done(Throwable failure) {
      operation.done(failure);
    }

    @Override
    public void released() {
      operation.released(this);
    }
  }

  /** @param chunkSize bytes of a part at most */
  ChunkedOperation(Lease lease, long offset, long length, int chunkSize, Promise<T> promise, long timeoutMillis) {
    super(lease, offset, length, promise, timeoutMillis);
    this.chunkSize = chunkSize;
    this.free = new Chunk[(int) Math.min(WINDOW, (length + chunkSize - 1) / chunkSize)];
    for (; freeCount < free.length; freeCount++) {
      free[freeCount] = new Chunk(this);
    }
  }

  @Override
  final void step() {
    while (!over && posted < length && freeCount > 0 && lease.mayTransfer(this)) {
      boolean last = length - posted <= chunkSize;
      if (last && !mayPostLast(unfinished)) {
        return;
      }
      Chunk chunk = free[--freeCount];
      chunk.at = posted;
      chunk.size = (int) Math.min(chunkSize, length - posted);
      posted += chunk.size;
      unfinished++;
      unreleased++;
      lease.transferBegins();
      post(chunk, chunk.at, chunk.size, last);
    }
    if (!over && posted == length && unfinished == 0) {
      moved();
    }
  }

  private void done(Throwable failure) {
    unfinished--;
    if (failure != null) {
      fail(failure);
    } else {
      step();
    }
  }

  private void released(Chunk chunk) {
    free[freeCount++] = chunk;
    unreleased--;
    lease.transferReleased();
    letGo();
    // Its place may be all that a further part waited for.
    step();
  }

  /** Moves all bytes once more. */
  final void restart() {
    posted = 0;
    step();
  }

  /** Posts a part. @param at where in the operation's bytes */
  abstract void post(RmaHandler done, long at, int size, boolean last);

  /** Whether the last part may be posted. @param others parts that are not finished */
  boolean mayPostLast(int others) {
    return true;
  }

  /** All parts are finished. May be called more than once. */
  abstract void moved();

  /** A staged write: copies a part into staging memory. */
  void put(MemorySegment memory, long to, long at, int size) {
    throw new IllegalStateException("nothing to write");
  }

  /** A part was read. */
  void take(MemorySegment memory, long from, long at, int size) {
  }

  @Override
  void ended() {
    letGo();
  }

  private void letGo() {
    if (over && unreleased == 0) {
      released();
    }
  }

  /** The future is completed and the fabric touches no memory of it any more. Called once or more. */
  void released() {
  }
}
