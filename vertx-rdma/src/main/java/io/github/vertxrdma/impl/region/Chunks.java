package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.rma.RmaHandler;
import java.lang.foreign.MemorySegment;

/** Moves the bytes of a call in chunks, several of them at once; reused by the calls of its lease. Confined to the link's loop. */
final class Chunks {
  /** Chunks under way at once: enough to keep a fabric busy, few enough to leave room for others. */
  private static final int WINDOW = 4;

  private final Lease lease;
  private final Chunk[] free = new Chunk[WINDOW];
  private int freeCount;
  private RegionCall<?> call;
  private LocalMemory<?> local;
  private int chunkSize;
  private long posted;
  private int unfinished;
  private int unreleased;

  /** One chunk on its way; reused. */
  private final class Chunk implements RmaHandler {
    private long at;
    private int size;

    @Override
    public void fill(MemorySegment memory, long to) {
      local.copy(memory, to, at, size);
    }

    @Override
    public void read(MemorySegment memory, long from) {
      // After its time the application may use its buffer for something else.
      if (!call.over) {
        local.copy(memory, from, at, size);
      }
    }

    @Override
    public boolean cancelled() {
      return call.over;
    }

    @Override
    public void done(Throwable failure) {
      finished(failure);
    }

    @Override
    public void released() {
      free[freeCount++] = this;
      chunkReleased();
    }
  }

  Chunks(Lease lease) {
    this.lease = lease;
  }

  /** Begins a call. */
  void begin(RegionCall<?> of, LocalMemory<?> memory, int size) {
    call = of;
    local = memory;
    chunkSize = size;
    posted = 0;
  }

  /** Posts what may be posted. @return true once all bytes are moved */
  boolean step() {
    // A chunk that fails at once may end the call, and this is another's then.
    RegionCall<?> of = call;
    while (!of.over && posted < of.length && unreleased < WINDOW && lease.mayTransfer(of)) {
      boolean withRequest = of.length - posted <= chunkSize && of.request != null && of.request.isTogether();
      if (withRequest && (unfinished > 0 || !of.request.isNext(of))) {
        return false;
      }
      Chunk chunk = freeCount == 0 ? new Chunk() : free[--freeCount];
      chunk.at = posted;
      chunk.size = (int) Math.min(chunkSize, of.length - posted);
      posted += chunk.size;
      unfinished++;
      unreleased++;
      lease.chunkBegins();
      if (withRequest) {
        of.request.sendBehind(of, chunk, chunk.at, chunk.size);
      } else {
        local.post(lease.peer.link.rma(), lease.remote(), of.offset + chunk.at, chunk.at, chunk.size, chunk);
      }
    }
    return !of.over && posted == of.length && unfinished == 0;
  }

  private void finished(Throwable failure) {
    unfinished--;
    if (failure != null) {
      call.fail(failure);
    } else {
      call.step();
    }
  }

  private void chunkReleased() {
    unreleased--;
    RegionCall<?> of = call;
    if (of.over) {
      releaseIfDone();
    }
    lease.chunkReleased();
    // Its place may be all that a further chunk waited for.
    of.step();
  }

  /** Lets go of the memory of a call that is over, once the fabric touches nothing of it. */
  void releaseIfDone() {
    if (unreleased == 0) {
      LocalMemory<?> memory = local;
      call = null;
      local = null;
      lease.recycle(this);
      memory.released();
    }
  }

  /** Begins anew. */
  void restart() {
    posted = 0;
  }
}
