package io.github.vertxrdma.provider.devices.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CourierTest implements EndpointHandler {
  private final Deque<Parcel> parcels = new ArrayDeque<>();
  private int refusal = Status.OK;
  private final InMemoryFabric fabric = InMemoryFabric.create("carried", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS, new Courier() {
    @Override
    public void carry(Parcel parcel) {
      parcels.add(parcel);
    }

    @Override
    public int refusal(int domain, Operation operation) {
      return domain == 0 ? refusal : Status.OK;
    }

    @Override
    public long nanoTime() {
      return 0;
    }

    @Override
    public Runnable after(int domain, long millis, Runnable task) {
      return () -> {};
    }
  });
  private final Arena arena = Arena.ofShared();
  private final Domain mine = fabric.device().open();
  private final Domain theirs = fabric.device().open();
  private final CompletionQueue myQueue = mine.createCompletionQueue(64);
  private final CompletionQueue theirQueue = theirs.createCompletionQueue(64);
  private final CompletionBatch batch = new CompletionBatch(8);
  private MemoryRegion source;
  private MemoryRegion sink;
  private Endpoint left;
  private Endpoint right;

  @Override
  public void connected(Endpoint endpoint, byte[] privateData) {
  }

  @Override
  public void disconnected(Endpoint endpoint, ProviderException cause) {
  }

  @BeforeEach
  void connect() {
    source = mine.register(arena.allocate(64, 8), EnumSet.of(Access.LOCAL_WRITE));
    sink = theirs.register(arena.allocate(64, 8), EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE));
    var listener = theirs.listen(theirQueue, EndpointAddress.of("carried:1"), new EndpointOptions(), request -> {
      right = request.createEndpoint(theirQueue, new EndpointOptions(), this);
      right.receiveQueue().post(1, sink, 0, 32);
      request.accept(new byte[0]);
    });
    left = mine.createEndpoint(myQueue, new EndpointOptions(), this);
    left.connect(listener.localAddress(), new byte[0]);
    deliver();
    assertEquals(EndpointState.CONNECTED, left.state());
  }

  private void deliver() {
    do {
      while (!parcels.isEmpty()) {
        parcels.poll().deliver();
      }
      myQueue.poll(batch);
      theirQueue.poll(batch);
    } while (!parcels.isEmpty());
  }

  @AfterEach
  void nothingIsLeft() {
    mine.close();
    theirs.close();
    arena.close();
    assertEquals(Map.of(), fabric.open());
  }

  @Test
  void aMessageIsReadFromMemoryWhenItArrives() {
    source.segment().set(ValueLayout.JAVA_LONG, 0, 1);
    assertEquals(Status.OK, left.post(new WorkRequest().send(source, 0, 8).flags(PostFlags.SIGNALED)));
    source.segment().set(ValueLayout.JAVA_LONG, 0, 2);
    deliver();
    assertEquals(2, sink.segment().get(ValueLayout.JAVA_LONG, 0));
  }

  @Test
  void anInlineMessageIsReadWhenItIsPosted() {
    source.segment().set(ValueLayout.JAVA_LONG, 0, 1);
    assertEquals(Status.OK, left.post(new WorkRequest().send(source, 0, 8).flags(PostFlags.INLINE)));
    source.segment().set(ValueLayout.JAVA_LONG, 0, 2);
    deliver();
    assertEquals(1, sink.segment().get(ValueLayout.JAVA_LONG, 0));
  }

  @Test
  void aReadIsExecutedWhereItArrivesAndItsResultComesWithTheAnswer() {
    sink.segment().set(ValueLayout.JAVA_LONG, 8, 7);
    var remote = mine.remoteMemory(sink.remoteAddress(), 64, sink.remoteKey());
    assertEquals(Status.OK, left.post(new WorkRequest().read(source, 0, 8, remote, 8).id(5).flags(PostFlags.SIGNALED)));
    Parcel question = parcels.poll();
    assertEquals("ACCESS from 0 to 1", question.toString());
    question.deliver();
    sink.segment().set(ValueLayout.JAVA_LONG, 8, 8);
    assertEquals(0, source.segment().get(ValueLayout.JAVA_LONG, 0));
    parcels.poll().deliver();
    assertEquals(1, myQueue.poll(batch));
    assertEquals(5, batch.requestId(0));
    assertEquals(7, source.segment().get(ValueLayout.JAVA_LONG, 0));
  }

  @Test
  void failedParcelEndsTheConnection() {
    assertEquals(Status.OK, left.post(new WorkRequest().send(source, 0, 8).id(5).flags(PostFlags.SIGNALED)));
    parcels.poll().fail(Status.RETRY_EXCEEDED);
    parcels.poll().deliver();
    assertEquals(1, myQueue.poll(batch));
    assertEquals(Status.RETRY_EXCEEDED, batch.status(0));
    assertEquals(EndpointState.BROKEN, left.state());
    deliver();
    assertEquals(EndpointState.BROKEN, right.state());
  }

  @Test
  void theMemoryOfAnEndpointThatEndedIsItsOwnersAgain() {
    source.segment().set(ValueLayout.JAVA_LONG, 0, 1);
    assertEquals(Status.OK, left.post(new WorkRequest().send(source, 0, 8).flags(PostFlags.SIGNALED)));
    left.disconnect();
    source.segment().set(ValueLayout.JAVA_LONG, 0, 2);
    deliver();
    assertEquals(1, sink.segment().get(ValueLayout.JAVA_LONG, 0));
  }

  @Test
  void aRefusalIsReturnedAndNothingIsUnderWay() {
    refusal = Status.AGAIN;
    assertEquals(Status.AGAIN, left.post(new WorkRequest().send(source, 0, 8)));
    assertEquals(Status.AGAIN, left.receiveQueue().post(1, source, 0, 8));
    assertEquals(0, left.outstanding());
    assertTrue(parcels.isEmpty());
  }
}
