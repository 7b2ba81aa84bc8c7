package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.provider.AbstractMemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** A pool of two allocated blocks. Its memory is never touched, so all pools share it. */
abstract class StressedPool {
  private static final MemorySegment MEMORY = Arena.global().allocate(2 * RegisteredBufferPool.UNIT);

  final RegisteredBufferPool pool = new RegisteredBufferPool((int) MEMORY.byteSize());
  final NotedArena arena = new NotedArena();
  final RegisteredBuffer first;
  final RegisteredBuffer second;

  StressedPool() {
    pool.add(new SlotPool.Slab(arena, new UnusedRegion()));
    first = pool.take(RegisteredBufferPool.UNIT);
    second = pool.take(RegisteredBufferPool.UNIT);
  }

  static final class NotedArena implements Arena {
    int closes;

    @Override
    public MemorySegment allocate(long bytes, long alignment) {
      throw new UnsupportedOperationException();
    }

    @Override
    public MemorySegment.Scope scope() {
      return MEMORY.scope();
    }

    @Override
    public void close() {
      closes++;
    }
  }

  private static final class UnusedRegion extends AbstractMemoryRegion {
    UnusedRegion() {
      super(MEMORY, Set.of());
    }

    @Override
    protected boolean isOpen() {
      return true;
    }

    @Override
    public long remoteAddress() {
      return 0;
    }

    @Override
    public byte[] remoteKey() {
      return new byte[0];
    }

    @Override
    public void close() {
    }
  }
}
