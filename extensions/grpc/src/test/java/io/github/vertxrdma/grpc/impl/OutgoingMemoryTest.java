package io.github.vertxrdma.grpc.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaMessage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Frames in registered memory, and frames that do not wait for it. */
class OutgoingMemoryTest {
  private final OutgoingMemory memory = new OutgoingMemory(this::allocate);
  private Promise<RdmaMessage> answer;
  private int asked;
  private int released;

  private final class Room implements RdmaMessage {
    @Override
    public Buffer body() {
      return Buffer.buffer();
    }

    @Override
    public MemorySegment segment() {
      return MemorySegment.NULL;
    }

    @Override
    public RdmaMessage retain() {
      return this;
    }

    @Override
    public boolean isZeroCopy() {
      return true;
    }

    @Override
    public int size() {
      return 0;
    }

    @Override
    public void release() {
      released++;
    }

    @Override
    public void close() {
      release();
    }
  }

  private Future<RdmaMessage> allocate(int size) {
    asked++;
    return answer.future();
  }

  private void late() {
    answer = Promise.promise();
    assertNull(memory.take(1));
    answer.complete(new Room());
  }

  private Room there() {
    Room room = new Room();
    answer = Promise.promise();
    answer.complete(room);
    return room;
  }

  @Test
  void memoryIsRequestedOnceWhileItIsRegistered() {
    answer = Promise.promise();
    assertNull(memory.take(1));
    assertNull(memory.take(1));
    assertEquals(1, asked);
    answer.complete(new Room());
    assertEquals(1, released, "it came too late for its frame");
    assertSame(there(), memory.take(1));
  }

  @Test
  void memoryThatWasLateTwiceIsUsedAgain() {
    late();
    late();
    Room room = there();
    int byHeap = 0;
    while (memory.take(1) == null) {
      byHeap++;
    }
    assertEquals(1, byHeap);
    assertSame(room, memory.take(1));
  }

  @Test
  void memoryThatIsAlwaysLateIsRequestedRarely() {
    int frames = 100 * OutgoingMemory.MOST_SKIPPED;
    for (int i = 0; i < frames; i++) {
      late();
    }
    assertTrue(asked > 100 && asked < 120, asked + " of " + frames);
    assertEquals(asked, released);
    Room room = there();
    RdmaMessage taken = null;
    for (int i = 0; i <= OutgoingMemory.MOST_SKIPPED && taken == null; i++) {
      taken = memory.take(1);
    }
    assertSame(room, taken);
  }
}
