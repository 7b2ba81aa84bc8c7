package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Pair;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A peer that claims to have read bytes that were not written: its connections end, and all posts complete. */
class ImpossibleHeadTest {
  private Pair pair;
  private MemoryRegion mine;

  @BeforeEach
  void connect() {
    pair = Pair.connected(ShmDeviceTest.device());
    mine = pair.a.openRegion(4096);
  }

  @AfterEach
  void close() {
    pair.close();
  }

  private void hasRead(long bytes) {
    ((ShmEndpoint) pair.left()).link().output.memory().set(ValueLayout.JAVA_LONG, Ring.HEAD, bytes);
  }

  private void endsAsDamaged() {
    pair.a.poll();
    pair.a.poll();
    assertEquals(1, pair.a.disconnected.size(), pair.a.toString());
    assertEquals(Reason.OTHER, pair.a.cause.reason());
    assertTrue(pair.a.cause.getMessage().contains("damaged"), pair.a.cause.getMessage());
  }

  private int post(WorkRequest request) {
    Endpoint left = pair.left();
    int taken = 0;
    int status = left.post(request);
    while (status == Status.OK) {
      taken++;
      status = left.post(request);
    }
    assertEquals(Status.NOT_CONNECTED, status, Status.name(status));
    return taken;
  }

  @Test
  void sendsThatWereTakenComplete() {
    hasRead(Long.MAX_VALUE);
    int taken = post(new WorkRequest().send(mine, 0, 3000).id(7).flags(PostFlags.SIGNALED));
    endsAsDamaged();
    assertEquals(taken, pair.a.completions.size());
    assertEquals(0, pair.left().outstanding());
  }

  @Test
  void writesWithImmediateThatWereTakenComplete() {
    RemoteMemory remote = pair.a.remote(pair.b.openRegion(4096));
    pair.left().post(new WorkRequest().read(mine, 0, 8, remote, 0).id(1).flags(PostFlags.SIGNALED));
    pair.success(pair.a, 1);
    hasRead(Long.MAX_VALUE);
    post(new WorkRequest().write(mine, 0, 8, remote, 0).immediate(5).id(2).flags(0));
    endsAsDamaged();
    assertEquals(0, pair.left().outstanding());
  }

  /** Operations that wait for a file need no room, so only a search for more room reads that word. */
  @Test
  void operationsThatWaitForARegionsFileEndToo() {
    RemoteMemory remote = pair.a.remote(pair.b.openRegion(4096));
    assertEquals(Status.OK, pair.left().post(new WorkRequest().read(mine, 0, 8, remote, 0).id(1).flags(PostFlags.SIGNALED)));
    assertEquals(1, pair.left().outstanding());
    hasRead(-1);
    endsAsDamaged();
    assertEquals(1, pair.a.completions.size());
    assertEquals(Status.FLUSHED, pair.a.completions.getFirst().status());
    assertEquals(0, pair.left().outstanding());
    pair.a.poll();
    assertTrue(pair.a.queue().arm(), "its queue finds no rest");
  }
}
