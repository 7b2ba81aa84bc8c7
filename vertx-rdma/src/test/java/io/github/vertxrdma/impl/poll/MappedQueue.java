package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Waiting;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** One end of a fabric without events: two counters in a file, each written by one end. A message is an increment. */
final class MappedQueue implements CompletionQueue {
  private static final VarHandle COUNTER = ValueLayout.JAVA_LONG.varHandle();
  private static final long DISTANCE = 128;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final long in;
  private final long out;
  private long seen;

  MappedQueue(Path file, int end) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, 2 * DISTANCE, arena);
    }
    in = (1 - end) * DISTANCE;
    out = end * DISTANCE;
  }

  void post(long count) {
    COUNTER.setRelease(memory, out, (long) COUNTER.get(memory, out) + count);
  }

  @Override
  public int capacity() {
    return 64;
  }

  @Override
  public int poll(CompletionBatch batch) {
    batch.clear();
    long now = (long) COUNTER.getAcquire(memory, in);
    while (seen < now && !batch.isFull()) {
      batch.add(seen++, Operation.RECEIVE, null, 0);
    }
    return batch.size();
  }

  @Override
  public Waiting waiting() {
    return Waiting.NONE;
  }

  @Override
  public int fd() {
    return -1;
  }

  @Override
  public boolean arm() {
    return true;
  }

  @Override
  public void wakeupHandler(Runnable handler) {
  }

  @Override
  public int unannounced() {
    return 0;
  }

  @Override
  public void close() {
    arena.close();
  }
}
